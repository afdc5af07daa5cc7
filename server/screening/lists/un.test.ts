import { describe, expect, test } from 'vitest'
import { inPieces, type UnEntry, unXml } from '#test/support/sanctions.ts'
import { readUn } from './un.ts'

const read = (entries: readonly UnEntry[]) => readUn(inPieces(unXml(entries)))
const oneOf = async (entry: Partial<UnEntry>) =>
  (await read([{ reference: 'QDi.001', names: ['OMAR'], ...entry }])).entries[0]

describe('the UN’s consolidated list', () => {
  test('gives people and organisations with their names, births and countries', async () => {
    const person: UnEntry = {
      reference: 'TAi.007',
      names: ['ABDUL LATIF', 'MANSUR', 'WALI', 'MOHAMMAD'],
      list: 'Taliban',
      script: 'عبد اللطيف منصور ',
      aliases: [
        ['Good', 'Abdul Latif\n            Mansoor'],
        ['Low', 'Commandant'],
      ],
      births: [{ TYPE_OF_DATE: 'EXACT', DATE: '1968-05-25' }],
      nationalities: ['Afghanistan', 'Pakistan'],
    }
    const organisation: UnEntry = {
      reference: 'CDe.001',
      kind: 'organisation',
      names: ['ADF'],
      list: 'DRC',
      aliases: [
        ['a.k.a.', 'Allied Democratic Forces &amp; Co'],
        ['f.k.a.', 'NALU'],
      ],
    }
    expect(await read([person, organisation])).toEqual({
      publishedOn: '2026-11-20',
      entries: [
        {
          entry: 'TAi.007',
          kind: 'person',
          names: ['ABDUL LATIF MANSUR WALI MOHAMMAD', 'عبد اللطيف منصور', 'Abdul Latif Mansoor'],
          weak: ['Commandant'],
          births: ['1968-05-25'],
          countries: ['Afghanistan', 'Pakistan'],
          programmes: ['Taliban'],
          wallets: [],
        },
        {
          entry: 'CDe.001',
          kind: 'organisation',
          names: ['ADF', 'Allied Democratic Forces & Co', 'NALU'],
          weak: [],
          births: [],
          countries: [],
          programmes: ['DRC'],
          wallets: [],
        },
      ],
    })
  })

  test('has people with one name, and elements that are empty', async () => {
    expect(await oneOf({ names: ['OMAR', '', ''], aliases: [['', '']], nationalities: [''] })).toMatchObject({
      names: ['OMAR'],
      weak: [],
      births: [],
      countries: [],
    })
  })

  test('gives each name of an alias that has several', async () => {
    const aliases: UnEntry['aliases'] = [
      ['Good', 'Fazel Rahim; Fazil Rahim'],
      ['Low', 'Haj Qasem; Haji Qassem;'],
      ['Good', 'أبو شيماء (Abu-Shaima; Abu- Shayma)'],
    ]
    expect(await oneOf({ aliases })).toMatchObject({
      names: ['OMAR', 'Fazel Rahim', 'Fazil Rahim', 'أبو شيماء (Abu-Shaima; Abu- Shayma)'],
      weak: ['Haj Qasem', 'Haji Qassem'],
    })
  })

  test.each<[string, Record<string, string>, string[]]>([
    ['a day', { TYPE_OF_DATE: 'EXACT', DATE: '1965-12-28' }, ['1965-12-28']],
    ['a day with a time zone', { TYPE_OF_DATE: 'EXACT', DATE: '1958-01-01-05:00' }, ['1958-01-01']],
    ['a year', { TYPE_OF_DATE: 'EXACT', YEAR: '1971' }, ['1971']],
    ['about a year', { TYPE_OF_DATE: 'APPROXIMATELY', YEAR: '1968' }, ['circa 1968']],
    ['a range', { TYPE_OF_DATE: 'BETWEEN', FROM_YEAR: '1973', TO_YEAR: '1974' }, ['between 1973 and 1974']],
    ['a note', { TYPE_OF_DATE: 'EXACT', NOTE: 'Nov. 1973 ' }, ['Nov. 1973']],
    ['a year with a note', { TYPE_OF_DATE: 'EXACT', NOTE: 'Sep.', YEAR: '1958' }, ['1958']],
    ['nothing', { TYPE_OF_DATE: '' }, []],
  ])('states a birth by %s', async (_, birth, births) => {
    expect(await oneOf({ births: [birth] })).toMatchObject({ births })
  })

  test('states several births, also those of other identities', async () => {
    const births: UnEntry['births'] = [{ YEAR: '1971' }, { TYPE_OF_DATE: '' }, { DATE: '1972-02-29' }]
    const text = unXml([{ reference: 'QDi.001', names: ['OMAR'], births }]).replace(
      '<ALIAS_NAME/>',
      '<ALIAS_NAME>Karim</ALIAS_NAME><DATE_OF_BIRTH>1968-05-25</DATE_OF_BIRTH>',
    )
    const { entries } = await readUn(inPieces(text))
    expect(entries).toMatchObject([{ births: ['1971', '1972-02-29', '1968-05-25'] }])
  })

  test('is found under weak names if it has no others', async () => {
    expect(await oneOf({ names: [], aliases: [['Low', 'Abu Ali']] })).toMatchObject({
      names: ['Abu Ali'],
      weak: [],
    })
  })

  const text = unXml([{ reference: 'QDi.001', names: ['OMAR'] }])
  test.each([
    ['cut off', text.slice(0, -300), 'not well-formed'],
    ['without its second part', text.replace(/<ENTITIES>[\s\S]*<\/ENTITIES>/, ''), 'it has no <ENTITIES>'],
    ['with another part', text.replace('<ENTITIES>', '<VESSELS/><ENTITIES>'), 'CONSOLIDATED_LIST/VESSELS'],
    ['of another kind', '<sdnList/>', 'its root is <sdnList>, not <CONSOLIDATED_LIST>'],
    ['without entries', unXml([]), 'has no entries'],
    ['without a day', text.replace(/dateGenerated="[^"]*"/, ''), 'does not state the day'],
    ['of a day that no month has', text.replace('2026-11-20T', '2026-11-31T'), 'does not state the day'],
    ['of a day with more digits', text.replace('2026-11-20T', '2026-11-201T'), 'does not state the day'],
    ['without a number', text.replace('QDi.001', ''), 'The entry of OMAR has no number'],
    ['without a name', text.replace('OMAR', ' '), 'Entry QDi.001 of the file has no name'],
  ])('%s is refused', async (_, broken, words) => {
    await expect(readUn(inPieces(broken))).rejects.toThrow(words)
  })
})
