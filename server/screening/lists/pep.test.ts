import { describe, expect, test } from 'vitest'
import { maximumPepNames } from '#shared/limits.ts'
import { inPieces, type PepEntry, pepCsv } from '#test/support/sanctions.ts'
import { readPep } from './pep.ts'

const read = (text: string, size?: number) => readPep(inPieces(text, size))
const minister: PepEntry = { id: 'Q100', name: 'Mira Minister' }

describe('a list of politically exposed persons', () => {
  test.each([1, 7, 100_000])('is read in the published format, in pieces of %i bytes', async size => {
    const text = pepCsv([
      {
        id: 'NK-1',
        name: 'Джейн Министр',
        aliases: '"Minister; Jane";Jane Minister;"Jane ""Jay"" Minister"',
        birth: '1970-01-02;1971',
        countries: 'ru;ua-cri',
        dataset: 'World Leaders;Wikidata',
      },
    ])
    expect(await read(text, size)).toEqual({
      publishedOn: '2026-11-20',
      entries: [
        {
          entry: 'NK-1',
          kind: 'person',
          names: ['Джейн Министр', 'Minister; Jane', 'Jane Minister', 'Jane "Jay" Minister'],
          weak: [],
          births: ['1970-01-02', '1971'],
          countries: ['ru', 'ua-cri'],
          programmes: ['World Leaders', 'Wikidata'],
          wallets: [],
        },
      ],
    })
  })

  test('has every name, however its aliases are quoted', async () => {
    const { entries } = await read(pepCsv([{ ...minister, aliases: 'Mira "M" Minister;M. Minister' }]))
    expect(entries[0]!.names).toEqual(['Mira Minister', 'Mira "M" Minister', 'M. Minister'])
  })

  test('has the day on which its newest source was read, and people alone', async () => {
    const file = await read(
      pepCsv([
        { ...minister, seen: '2026-11-19T06:00:00' },
        { id: 'NK-2', name: 'Ministry', schema: 'Organization', seen: '2026-11-21T06:00:00' },
      ]),
    )
    expect(file.publishedOn).toBe('2026-11-21')
    expect(file.entries.map(({ entry }) => entry)).toEqual(['Q100'])
  })

  test('may have the columns of earlier and later versions', async () => {
    const older = pepCsv([minister])
      .replace('"program_ids",', '')
      .replace('"","World Leaders"', '"World Leaders"')
    expect((await read(older)).entries).toHaveLength(1)
    const newer = pepCsv([minister]).replace('"last_change"\n', '"last_change","more"\n').trimEnd()
    expect((await read(`${newer},"x"\n`)).entries).toHaveLength(1)
  })

  test.each([
    ['another table', '"id","name"\n"1","Mira"\n', 'it has no column schema'],
    ['a page of HTML', '<html></html>\n', 'it has no column id'],
    ['a file cut off within a record', pepCsv([minister]).slice(0, -20), 'ends within a record'],
    ['a file cut off after its header', pepCsv([]), 'does not state the day'],
    ['a record with too few fields', `${pepCsv([minister])}"x","Person"\n`, 'has 2 fields, not 16'],
    ['an empty file', '', 'is empty'],
    ['text after a quoted field', `${pepCsv([minister])}"x"y\n`, 'text after a quoted field'],
    ['a quotation mark in a field', `${pepCsv([minister])}x"y\n`, 'quotation mark within a field'],
    ['a person without a name', pepCsv([{ ...minister, name: '' }]), 'has no name'],
    ['a person without a number', pepCsv([{ ...minister, id: '' }]), 'has no number'],
  ])('is refused if it is %s', async (_, text, words) => {
    await expect(read(text)).rejects.toThrow(words)
  })

  test('is refused wherever its last record is cut off', async () => {
    const text = pepCsv([minister, { ...minister, id: 'Q200', aliases: 'M. Minister' }])
    const begin = text.trimEnd().lastIndexOf('\n') + 1
    for (let end = begin + 1; end < text.length; end += 1) {
      await expect(read(text.slice(0, end))).rejects.toThrow('ends within a record')
    }
  })

  test('is refused if it has more names than we compare', async () => {
    const people = (names: number): PepEntry[] =>
      Array.from({ length: names / 1_000 }, (_, n) => ({
        ...minister,
        id: `Q${n}`,
        aliases: Array.from({ length: 999 }, (__, alias) => `M${alias}`).join(';'),
      }))
    await expect(read(pepCsv([...people(maximumPepNames), minister]), 100_000)).rejects.toThrow(
      `more than ${maximumPepNames} names`,
    )
    expect((await read(pepCsv(people(maximumPepNames)), 100_000)).entries).toHaveLength(
      maximumPepNames / 1_000,
    )
  })

  test('is refused if it is not in UTF-8', async () => {
    const content = async function* () {
      yield Buffer.from([0x22, 0xff, 0x22, 0x0a])
    }
    await expect(readPep(content())).rejects.toThrow('not text in UTF-8')
  })
})
