import { bytesToHex } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { describe, expect, test } from 'vitest'
import { answerTo, privateKey } from '#test/support/account-keys.ts'
import { addressAt, bitcoinAccount, branches, outputScript } from './bitcoin/addresses.ts'
import { bitcoinNetworks } from './bitcoin/networks.ts'
import { childKey } from './hd.ts'

/** All test vectors of BIP-84 and BIP-86, against the product's code or its library. */

const { main } = bitcoinNetworks

describe('BIP-84 and BIP-86', () => {
  const words =
    'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(words))
  const { receiving, change } = branches

  test.each([
    [
      receiving,
      0,
      '0330d54fd0dd420a6e5f8d3624f5f3482cae350f79d5f0753bf5beef9c2d91af3c',
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    ],
    [
      receiving,
      1,
      '03e775fd51f0dfb8cd865d9ff1cca2a158cf651fe997fdc9fee9c1d3b5e995ea77',
      'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
    ],
    [
      change,
      0,
      '03025324888e429ab8e3dbaf1f7802648b9cd01e9b418485c5fa4c1b9b5700e1a6',
      'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el',
    ],
  ])(
    '[K-02] P2WPKH at m/84h/0h/0h/%i/%i: its public key and its address',
    (branch, index, publicKey, address) => {
      const account = bitcoinAccount(root.derive("m/84'/0'/0'").publicExtendedKey, main)
      expect(bytesToHex(childKey(account.keys[0]!, branch, index))).toBe(publicKey)
      expect(addressAt(account, branch, index)).toBe(address)
    },
  )

  test('[K-02] the private keys of BIP-84, in its own form too, are refused', () => {
    for (const text of [
      'zprvAWgYBBk7JR8Gjrh4UJQ2uJdG1r3WNRRfURiABBE3RvMXYSrRJL62XuezvGdPvG6GFBZduosCc1YP5wixPox7zhZLfiUm8aunE96BBa4Kei5',
      'zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE',
      'KyZpNDKnfs94vbrwhJneDi77V6jF64PWPF8x5cdJb8ifgg2DUc9d',
      'Kxpf5b8p3qX56DKEe5NqWbNUP9MnqoRFzZwHRtsFqhzuvUJsYZCy',
      'KxuoxufJL5csa1Wieb2kp29VNdn92Us8CoaUG3aGtPtcF3AzeXvF',
    ])
      for (const given of [text, `wpkh(${text})`]) expect(answerTo(given)).toBe(privateKey)
    expect(answerTo(words)).toBe(privateKey)
  })

  test('[K-02] the key of BIP-86’s account is that of its words', () => {
    expect(root.derive("m/86'/0'/0'").publicExtendedKey).toBe(
      'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ',
    )
  })

  test.each([
    [
      receiving,
      0,
      'cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115',
      '5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c',
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    ],
    [
      receiving,
      1,
      '83dfe85a3151d2517290da461fe2815591ef69f2b18a2ce63f01697a8b313145',
      '5120a82f29944d65b86ae6b5e5cc75e294ead6c59391a1edc5e016e3498c67fc7bbb',
      'bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh',
    ],
    [
      change,
      0,
      '399f1b2f4393f29a18c937859c5dd8a77350103157eb880f02e8c08214277cef',
      '5120882d74e5d0572d5a816cef0041a96b6c1de832f6f9676d9605c44d5e9a97d3dc',
      'bc1p3qkhfews2uk44qtvauqyr2ttdsw7svhkl9nkm9s9c3x4ax5h60wqwruhk7',
    ],
  ])(
    '[K-02] P2TR at m/86h/0h/0h/%i/%i: its internal key, its script and its address',
    (branch, index, internal, script, address) => {
      const account = bitcoinAccount(`tr(${root.derive("m/86'/0'/0'").publicExtendedKey}/<0;1>/*)`, main)
      expect(bytesToHex(childKey(account.keys[0]!, branch, index).slice(1))).toBe(internal)
      expect(bytesToHex(outputScript(account, branch, index))).toBe(script)
      expect(addressAt(account, branch, index)).toBe(address)
    },
  )
})
