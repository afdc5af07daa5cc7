import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { describe, expect, test } from 'vitest'
import { KeyFault } from '#server/rails/hd.ts'
import { addressFault } from '#shared/addresses.ts'
import { addressAt, addressOfScript, bitcoinAccount, branches, scriptOfAddress } from './addresses.ts'
import { bitcoinNetworks } from './networks.ts'

const { main, testnet, regtest } = bitcoinNetworks
const litecoin = bitcoinNetworks['litecoin-regtest']
const { receiving, change } = branches

const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const zpub =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'
const taproot =
  'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ'
const testKey = (path: string) =>
  HDKey.fromMasterSeed(mnemonicToSeedSync(words), { public: 0x04_35_87_cf, private: 0x04_35_83_94 }).derive(
    path,
  ).publicExtendedKey

describe('addresses of an account', () => {
  test('[K-02] P2WPKH as in the test vectors of BIP-84', () => {
    const account = bitcoinAccount(zpub, main)
    expect(addressAt(account, receiving, 0)).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu')
    expect(addressAt(account, receiving, 1)).toBe('bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g')
    expect(addressAt(account, change, 0)).toBe('bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el')
  })

  test('[K-02] P2TR as in the test vectors of BIP-86', () => {
    const account = bitcoinAccount(`tr([73c5da0a/86h/0h/0h]${taproot}/<0;1>/*)`, main)
    expect(addressAt(account, receiving, 0)).toBe(
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    )
    expect(addressAt(account, receiving, 1)).toBe(
      'bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh',
    )
    expect(addressAt(account, change, 0)).toBe(
      'bc1p3qkhfews2uk44qtvauqyr2ttdsw7svhkl9nkm9s9c3x4ax5h60wqwruhk7',
    )
  })

  test('[K-02] the network is a parameter: the same key has its prefix', () => {
    const tpub = testKey("m/84'/1'/0'")
    const prefix = (network: typeof regtest | typeof testnet | typeof litecoin) =>
      addressAt(bitcoinAccount(tpub, network), receiving, 7).replace(/1.*/, '')
    expect([testnet, regtest, litecoin].map(prefix)).toEqual(['tb', 'bcrt', 'rltc'])
    // What the rail shows is what the product accepts as an address.
    const address = addressAt(bitcoinAccount(tpub, regtest), receiving, 7)
    expect(addressFault('Bitcoin (BTC)', address, { testNetworks: true })).toBeUndefined()
  })

  test('[K-02] a key of another network, or of an account for other addresses, is refused', () => {
    const fault = (text: string, network: typeof main | typeof regtest) => {
      try {
        return bitcoinAccount(text, network).name
      } catch (error) {
        return error instanceof KeyFault ? error.message : String(error)
      }
    }
    expect(fault(zpub, regtest)).toBe('must be a tpub or vpub: it is of another network than Bitcoin regtest')
    expect(fault(testKey("m/84'/1'/0'"), main)).toBe(
      'must be an xpub or zpub: it is of another network than Bitcoin',
    )
    expect(fault(`[73c5da0a/44h/1h/0h]${testKey("m/44'/1'/0'")}`, regtest)).toMatch(
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
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    [
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
      '5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6',
    ],
    ['BC1SW50QGDZ25J', '6002751e'],
    ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', '5210751e76e8199196d454941c45d1b3a323'],
    [
      'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy',
      '0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
      '5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
    // The output of the genesis block's key by hash; and the first address of BIP-13's kind in BIP-16's example form.
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'],
    ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
  ])('[K-02] %s and its script, both ways (BIP-350)', (address, script) => {
    const network = /^tb/i.test(address) ? testnet : main
    expect(bytesToHex(scriptOfAddress(address, network)!)).toBe(script)
    expect(addressOfScript(hexToBytes(script), network)).toBe(
      /^bc1/i.test(address) ? address.toLowerCase() : address,
    )
    expect(scriptOfAddress(address, network === main ? regtest : main)).toBeUndefined()
  })

  test.each([
    'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
    'tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf',
    'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh',
    'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47',
    'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4',
    'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R',
    'bc1pw5dgrnzv',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav',
    'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
    'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf',
    'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j',
    'bc1gmk9yu',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '1'.repeat(100),
    '',
  ])('[K-02] no address (BIP-350): %s', address => {
    for (const network of [main, testnet]) expect(scriptOfAddress(address, network)).toBeUndefined()
  })

  test('[K-02] a script that no address pays has none', () => {
    // Data (OP_RETURN), a bare key, a program of a wrong length, nothing, a push that says another length.
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
