import { isValidElement } from 'react'
import { expect, test } from 'vitest'
import type { Deposit } from '#shared/contract/entities.ts'
import { creditMoves, depositActions } from './actions.tsx'

/** The texts and requests of a deposit's dialogs. */

const waiting: Deposit = {
  _id: '0a0a0a0a-0000-4000-8000-000000000001',
  invoiceId: 'DEP-2026-000012',
  user: '0a0a0a0a-0000-4000-8000-000000000002',
  userName: 'Ines Investor',
  amount: 20_000,
  method: 'bitcoin',
  status: 'pending',
  label: '',
  stage: 'underpaid',
  confirmations: { have: 2, needed: 2 },
  seen: '0.15000000',
  watched: true,
  missing: '0.05000000',
  missingUri: 'bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.05000000',
  canCredit: true,
  canCancel: false,
  cancelled: false,
  flags: [],
  wrongAssetTransfers: 0,
  debt: 0,
  investment: null,
  payment: {
    asset: 'BTC',
    network: 'Bitcoin',
    address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    amountCrypto: '0.20000000',
    rate: '100,000.00',
    rateAt: '2026-11-22T08:00:00.000Z',
    rateSource: 'Median of three sources',
    expiresAt: '2026-11-22T08:15:00.000Z',
    uri: 'bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.2',
  },
  credited: null,
  deviation: null,
  received: null,
  arrivedAt: null,
  arrivalRate: null,
  arrivalRateSource: null,
  transactionId: null,
  needsReview: false,
  declineReason: null,
  createdAt: '2026-11-22T08:00:00.000Z',
  settledAt: null,
}
const large: Deposit = { ...waiting, canCredit: false, flags: ['large'], needsReview: true }
const rateless: Deposit = { ...large, flags: ['rate_missing'] }

type Dialog = {
  title: string
  description: string
  input: (values: Record<string, string>) => { params: object; body: object }
}

/** The dialog that an action opens. */
function dialogOf(deposit: Deposit, label: string): Dialog {
  const dialog = depositActions(deposit)
    .find(action => action.label === label)
    ?.dialog(() => {})
  if (!isValidElement<Dialog>(dialog)) throw new Error(`there is no dialog of ${label}`)
  return dialog.props
}

test('[C-14, N-06] a credit sends the amount that its page showed', () => {
  const body = { seen: '0.15000000' }
  expect(dialogOf(waiting, 'Credit').input({})).toEqual({ params: { id: waiting._id }, body })
  expect(dialogOf(large, 'Credit').input({})).toEqual({ params: { id: waiting._id }, body })
  const enteredRate = { rate: '50,000', rateSource: ' Two exchanges ' }
  expect(dialogOf(rateless, 'Credit').input(enteredRate).body).toEqual({
    rate: '50000',
    rateSource: 'Two exchanges',
    ...body,
  })
})

test('[C-14] a credit on one word alone asks for a comparison first', () => {
  for (const deposit of [large, rateless])
    expect(dialogOf(deposit, 'Credit').description).toContain('Compare it with an independent explorer')
})

test('[N-06] reviewing an uncredited payment says that it stays uncredited', () => {
  for (const deposit of [large, rateless])
    expect(dialogOf(deposit, 'Mark reviewed').title).toBe('Leave this payment uncredited?')
  const short: Deposit = {
    ...waiting,
    status: 'paid',
    deviation: 'underpaid',
    confirmations: null,
    needsReview: true,
  }
  expect(dialogOf(short, 'Mark reviewed').title).toBe('Mark this payment as reviewed?')
})

test('[D5] declining a payment that only staff can credit promises no credit', () => {
  for (const deposit of [large, rateless]) {
    const { description } = dialogOf(deposit, 'Decline')
    expect(description).not.toContain('is credited to the balance')
    expect(description).toContain('only staff can credit')
  }
  expect(dialogOf(waiting, 'Decline').description).toContain(
    'is credited to the balance even if you decline, a large one after a review',
  )
})

test('[N-06, N-12] a review sends the state that was shown', () => {
  const { input } = dialogOf({ ...large, wrongAssetTransfers: 2 }, 'Mark reviewed')
  expect(input({}).body).toEqual({
    status: 'pending',
    deviation: null,
    seen: '0.15000000',
    flags: ['large'],
    wrongAssetTransfers: 2,
  })
})

test('several are credited to the investment only while it waits and is covered', () => {
  const covered: Deposit = { ...large, missing: null, investment: waiting.user }
  expect(creditMoves(covered)).toBe('Kept for the investment')
  for (const other of [
    { ...covered, missing: waiting.missing },
    { ...covered, investment: null },
    { ...covered, status: 'unpaid' as const },
    { ...covered, status: 'paid' as const },
  ])
    expect(creditMoves(other)).toBe('To the available balance')
})
