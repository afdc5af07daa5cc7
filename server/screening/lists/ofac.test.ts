import { describe, expect, test } from 'vitest'
import { inPieces, type SdnEntry, sdnXml } from '#test/support/sanctions.ts'
import { readOfac } from './ofac.ts'

const bitcoin = '149w62rY42aZBox8fGcmqNsXUzSStKeq8C'
const ether = '0x7F367cC41522cE07553e823bf3be79A889DEbe1B'
const read = (entries: readonly SdnEntry[]) => readOfac(inPieces(sdnXml(entries)))
const oneOf = async (entry: SdnEntry) => (await read([entry])).entries[0]

describe('OFAC’s SDN.XML', () => {
  test('gives a person’s names, births, countries, programmes and wallets', async () => {
    const entry: SdnEntry = {
      uid: 25308,
      first: 'Ali',
      last: 'KHORASHADIZADEH',
      aliases: [
        ['strong', 'KHORASHADI ZADEH', 'Ali'],
        ['weak', 'Mastercashoon'],
        ['strong', 'IRANIAN EXCHANGER'],
      ],
      births: ['21 Sep 1979', 'circa 1980', '1981', 'Mar 1982', '1970 to 1972', '30 Feb 1970'],
      nationality: 'Iran',
      citizenship: 'Turkey',
      wallets: [['XBT', bitcoin]],
    }
    expect(await read([entry])).toEqual({
      publishedOn: '2026-11-20',
      entries: [
        {
          entry: '25308',
          kind: 'person',
          names: ['Ali KHORASHADIZADEH', 'Ali KHORASHADI ZADEH', 'IRANIAN EXCHANGER'],
          weak: ['Mastercashoon'],
          births: ['1979-09-21', 'circa 1980', '1981', 'Mar 1982', '1970 to 1972', '30 Feb 1970'],
          countries: ['Iran', 'Turkey'],
          programmes: ['CYBER2'],
          wallets: [bitcoin],
        },
      ],
    })
  })

  test.each([
    ['Individual', 'person'],
    ['Entity', 'organisation'],
    ['Vessel', 'vessel'],
    ['Aircraft', 'aircraft'],
  ] as const)('lists an %s as a kind of its own', async (type, kind) => {
    expect(await oneOf({ uid: 1, last: 'X', type })).toMatchObject({ kind, names: ['X'] })
  })

  test('names each name, country and wallet once', async () => {
    const aliases: SdnEntry['aliases'] = [
      ['strong', 'R&amp;D Čapek'],
      ['weak', 'R&amp;D Čapek'],
      ['weak', 'Weak'],
      ['weak', 'Weak'],
    ]
    const wallets: SdnEntry['wallets'] = [
      ['ETH', ether],
      ['USDT', ether],
    ]
    const entry = {
      uid: 26991,
      last: 'R&amp;D Čapek',
      aliases,
      wallets,
      nationality: 'Iran',
      citizenship: 'Iran',
    }
    expect(await oneOf(entry)).toMatchObject({
      names: ['R&D Čapek'],
      weak: ['Weak'],
      countries: ['Iran'],
      wallets: [ether],
    })
  })

  const entries: SdnEntry[] = [{ uid: 306, last: 'BANCO NACIONAL DE CUBA' }]
  test.each([
    ['cut off', sdnXml(entries).slice(0, -400), 'not well-formed'],
    ['cut off before its end', sdnXml(entries).replace('</sdnList>', ''), 'not well-formed'],
    ['with fewer entries than it states', sdnXml(entries, { count: 2 }), 'has 1 entries, but states 2'],
    ['that states no number', sdnXml(entries).replace(/<Record.*>/, ''), 'has 1 entries, but states none'],
    ['of another kind', '<CONSOLIDATED_LIST></CONSOLIDATED_LIST>', 'its root is <CONSOLIDATED_LIST>'],
    ['that is no XML', 'uid,name\n306,BANCO', 'not well-formed'],
    ['that is empty', '', 'it has no <sdnList>'],
    ['without entries', sdnXml([]), 'has no entries'],
    ['without a day', sdnXml(entries, { day: 'yesterday' }), 'does not state the day'],
    ['without any day', sdnXml(entries).replace(/<Publish_Date.*>/, ''), 'does not state the day'],
    ['of a day that no month has', sdnXml(entries, { day: '02/30/2026' }), 'does not state the day'],
    [
      'of an unknown type',
      sdnXml(entries).replace('>Entity<', '>Planet<'),
      'Entry 306 of the file is of an unknown',
    ],
    [
      'without a number',
      sdnXml(entries).replace('306', ' '),
      'entry of BANCO NACIONAL DE CUBA has no number',
    ],
    ['without a name', sdnXml([{ uid: 306, last: '' }]), 'Entry 306 of the file has no name'],
    [
      'with an empty address',
      sdnXml([{ uid: 1, last: 'X', wallets: [['XBT', '']] }]),
      'Entry 1 of the file has a wallet',
    ],
  ])('%s is refused', async (_, text, words) => {
    await expect(readOfac(inPieces(text))).rejects.toThrow(words)
  })
})
