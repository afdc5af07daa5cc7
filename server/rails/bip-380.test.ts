import { HARDENED_OFFSET } from '@scure/bip32'
import { describe, expect, test } from 'vitest'
import { answerTo, privateKey } from '#test/support/account-keys.ts'
import { descriptorChecksum, parseAccountKey } from './hd.ts'

/** All test vectors of BIP-380, against the product's code or its library. */

describe('BIP-380', () => {
  /** True if a descriptor with its checksum is valid. */
  const isChecked = (text: string) => {
    const [descriptor, checksum] = [text.slice(0, text.indexOf('#')), text.slice(text.indexOf('#') + 1)]
    return descriptorChecksum(descriptor) === checksum
  }

  test('[K-02] the checksum of a descriptor, and each error in it', () => {
    expect(isChecked('raw(deadbeef)#89f8spxm')).toBe(true)
    for (const text of [
      'raw(deadbeef)#',
      'raw(deadbeef)#89f8spxmx',
      'raw(deadbeef)#89f8spx',
      'raw(deedbeef)#89f8spxm',
      'raw(deedbeef)##9f8spxm',
      'raw(Ü)#00000000',
    ])
      expect({ text, isChecked: isChecked(text) }).toEqual({ text, isChecked: false })
  })

  test('[K-02] a descriptor of an account with each of these errors is refused', () => {
    const key =
      'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ'
    const descriptor = `tr([73c5da0a/86h/0h/0h]${key}/<0;1>/*)`
    const checksum = descriptorChecksum(descriptor)!
    expect(answerTo(descriptor)).toBe('taken')
    expect(answerTo(`${descriptor}#${checksum}`)).toBe('taken')
    const wrong = 'has a wrong checksum (BIP-380): a character is missing or mistyped'
    expect(answerTo(`${descriptor}#`)).toBe(wrong)
    expect(answerTo(`${descriptor}#${checksum}x`)).toBe(wrong)
    expect(answerTo(`${descriptor}#${checksum.slice(0, -1)}`)).toBe(wrong)
    expect(answerTo(`${descriptor.replace('73c5', '73d5')}#${checksum}`)).toBe(wrong)
    expect(answerTo(`${descriptor}##${checksum.slice(1)}`)).toBe(wrong)
    expect(answerTo(`tr(Ü)#00000000`)).toBe(wrong)
  })

  const xpub =
    'xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL'
  const xprv =
    'xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc'
  const master =
    'xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U'
  const single = '0260b2003c386519fc9eadf2b5cf124dd8eea4c4e68d5e154050a9346ea98ce600'
  const wif = 'L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1'

  test.each([
    '5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss',
    wif,
    xprv,
    `[deadbeef/0h/1h/2h]${xprv}`,
    `[deadbeef/0h/1h/2h]${xprv}/3/4/5`,
    `[deadbeef/0h/1h/2h]${xprv}/3/4/5/*`,
    `${xprv}/3h/4h/5h/*`,
    `${xprv}/3h/4h/5h/*h`,
    `[deadbeef/0h/1h/2]${xprv}/3h/4h/5h/*h`,
    // These contain a key expression without being one.
    `${wif}/0`,
    `${wif}/*`,
    `${master}/2147483648`,
    `${master}/1aa`,
    `[aaaaaaaa][aaaaaaaa]${master}/2147483647'/0`,
    `aaaaaaaa]${master}/2147483647'/0`,
    `[gaaaaaaa]${master}/2147483647'/0`,
  ])('[K-02] a private key is refused in whatever stands around it, and not repeated: %s', text => {
    for (const given of [text, `wpkh(${text})`, `tr(${text})`]) expect(answerTo(given)).toBe(privateKey)
  })

  test.each([
    // One address's key, or a key below an account's: valid, but unable to give deposits addresses.
    single,
    '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235',
    `[deadbeef/0h/0h/0h]${single}`,
    `[deadbeef/0'/0'/0']${single}`,
    `[deadbeef/0'/0h/0']${single}`,
    xpub,
    `[deadbeef/0h/1h/2h]${xpub}`,
    `[deadbeef/0h/1h/2h]${xpub}/3/4/5`,
    `[deadbeef/0h/1h/2h]${xpub}/3/4/5/*`,
    `${xpub}/3h/4h/5h/*`,
    `${xpub}/3h/4h/5h/*h`,
    `[deadbeef/0h/1h/2]${xpub}/3h/4h/5h/*h`,
    // Invalid.
    `[deadbeef/0h/0h/0h/*]${single}`,
    `[deadbeef/0h/0h/0h/]${single}`,
    `[deadbef/0h/0h/0h]${single}`,
    `[deadbeeef/0h/0h/0h]${single}`,
    `[deadbeef/0f/0f/0f]${single}`,
    `[deadbeef/0H/0H/0H]${single}`,
    `[deadbeef/-0/-0/-0]${single}`,
    '[deadbeef]',
  ])('[K-02] no account’s key: %s', text => {
    for (const given of [text, `wpkh(${text})`, `tr(${text})`]) expect(answerTo(given)).not.toBe('taken')
  })

  const account =
    'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ'

  test.each(['86h/0h/0h', "86'/0'/0'", "86'/0h/0'"])('[K-02] the origin of an account is read: %s', steps => {
    const { origin } = parseAccountKey(`[deadbeef/${steps}]${account}`)
    expect(origin).toEqual({
      fingerprint: 0xdeadbeef,
      path: [86 + HARDENED_OFFSET, HARDENED_OFFSET, HARDENED_OFFSET],
    })
  })

  test.each([
    'deadbeef/86h/0h/0h/*',
    'deadbeef/86h/0h/0h/',
    'deadbef/86h/0h/0h',
    'deadbeeef/86h/0h/0h',
    'deadbeef/86f/0f/0f',
    'deadbeef/-86/-0/-0',
    'gaaaaaaa/86h/0h/0h',
    'deadbeef/2147483648/0h/0h',
    'deadbeef/1aa/0h/0h',
  ])('[K-02] an account with an invalid origin is refused: %s', origin => {
    expect(answerTo(`[${origin}]${account}`)).toBe(
      'has an origin that is not of the form [fingerprint/84h/0h/0h]',
    )
  })
})
