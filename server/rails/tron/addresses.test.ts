import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { expect, test } from 'vitest'
import { AccountKeyError } from '#server/rails/hd.ts'
import { parseTronAccount, tronAddress, tronAddressAt, tronHash } from './addresses.ts'

/** The example of TronWeb's documentation (fromMnemonic). */
const mnemonic = 'patch left empty genuine rain normal syrup yellow consider moon stock denial'
const root = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic))

test('[K-02] an account of TRON gives the addresses that its wallet shows', () => {
  const account = parseTronAccount(root.derive("m/44'/195'/0'").publicExtendedKey)
  expect(tronAddressAt(account, 0)).toBe('TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCX')
})

test('an address and the bytes that it names are one', () => {
  // Tether's contract, in both forms of TRON's documentation.
  const hex = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c'
  expect(tronAddress(Buffer.from(hex, 'hex'))).toBe('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')
  expect(Buffer.from(tronHash('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toString('hex')).toBe(hex)
  for (const text of [
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T',
    '27bSCXuu9gKokvhitwouRnFzzDgqp27Fu5A',
    '0x00',
    '',
  ])
    expect(() => tronHash(text), text).toThrow(RangeError)
})

test("a key of another coin's addresses is refused", () => {
  const taproot = root.derive("m/86'/0'/0'").publicExtendedKey
  expect(() => parseTronAccount(`tr(${taproot}/<0;1>/*)`)).toThrow(
    new AccountKeyError("is a key of Bitcoin's addresses, not of TRON's"),
  )
})
