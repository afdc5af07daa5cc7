import { bytesToHex } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { describe, expect, test } from 'vitest'
import { AccountKeyError, accountName, childKey, descriptorChecksum, parseAccountKey } from './hd.ts'

/** The mnemonic of the test vectors of BIP-84 and BIP-86. */
const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const root = HDKey.fromMasterSeed(mnemonicToSeedSync(words))
const fingerprint = '73c5da0a'

const accounts = {
  xpub: root.derive("m/84'/0'/0'").publicExtendedKey,
  taproot: root.derive("m/86'/0'/0'").publicExtendedKey,
  ethereum: root.derive("m/44'/60'/0'").publicExtendedKey,
}

/** The key at this path, with the version bytes of another form. */
function versioned(path: string, version: number): string {
  const { depth, index, parentFingerprint, chainCode, publicKey } = root.derive(path)
  const versions = { public: version, private: 0 }
  return new HDKey({
    versions,
    depth,
    index,
    parentFingerprint,
    chainCode: chainCode!,
    publicKey: publicKey!,
  }).publicExtendedKey
}
const zpub = versioned("m/84'/0'/0'", 0x04_b2_47_46)
const tpub = versioned("m/84'/1'/0'", 0x04_35_87_cf)
const vpub = versioned("m/84'/1'/0'", 0x04_5f_1c_f6)

const errorOf = (text: string): string => {
  try {
    parseAccountKey(text)
  } catch (error) {
    if (error instanceof AccountKeyError) return error.message
    throw error
  }
  return 'none'
}
const checked = (descriptor: string) => `${descriptor}#${descriptorChecksum(descriptor)}`

describe('extended public keys', () => {
  test('[K-02] a step that is hardened or out of range is refused, not taken elsewhere', () => {
    const account = parseAccountKey(accounts.xpub)
    for (const index of [-1, 0.5, 2 ** 31, Number.NaN])
      expect(() => childKey(account, 0, index)).toThrow('from 0 to 2^31 - 1')
    expect(() => childKey(account, 2 ** 31, 0)).toThrow('from 0 to 2^31 - 1')
  })

  test('[K-02] each form says its network and its addresses', () => {
    const form = (text: string) => {
      const { network, script } = parseAccountKey(text)
      return `${network} ${script}`
    }
    expect(zpub).toBe(
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
    )
    expect(form(accounts.xpub)).toBe('main undefined')
    expect(form(zpub)).toBe('main wpkh')
    expect(form(tpub)).toBe('test undefined')
    expect(form(vpub)).toBe('test wpkh')
    expect(form(`[${fingerprint}/84h/0h/0h]${accounts.xpub}`)).toBe('main wpkh')
    expect(form(`[${fingerprint}/44'/60'/0']${accounts.ethereum}`)).toBe('main undefined')
    expect(form(`wpkh([${fingerprint}/84h/0h/0h]${accounts.xpub}/<0;1>/*)`)).toBe('main wpkh')
    expect(form(`tr([${fingerprint}/86'/0'/0']${accounts.taproot}/<0;1>/*)`)).toBe('main tr')
    expect(form(`wpkh(${tpub}/0/*)`)).toBe('test wpkh')
    expect(form(` ${accounts.xpub}\n`)).toBe('main undefined')
  })

  test('[K-02] the origin is kept for hardware wallets', () => {
    const hardened = 2 ** 31
    expect(parseAccountKey(`[${fingerprint}/84h/0H/0']${accounts.xpub}`).origin).toEqual({
      fingerprint: root.fingerprint,
      path: [hardened + 84, hardened, hardened],
    })
    expect(parseAccountKey(accounts.xpub).origin).toBeUndefined()
  })

  test('[K-02] an account keeps its name in every form of its key, and no other has it', () => {
    const name = (text: string, script = 'wpkh') => accountName(parseAccountKey(text), script)
    expect(name(zpub)).toBe(name(accounts.xpub))
    expect(name(checked(`wpkh([${fingerprint}/84h/0h/0h]${accounts.xpub}/<0;1>/*)`))).toBe(
      name(accounts.xpub),
    )
    expect(name(accounts.xpub)).toMatch(/^[0-9a-f]{16}$/)
    const names = [name(accounts.xpub), name(accounts.xpub, 'tr'), name(accounts.taproot), name(tpub)]
    expect(new Set(names).size).toBe(4)
  })
})

describe('invalid account keys', () => {
  test.each([
    ['xprv', root.derive("m/84'/0'/0'").privateExtendedKey],
    ['xprv that is mistyped', root.derive("m/84'/0'/0'").privateExtendedKey.slice(0, -1)],
    [
      'zprv of BIP-84',
      'zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE',
    ],
    [
      'descriptor of an xprv',
      `wpkh([${fingerprint}/84h/0h/0h]${root.derive("m/84'/0'/0'").privateExtendedKey}/0/*)`,
    ],
    ['private key of one address (WIF)', 'KyZpNDKnfs94vbrwhJneDi77V6jF64PWPF8x5cdJb8ifgg2DUc9d'],
    ['descriptor of one', 'wpkh(KyZpNDKnfs94vbrwhJneDi77V6jF64PWPF8x5cdJb8ifgg2DUc9d)'],
    ['private key in hexadecimal', bytesToHex(root.privateKey!)],
    ["wallet's words", words],
  ])('[K-02] a private key is refused and not repeated: %s', (_, text) => {
    expect(errorOf(text)).toBe('is a private key. This server must never have one; move its funds at once')
  })

  test('[K-02] each is refused in words that say what to give instead', () => {
    const typo = accounts.xpub.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
    const origin = `[${fingerprint}/84h/0h/0h]`
    const refusals = {
      'is neither an extended public key nor a descriptor of one': [
        '',
        'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
        `${accounts.xpub} x`,
        `[${origin}]`,
      ],
      'is an incomplete or mistyped extended public key': [typo, accounts.xpub.slice(1), 'x'.repeat(5000)],
      'must be an xpub, zpub, tpub or vpub, or a descriptor of an xpub or tpub': [
        versioned("m/84'/2'/0'", 0x01_9d_a4_62),
      ],
      'is the key of nested (ypub) or shared (Zpub) addresses, which are not supported: export the native segwit or taproot account of one signer':
        [versioned("m/49'/0'/0'", 0x04_9d_7c_b2), versioned("m/48'/0'/0'", 0x02_aa_7e_d3)],
      'is the key of a whole wallet: export that of one account (such as 84h/0h/0h)': [
        root.publicExtendedKey,
      ],
      'is the key of one branch or address: export that of the account above it': [
        root.derive("m/84'/0'/0'/0").publicExtendedKey,
        root.derive('m/0').publicExtendedKey,
        root.derive("m/48'/0'/0'/2'").publicExtendedKey,
      ],
      'has a wrong checksum (BIP-380): a character is missing or mistyped': [
        `wpkh(${origin}${accounts.xpub}/<0;1>/*)#qqqqqqqq`,
        `${checked(`wpkh(${origin}${accounts.xpub}/<0;1>/*)`)}q`,
        checked(`wpkh(${origin}${accounts.xpub}/<0;1>/*)`).slice(0, -1),
        checked(`wpkh(${origin}${accounts.xpub}/<0;1>/*)`).replace('73c5', '73c6'),
        `wpkh(${accounts.xpub}/<0;1>/*)#`,
      ],
      'must be a descriptor wpkh(…) or tr(…): other kinds of addresses are not supported': [
        `pkh(${accounts.xpub}/<0;1>/*)`,
        `sh(wpkh(${accounts.xpub}/<0;1>/*))`,
      ],
      'must be a descriptor of one key, without any script: wpkh(key) or tr(key)': [
        `tr(${accounts.taproot}/<0;1>/*,pk(${accounts.xpub}/<0;1>/*))`,
        `wpkh(multi(1,${accounts.xpub}/<0;1>/*))`,
      ],
      'has a hardened step after its key, which only the private key can take': [
        `wpkh(${accounts.xpub}/<0;1>/*h)`,
        `wpkh(${accounts.xpub}/0'/*)`,
        `${accounts.xpub}/0h/0`,
      ],
      'must end in /<0;1>/* after its key: receiving addresses at 0, change at 1': [
        `wpkh(${accounts.xpub})`,
        `wpkh(${accounts.xpub}/*)`,
        `wpkh(${accounts.xpub}/1/*)`,
        `wpkh(${accounts.xpub}/<1;0>/*)`,
        `${accounts.xpub}/0/5`,
      ],
      'has an origin that is not of the form [fingerprint/84h/0h/0h]': [
        `[73c5da0/84h/0h/0h]${accounts.xpub}`,
        `[${fingerprint}/84f/0h/0h]${accounts.xpub}`,
        `[${fingerprint}/84h/0h/0h/]${accounts.xpub}`,
        `[${fingerprint}/2147483648h/0h/0h]${accounts.xpub}`,
        `wpkh([${fingerprint}/<0;1>/0h/0h]${accounts.xpub}/<0;1>/*)`,
      ],
      'has an origin that contradicts the depth or number in its key': [
        `[${fingerprint}/84h/0h]${accounts.xpub}`,
        `[${fingerprint}/84h/0h/1h]${accounts.xpub}`,
        `[00000000/0h]${root.derive("m/0'").publicExtendedKey}`,
      ],
      'says two kinds of addresses at once: wpkh(…), zpub and 84h are one, tr(…) and 86h another': [
        `tr(${zpub}/<0;1>/*)`,
        `wpkh([${fingerprint}/86h/0h/0h]${accounts.taproot}/<0;1>/*)`,
      ],
    }
    for (const [words, texts] of Object.entries(refusals)) {
      for (const text of texts) expect(errorOf(text), text).toBe(words)
    }
  })
})
