import { describe, expect, test } from 'vitest'
import { inPieces, sdnXml } from '#test/support/sanctions.ts'
import { readSdn } from './sdn.ts'

const bitcoin = '149w62rY42aZBox8fGcmqNsXUzSStKeq8C'
const ether = '0x7F367cC41522cE07553e823bf3be79A889DEbe1B'
const entries = [
  { uid: 306, last: 'BANCO NACIONAL DE CUBA' },
  { uid: 25308, first: 'Ali', last: 'KHORASHADIZADEH', wallets: [['XBT', bitcoin]] },
  {
    uid: 26991,
    last: 'R&amp;D Čapek',
    wallets: [
      ['ETH', ether],
      ['USDT', ether],
    ],
  },
] satisfies Parameters<typeof sdnXml>[0]

describe('OFAC’s SDN.XML', () => {
  test.each([1, 7, 100_000])('is read in pieces of %i bytes', async size => {
    expect(await readSdn(inPieces(sdnXml(entries), size))).toEqual({
      publishedOn: '2026-11-20',
      entries: 3,
      wallets: [
        { address: bitcoin, entry: '25308', name: 'Ali KHORASHADIZADEH' },
        { address: ether, entry: '26991', name: 'R&D Čapek' },
        { address: ether, entry: '26991', name: 'R&D Čapek' },
      ],
    })
  })

  test.each([
    ['cut off', sdnXml(entries).slice(0, -400), 'not well-formed'],
    ['with fewer entries than it states', sdnXml(entries, { count: 4 }), 'has 3 entries, but states 4'],
    ['of another kind', '<CONSOLIDATED_LIST></CONSOLIDATED_LIST>', 'its root is <CONSOLIDATED_LIST>'],
    ['that is no XML', 'uid,name\n306,BANCO', 'not well-formed'],
    ['that is empty', '', 'has 0 entries, but states none'],
    ['without a day', sdnXml(entries, { day: 'yesterday' }), 'does not state the day'],
    ['of a day that no month has', sdnXml(entries, { day: '02/30/2026' }), 'does not state the day'],
    ['with an entity of HTML', sdnXml([{ uid: 1, last: 'Caf&eacute;' }]), 'not well-formed'],
    ['with an address that is empty', sdnXml([{ uid: 1, last: 'X', wallets: [['XBT', '']] }]), 'Entry 1'],
    [
      'that expands entities',
      `<!DOCTYPE sdnList [<!ENTITY a "b">]>${sdnXml([{ uid: 1, last: '&a;' }]).replace(/^<\?.*\n/, '')}`,
      'not well-formed',
    ],
  ])('%s is refused', async (_, text, words) => {
    await expect(readSdn(inPieces(text))).rejects.toThrow(words)
  })

  test('that is not in UTF-8 is refused', async () => {
    const content = (async function* () {
      yield Buffer.from([0xff, 0xfe, 0x3c])
    })()
    await expect(readSdn(content)).rejects.toThrow('not text in UTF-8')
  })
})
