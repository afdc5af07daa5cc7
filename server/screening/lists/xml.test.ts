import { describe, expect, test } from 'vitest'
import { sanctionsLists } from '#shared/sanctions.ts'
import { euXml, inPieces, sdnXml, unXml } from '#test/support/sanctions.ts'
import { readers } from './index.ts'
import { UnreadableList } from './list.ts'

const whole = {
  ofac_sdn: sdnXml([{ uid: 1, first: 'Ali', last: 'ČAPEK' }]),
  un_sc: unXml([{ reference: 'QDi.001', names: ['ČAPEK'], script: 'عبد' }]),
  eu_fsf: euXml([{ reference: 'EU.1.2', logicalId: 1, names: [{ whole: 'Čapek' }] }]),
}
const sdn = (text: string | AsyncIterable<Uint8Array>) =>
  readers.ofac_sdn(typeof text === 'string' ? inPieces(text) : text)
const withName = (name: string) => sdnXml([{ uid: 1, last: name }])
const body = whole.ofac_sdn.replace(/^<\?.*\n/, '')

describe.each(sanctionsLists)('a file of %s', list => {
  test.each([1, 7, 100_000])('reads the same in pieces of %i bytes', async size => {
    const expected = await readers[list](inPieces(whole[list]))
    expect(expected.entries[0]?.names[0]).toMatch(/Č/i)
    expect(await readers[list](inPieces(whole[list], size))).toEqual(expected)
  })

  test('may begin with a byte order mark', async () => {
    expect((await readers[list](inPieces(`\uFEFF${whole[list]}`))).entries).toHaveLength(1)
  })

  test('is refused with a DOCTYPE, whatever that declares', async () => {
    const declared = whole[list].replace('?>', '?><!DOCTYPE x>')
    await expect(readers[list](inPieces(declared))).rejects.toThrow('DOCTYPE')
  })

  test('is refused if it is not in UTF-8', async () => {
    const content = async function* () {
      yield Buffer.from(whole[list].replaceAll(/[Čع]/g, 'Ü'), 'latin1')
    }
    await expect(readers[list](content())).rejects.toThrow('not text in UTF-8')
  })

  test('is refused if it ends within a character', async () => {
    const content = async function* () {
      yield Buffer.concat([Buffer.from(whole[list]), Buffer.from([0xc4])])
    }
    await expect(readers[list](content())).rejects.toThrow('not text in UTF-8')
  })
})

describe('XML of lists', () => {
  test('has names in CDATA, with references, on several lines, or very long', async () => {
    const text = withName('A <![CDATA[B & <b>]]> &#x10c;\n  &amp; &lt;i&gt;')
    expect((await sdn(text)).entries[0]?.names).toEqual(['A B & <b> Č & <i>'])
    const long = `${'x'.repeat(70_000)} ${'y'.repeat(70_000)}`
    expect((await sdn(withName(long))).entries[0]?.names).toEqual([long])
  })

  const laughs = `<!DOCTYPE sdnList [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>${body.replace('Ali', '&b;')}`
  test.each([
    ['an entity of HTML', withName('Caf&eacute;'), 'not well-formed'],
    ['an entity of its own', laughs, 'DOCTYPE'],
    ['an external entity', `<!DOCTYPE a SYSTEM "file:///etc/passwd">${body}`, 'DOCTYPE'],
    ['an endless DOCTYPE', `<!DOCTYPE a [${'<!ENTITY a "b">'.repeat(10_000)}`, 'not well-formed'],
    ['a declaration outside a DOCTYPE', `<!ELEMENT a EMPTY>${body}`, 'declaration'],
    ['a second root', whole.ofac_sdn + body, 'has a second root, <sdnList>'],
    ['text after its end', `${whole.ofac_sdn}more`, 'not well-formed'],
    ['an element that it does not have', body.replace('<sdnEntry>', '<more/><sdnEntry>'), 'sdnList/more'],
    ['an attribute that breaks the parser', withName('<a hasOwnProperty="1" b="2"/>'), 'hasOwnProperty'],
    ['levels beyond the limit', withName('<a>'.repeat(20)), 'too many levels in one entry'],
    ['texts beyond the limit', withName('x '.repeat(1_100_000)), 'too many characters in one entry'],
    ['elements beyond the limit', withName('<a/>'.repeat(21_000)), 'too many characters in one entry'],
    [
      'a tag without an end',
      withName(attributes(40, 60_000).slice(0, -2)),
      'too many characters in one entry',
    ],
  ])('is refused with %s', async (_, text, words) => {
    const reading = sdn(text)
    await expect(reading).rejects.toThrow(UnreadableList)
    await expect(reading).rejects.toThrow(words)
  })

  test('may have many entries that are together beyond the limit of one', async () => {
    const entries = Array.from({ length: 3 }, (_, n) => ({ uid: n + 1, last: 'x'.repeat(900_000) }))
    expect((await sdn(sdnXml(entries))).entries).toHaveLength(3)
  })
})

function attributes(count: number, characters: number): string {
  const value = 'x'.repeat(characters)
  return `<a ${Array.from({ length: count }, (_, n) => `a${n}="${value}"`).join(' ')}/>`
}
