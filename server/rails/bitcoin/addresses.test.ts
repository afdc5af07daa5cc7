import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { describe, expect, test } from 'vitest'
import { AccountKeyError } from '#server/rails/hd.ts'
import { addressError } from '#shared/addresses.ts'
import { addressAt, addressOfScript, bitcoinAccount, branches, scriptOfAddress } from './addresses.ts'
import { bitcoinNetworks } from './networks.ts'

const { main, testnet, regtest } = bitcoinNetworks
const litecoin = bitcoinNetworks['litecoin-regtest']
const { receiving } = branches

const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const zpub =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'
const testKey = (path: string) =>
  HDKey.fromMasterSeed(mnemonicToSeedSync(words), { public: 0x04_35_87_cf, private: 0x04_35_83_94 }).derive(
    path,
  ).publicExtendedKey

describe('addresses of an account', () => {
  test('[K-02] the network is a parameter: the same key has its prefix', () => {
    const tpub = testKey("m/84'/1'/0'")
    const prefix = (network: typeof regtest | typeof testnet | typeof litecoin) =>
      addressAt(bitcoinAccount(tpub, network), receiving, 7).replace(/1.*/, '')
    expect([testnet, regtest, litecoin].map(prefix)).toEqual(['tb', 'bcrt', 'rltc'])
    // The product accepts the addresses that the rail creates.
    const address = addressAt(bitcoinAccount(tpub, regtest), receiving, 7)
    expect(addressError('Bitcoin (BTC)', address, { testNetworks: true })).toBeUndefined()
  })

  test('[K-02] a key of another network, or of an account for other addresses, is refused', () => {
    const errorOf = (text: string, network: typeof main | typeof regtest) => {
      try {
        return bitcoinAccount(text, network).name
      } catch (error) {
        return error instanceof AccountKeyError ? error.message : String(error)
      }
    }
    expect(errorOf(zpub, regtest)).toBe(
      'must be a tpub or vpub: it is of another network than Bitcoin regtest',
    )
    expect(errorOf(testKey("m/84'/1'/0'"), main)).toBe(
      'must be an xpub or zpub: it is of another network than Bitcoin',
    )
    expect(errorOf(`[73c5da0a/44h/1h/0h]${testKey("m/44'/1'/0'")}`, regtest)).toMatch(
      /^is of an account for older addresses \(44h\): export the native segwit \(84h\)/,
    )
  })

  test('[K-02] the account has another name for other addresses of the same key', () => {
    const tpub = testKey("m/86'/1'/0'")
    const names = [tpub, `tr(${tpub}/<0;1>/*)`].map(text => bitcoinAccount(text, regtest).name)
    expect(names[0]).not.toBe(names[1])
  })
})

describe('addresses and scripts', () => {
  test.each([
    // The output of the genesis block's key by hash; and the first address of BIP-13's kind in BIP-16's example form.
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'],
    ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
  ])('[K-02] %s and its script, both ways', (address, script) => {
    expect(bytesToHex(scriptOfAddress(address, main)!)).toBe(script)
    expect(addressOfScript(hexToBytes(script), main)).toBe(address)
    expect(scriptOfAddress(address, regtest)).toBeUndefined()
  })

  test.each([
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '1'.repeat(100),
    '',
  ])('[K-02] no address: %s', address => {
    for (const network of [main, testnet]) expect(scriptOfAddress(address, network)).toBeUndefined()
  })

  test('[K-02] a script that no address pays has none', () => {
    // Data (OP_RETURN), a bare key, a program of a wrong length, nothing, a push with a wrong length.
    const scripts = [
      '6a0474657374',
      `21${'02'.repeat(33)}ac`,
      '0003aabbcc',
      '',
      `0014${'00'.repeat(19)}`,
      '00',
    ]
    for (const script of scripts) expect(addressOfScript(hexToBytes(script), main), script).toBeUndefined()
  })
})
