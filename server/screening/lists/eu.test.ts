import { describe, expect, test } from 'vitest'
import { type EuEntry, euXml, inPieces } from '#test/support/sanctions.ts'
import { readEu } from './eu.ts'

const read = (entries: readonly EuEntry[]) => readEu(inPieces(euXml(entries)))
const oneOf = async (entry: Partial<EuEntry>) =>
  (await read([{ reference: 'EU.27.28', logicalId: 13, names: [{ whole: 'Saddam Hussein' }], ...entry }]))
    .entries[0]

describe('the EU’s list of financial sanctions', () => {
  test('gives people and organisations with their names, births and countries', async () => {
    const person: EuEntry = {
      reference: 'EU.27.28',
      logicalId: 13,
      programme: 'IRQ',
      names: [
        { first: 'Saddam', last: 'Hussein Al-Tikriti', whole: 'Saddam Hussein Al-Tikriti' },
        { whole: 'Abu Ali', strong: false },
        { first: 'Saddam', middle: 'al-Majid', last: 'Hussein' },
        { whole: 'Садам Хюсеин' },
      ],
      births: [{ birthdate: '1937-04-28', dayOfMonth: '28', monthOfYear: '4', year: '1937' }],
      citizenships: ['IRAQ', 'UNKNOWN', 'IRAQ'],
    }
    const organisation: EuEntry = {
      reference: 'EU.3523.13',
      logicalId: 207,
      kind: 'enterprise',
      programme: 'TERR',
      names: [{ whole: 'R&amp;D' }, { whole: 'R&amp;D' }],
    }
    expect(await read([person, organisation])).toEqual({
      publishedOn: '2026-11-20',
      entries: [
        {
          entry: 'EU.27.28',
          kind: 'person',
          names: ['Saddam Hussein Al-Tikriti', 'Saddam al-Majid Hussein', 'Садам Хюсеин'],
          weak: ['Abu Ali'],
          births: ['1937-04-28'],
          countries: ['IRAQ'],
          programmes: ['IRQ'],
          wallets: [],
        },
        {
          entry: 'EU.3523.13',
          kind: 'organisation',
          names: ['R&D'],
          weak: [],
          births: [],
          countries: [],
          programmes: ['TERR'],
          wallets: [],
        },
      ],
    })
  })

  test('has entries with a logical number only, and people with one name', async () => {
    const entry = { reference: undefined, logicalId: 207, names: [{ last: 'Omar' }] }
    expect(await oneOf(entry)).toMatchObject({ entry: '207', names: ['Omar'] })
    expect(await oneOf({ ...entry, reference: '' })).toMatchObject({ entry: '207' })
  })

  test.each<[string, Record<string, string>, string[]]>([
    ['a day', { birthdate: '1960-04-10', dayOfMonth: '10', monthOfYear: '4', year: '1960' }, ['1960-04-10']],
    ['about a day', { circa: 'true', birthdate: '1960-04-10', year: '1960' }, ['circa 1960-04-10']],
    ['a year', { year: '1961' }, ['1961']],
    ['about a year', { circa: 'true', year: '1961' }, ['circa 1961']],
    ['a month', { monthOfYear: '8', year: '1961' }, ['Aug 1961']],
    ['a month that no year has', { monthOfYear: '13', year: '1961' }, ['1961-13']],
    ['a month without a year', { monthOfYear: '8' }, []],
    ['a range', { yearRangeFrom: '1953', yearRangeTo: '1958' }, ['between 1953 and 1958']],
    ['an open range', { yearRangeTo: '1980' }, ['1980 or earlier']],
    ['a later year', { yearRangeFrom: '1980' }, ['1980 or later']],
    ['another calendar', { calendarType: 'ISLAMIC', monthOfYear: '3', year: '1343' }, ['1343-03 (ISLAMIC)']],
    ['nothing', {}, []],
  ])('states a birth by %s', async (_, birth, births) => {
    expect(await oneOf({ births: [birth] })).toMatchObject({ births })
  })

  test('states several births', async () => {
    const births: EuEntry['births'] = [{ year: '1961' }, {}, { birthdate: '1960-04-10' }, { year: '1961' }]
    expect(await oneOf({ births })).toMatchObject({ births: ['1961', '1960-04-10'] })
  })

  const text = euXml([{ reference: 'EU.1.2', logicalId: 1, names: [{ whole: 'Omar' }] }])
  test.each([
    ['cut off', text.slice(0, -100), 'not well-formed'],
    ['of another kind', '<sdnList/>', 'its root is <sdnList>, not <export>'],
    ['of another namespace', text.replace('fsd/export"', 'other"'), 'it is not in http://eu.europa.ec/'],
    ['with another part', text.replaceAll('sanctionEntity', 'entity'), 'export/entity'],
    ['without entries', euXml([]), 'has no entries'],
    ['without a day', text.replace(/generationDate="[^"]*"/, ''), 'does not state the day'],
    ['of a day that no month has', text.replace('2026-11-20T', '2026-11-31T'), 'does not state the day'],
    ['of an unknown type', text.replace('Code="P"', 'Code="V"'), 'Entry EU.1.2 of the file is of an unknown'],
    ['without a type', text.replace(/<subjectType.*>/, ''), 'Entry EU.1.2 of the file is of an unknown'],
    ['without a number', text.replace(/euRef\S* logicalId="1"/, ''), 'The entry of Omar has no number'],
    ['without a name', text.replace('Omar', ''), 'Entry EU.1.2 of the file has no name'],
  ])('%s is refused', async (_, broken, words) => {
    await expect(readEu(inPieces(broken))).rejects.toThrow(words)
  })
})
