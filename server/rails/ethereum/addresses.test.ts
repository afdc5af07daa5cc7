import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { expect, test } from 'vitest'
import { AccountKeyError } from '#server/rails/hd.ts'
import { ethereumAddressAt, parseEthereumAccount } from './addresses.ts'

/** The mnemonic that anvil and Hardhat publish for their test accounts, and the addresses that both print. */
const mnemonic = 'test test test test test test test test test test test junk'
const published = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
]

const root = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic))
const xpub = root.derive("m/44'/60'/0'").publicExtendedKey
const origin = (path: string) => `[${root.fingerprint.toString(16).padStart(8, '0')}/${path}]`

test("[K-02] an Ethereum account derives its wallet's addresses with EIP-55 checksums", () => {
  const account = parseEthereumAccount(xpub)
  expect(published.map((_, index) => ethereumAddressAt(account, index))).toEqual(published)
  const withOrigin = parseEthereumAccount(`${origin('44h/60h/0h')}${xpub}`)
  expect(ethereumAddressAt(withOrigin, 1)).toBe(published[1])
})

test("a key of another coin's addresses is refused", () => {
  const taproot = root.derive("m/86'/0'/0'").publicExtendedKey
  const tron = root.derive("m/44'/195'/0'").publicExtendedKey
  const refused = (text: string, words: string) =>
    expect(() => parseEthereumAccount(text)).toThrow(new AccountKeyError(words))
  refused(`tr(${taproot}/<0;1>/*)`, "is a key of Bitcoin's addresses, not of Ethereum's")
  refused(`${origin('44h/195h/0h')}${tron}`, 'has the origin of another coin: that of Ethereum is 44h/60h/0h')
})
