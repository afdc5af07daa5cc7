import { expect, test } from 'vitest'
import { type TronBatch, tronPayoutFile } from './payouts.ts'

const contract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const to = 'TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCX'
const batch: TronBatch = {
  id: 'b2',
  createdAt: new Date('2026-11-21T10:00:00Z'),
  network: 'TRON (TRC-20)',
  from: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
  contract,
  payouts: [{ reference: 'w3', to, units: 100_500_001n }],
}

test('a batch of payments in USDT is a file of transfers, with what a node builds the transaction of', () => {
  const file = tronPayoutFile(batch)
  expect(file).toMatchObject({ format: 'probity-tron-payouts', version: 1, network: 'TRON (TRC-20)' })
  expect(file.transfers).toEqual([
    {
      reference: 'w3',
      contract,
      from: batch.from,
      to,
      amount: '100500001',
      function_selector: 'transfer(address,uint256)',
      // The 20 bytes of the address and 100500001, each in a word of 32.
      parameter: '00000000000000000000000096bb8957ad294a8920ced289a5ac85872cee8b23'.concat(
        '0000000000000000000000000000000000000000000000000000000005fd8221',
      ),
      pays: { recipient: to, amount: '100.500001', token: 'USDT' },
      uri: `tron:${to}?token=${contract}&amount=100.500001`,
    },
  ])
})

test('no file is made of an address with a typing error, or of nothing', () => {
  const [payout] = batch.payouts
  for (const wrong of [
    { ...batch, payouts: [{ ...payout!, to: 'TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCY' }] },
    { ...batch, payouts: [{ ...payout!, units: 0n }] },
    { ...batch, from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
  ])
    expect(() => tronPayoutFile(wrong)).toThrow(RangeError)
})
