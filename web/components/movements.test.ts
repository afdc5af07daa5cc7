import { expect, test } from 'vitest'
import type { StatementLine } from '#shared/contract/entities.ts'
import { type Movement, movementsOf } from './movements.ts'

type Posted = [id: number, transaction: string, account: StatementLine['account'], usd: number, after: number]

function posted([id, transaction, account, amount, balance]: Posted): StatementLine {
  return {
    _id: String(id),
    transaction,
    account,
    amount,
    balance,
    at: '2026-11-21T00:00:00.000Z',
    event: 'withdrawal.requested',
    description: 'Held for a withdrawal',
    kind: 'withdrawal',
    reference: 'w1',
    invoiceId: 'WDR-2026-000001',
    note: null,
  }
}

const shown = (movements: Movement[]) =>
  movements.map(({ changes, isTransfer, postings }) => [
    changes.map(({ account, amount, balance }) => `${account} ${amount} ${balance}`),
    isTransfer,
    postings.length,
  ])

const held: Posted[] = [
  [12, 'b', 'held', 40, 40],
  [11, 'b', 'available', -40, 60],
  [10, 'a', 'available', 100, 100],
]

test.each([
  ['newest first', (lines: StatementLine[]) => lines, [0, 1]],
  ['oldest first', (lines: StatementLine[]) => lines.toReversed(), [1, 0]],
])('[D-24] folds a hold into one movement, %s', (_, order, places) => {
  const expected = [
    [['available -4000 6000', 'held 4000 4000'], true, 2],
    [['available 10000 10000'], false, 1],
  ]
  expect(shown(movementsOf(order(held.map(posted))))).toEqual(places.map(place => expected[place]))
})

test('[D-24] a payment that is invested at once shows where the money went', () => {
  const lines = [
    [3, 'a', 'invested', 500, 700],
    [2, 'a', 'available', -500, 20],
    [1, 'a', 'available', 500, 520],
  ] satisfies Posted[]
  expect(shown(movementsOf(lines.map(posted)))).toEqual([[['invested 50000 70000'], false, 3]])
  const [invested, ...available] = lines
  expect(shown(movementsOf(available.map(posted)))).toEqual([
    [['available -50000 2000'], false, 1],
    [['available 50000 52000'], false, 1],
  ])
  expect(invested![2]).toBe('invested')
})

test('[D-24] a release that repays a debt is no transfer', () => {
  const lines = [
    [3, 'a', 'available', -30, 70],
    [2, 'a', 'available', 100, 100],
    [1, 'a', 'held', -100, 0],
  ] satisfies Posted[]
  expect(shown(movementsOf(lines.map(posted)))).toEqual([
    [['held -10000 0', 'available 7000 7000'], false, 3],
  ])
})
