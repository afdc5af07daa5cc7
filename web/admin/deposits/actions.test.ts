import { isValidElement } from 'react'
import { expect, test } from 'vitest'
import type { Deposit } from '#shared/contract/entities.ts'
import { depositActions } from './actions.tsx'

/** What the dialogs of a deposit say and send. */

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
  missing: '0.05000000',
  canCredit: true,
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

type Asked = {
  title: string
  description: string
  input: (values: Record<string, string>) => { params: object; body: object }
}

/** The dialog that a button opens. */
function asked(deposit: Deposit, label: string): Asked {
  const dialog = depositActions(deposit)
    .find(action => action.label === label)
    ?.dialog(() => {})
  if (!isValidElement<Asked>(dialog)) throw new Error(`there is no dialog of ${label}`)
  return dialog.props
}

test('[C-14, N-06] a credit says what its page has shown as seen, also of a large one and with a rate', () => {
  const body = { seen: '0.15000000' }
  expect(asked(waiting, 'Credit').input({})).toEqual({ params: { id: waiting._id }, body })
  expect(asked(large, 'Credit').input({})).toEqual({ params: { id: waiting._id }, body })
  const said = { rate: '50,000', rateSource: ' Two exchanges ' }
  expect(asked(rateless, 'Credit').input(said).body).toEqual({
    rate: '50000',
    rateSource: 'Two exchanges',
    ...body,
  })
})

test('[C-14] what is credited by a word alone is to be compared with another explorer first', () => {
  for (const deposit of [large, rateless])
    expect(asked(deposit, 'Credit').description).toContain('Compare it with another explorer of its network')
})

test('[N-06] marking as looked at what nobody has credited yet does not say that nothing is left to do', () => {
  for (const deposit of [large, rateless])
    expect(asked(deposit, 'Mark as looked at').title).toBe('Leave what came uncredited?')
  const short: Deposit = {
    ...waiting,
    status: 'paid',
    deviation: 'underpaid',
    confirmations: null,
    needsReview: true,
  }
  expect(asked(short, 'Mark as looked at').title).toBe('Nothing left to do about this payment?')
})

test('[D5] declining what waits for the firm does not promise that it is credited', () => {
  for (const deposit of [large, rateless]) {
    const { description } = asked(deposit, 'Decline')
    expect(description).not.toContain('is credited to the balance')
    expect(description).toContain('it waits for somebody of the firm to credit it')
  }
  expect(asked(waiting, 'Decline').description).toContain(
    'declined or not, that is credited to the balance, a large one once somebody of the firm has looked',
  )
})

test('[N-06, N-12] what is marked as looked at is sent as it was shown', () => {
  const { input } = asked({ ...large, wrongAssetTransfers: 2 }, 'Mark as looked at')
  expect(input({}).body).toEqual({
    status: 'pending',
    deviation: null,
    seen: '0.15000000',
    flags: ['large'],
    wrongAssetTransfers: 2,
  })
})
