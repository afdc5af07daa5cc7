import { expect, test } from 'vitest'
import { tronAddress } from './addresses.ts'
import { type TronBatch, tronPayoutFile } from './payouts.ts'
import { tronTransfer } from './transaction.ts'

const contract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const to = 'TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCX'
const from = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7'
const batch: TronBatch = {
  id: 'b2',
  createdAt: new Date('2026-11-21T10:00:00Z'),
  expiresAt: new Date('2026-11-22T06:00:00Z'),
  block: { height: 66_987_565, hash: '0000000003fe262d2c5c36c5fea2de8a1731d6450e11a03fe091eedd1896b31d' },
  network: 'TRON (TRC-20)',
  contract,
  payouts: [{ reference: 'w3', from, to, token: 'USDT', units: 100_500_001n }],
}

test('a USDT batch is a file of whole transactions that signing again does not change', () => {
  const file = tronPayoutFile(batch)
  expect(file).toMatchObject({
    format: 'probity-tron-payouts',
    version: 2,
    network: 'TRON (TRC-20)',
    expiresAt: '2026-11-22T06:00:00.000Z',
  })
  expect(file.transfers).toMatchObject([
    {
      reference: 'w3',
      contract,
      from,
      to,
      amount: '100500001',
      pays: { recipient: to, amount: '100.500001', token: 'USDT' },
      transaction: {
        visible: false,
        raw_data: {
          contract: [
            {
              // transfer(address,uint256), the 20 bytes of the address and 100500001, each in a word of 32.
              parameter: {
                value: {
                  data: 'a9059cbb'
                    .concat('00000000000000000000000096bb8957ad294a8920ced289a5ac85872cee8b23')
                    .concat('0000000000000000000000000000000000000000000000000000000005fd8221'),
                },
              },
            },
          ],
          ref_block_bytes: '262d',
          ref_block_hash: '2c5c36c5fea2de8a',
          expiration: batch.expiresAt.getTime(),
          timestamp: batch.createdAt.getTime(),
        },
      },
    },
  ])
  expect(tronPayoutFile(batch)).toEqual(file)
})

test('a transaction has the bytes and the id that a node makes of the same', () => {
  // Created by wallet/triggersmartcontract of a node of the Shasta test network.
  const of = (hash: string) => tronAddress(Buffer.from(hash, 'hex'))
  const made = tronTransfer({
    from: of('c8599111f29c1e1e061265b4af93ea1f274ad78a'),
    contract: of('42a1e39aefa49290f2b3f9ed688d7cecf86cd6e0'),
    to: of('b6e708a39781c96bd399c7657780ff9fe9f052a8'),
    units: 0x12d687n,
    reference: { height: 0x3_e5e0, hash: `000000000003e5e02c5c36c5fea2de8a${'0'.repeat(32)}` },
    expiresAt: new Date(1_788_506_022_000),
    createdAt: new Date(1_788_505_964_581),
  })
  expect(made.raw_data_hex).toBe(
    '0a02e5e022082c5c36c5fea2de8a40f0c090da86345aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f63'.concat(
      '6f6c2e54726967676572536d617274436f6e747261637412740a1541c8599111f29c1e1e061265b4af93ea1f274ad78a12154142a1e39aefa4',
      '9290f2b3f9ed688d7cecf86cd6e02244a9059cbb000000000000000000000000b6e708a39781c96bd399c7657780ff9fe9f052a80000000000',
      '00000000000000000000000000000000000000000000000012d68770a5808dda8634900180c2d72f',
    ),
  )
  expect(made.txID).toBe('e100b697f91c4c5067ffdbc5fdcc46bdd7f3eae4cf2aba61841b120766fa370c')
})

test('no file is made for a mistyped address, for zero, or without a block', () => {
  const [payout] = batch.payouts
  for (const wrong of [
    { ...batch, payouts: [{ ...payout!, to: 'TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCY' }] },
    { ...batch, payouts: [{ ...payout!, units: 0n }] },
    { ...batch, payouts: [{ ...payout!, from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }] },
    { ...batch, block: { height: 1, hash: 'hash' } },
  ])
    expect(() => tronPayoutFile(wrong)).toThrow(RangeError)
})
