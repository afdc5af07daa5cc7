import fc from 'fast-check'
import { depositMethods, investmentMethods } from '#shared/coins.ts'
import { type BulkAsk, isBulk } from './calls.ts'
import { type Amount, type Ask, type PlanName, plans, type Request, type State } from './model/state.ts'

/** The next steps, drawn by fast-check; `pick` chooses among existing records, newest first. */
export type Step =
  | { do: 'nothing' }
  | { do: 'request'; draft: Draft }
  | { do: 'race'; drafts: [Draft, Draft] }
  /** One act on several records in one call. */
  | { do: 'bulk'; draft: Draft; picks: number[] }
  /** One request twice at once, under one key. */
  | { do: 'twice'; draft: Draft }
  /** An earlier request again under its key, as it was or changed. */
  | { do: 'again'; pick: number; changed: boolean }
  | { do: 'pass'; minutes: number; prices: boolean }
  | { do: 'expire' }
  /** The product restarts with the other setting of the second approval. */
  | { do: 'restart' }

type Draft = { of: Ask['do']; by: number; key: number | null; pick: number; amount: Amount } & Choices
type Choices = {
  wild: boolean
  method: number
  plan: PlanName
  user: number
  named: boolean
  without: boolean
  month: number
  reason: string
}

/** Two admins, the second of whom also invests, and two investors. */
const admins = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(0, 1) },
  { weight: 1, arbitrary: fc.constantFrom(2, 3) },
)
const investors = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(2, 3) },
  { weight: 1, arbitrary: fc.constant(1) },
)

const cents = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((n): Amount => ({ json: n / 100, cents: BigInt(n) }))
const amounts: Record<
  'deposit' | 'investment' | 'withdrawal' | 'return' | 'earning',
  fc.Arbitrary<Amount>
> = {
  deposit: fc.oneof(
    cents(10_000, 300_000),
    cents(10_000, 300_000),
    cents(2_000_000, 5_000_000),
    cents(1, 9_999),
  ),
  investment: fc.oneof(cents(10_000, 99_900), cents(50_000, 199_900), cents(2_000_000, 3_000_000)),
  withdrawal: fc.oneof(cents(1, 50_000), cents(900_000, 1_200_000)),
  return: fc.oneof(cents(1, 60_000), cents(1, 60_000), cents(500_000, 1_200_000)),
  earning: cents(1, 30_000),
}
const noAmount = fc
  .constantFrom(0, -1, -0.01, 0.001, 100.005, 1e10, 1e21)
  .map((json): Amount => ({ json, cents: null }))

const kinds: readonly (readonly [of: Ask['do'], weight: number])[] = [
  ['deposit.new', 4],
  ['deposit.approve', 6],
  ['deposit.decline', 2],
  ['deposit.cancel', 2],
  ['investment.new', 6],
  ['investment.approve', 5],
  ['investment.decline', 3],
  ['investment.cancel', 2],
  ['investment.close', 4],
  ['investment.reinvest', 4],
  ['withdrawal.new', 4],
  ['withdrawal.approve', 6],
  ['withdrawal.decline', 2],
  ['withdrawal.cancel', 2],
  ['withdrawal.paid', 5],
  ['return.new', 2],
  ['return.approve', 2],
  ['return.decline', 1],
  ['return.proposeVoid', 2],
  ['return.void', 2],
  ['return.rejectVoid', 2],
  ['earning.add', 7],
  ['earning.approve', 4],
  ['earning.decline', 3],
]

/** The kind of record of a request, and the states in which it is possible. */
const targets = {
  'deposit.approve': ['deposits', ['pending', 'unpaid', 'declined']],
  'deposit.decline': ['deposits', ['pending']],
  'deposit.cancel': ['deposits', ['pending']],
  'investment.approve': ['investments', ['pending']],
  'investment.decline': ['investments', ['pending']],
  'investment.cancel': ['investments', ['pending']],
  'investment.close': ['investments', ['active']],
  'investment.reinvest': ['investments', ['active']],
  'withdrawal.approve': ['withdrawals', ['pending']],
  'withdrawal.decline': ['withdrawals', ['pending']],
  'withdrawal.cancel': ['withdrawals', ['pending']],
  'withdrawal.paid': ['withdrawals', ['approved']],
  'return.approve': ['returns', ['pending']],
  'return.decline': ['returns', ['pending']],
  'return.proposeVoid': ['returns', ['recorded']],
  'return.void': ['returns', ['void_proposed']],
  'return.rejectVoid': ['returns', ['void_proposed']],
  'earning.approve': ['earnings', ['pending']],
  'earning.decline': ['earnings', ['pending']],
} as const
type Act = keyof typeof targets

function isAct(of: Ask['do']): of is Act {
  return of in targets
}

function draftOf(of: Ask['do']): fc.Arbitrary<Draft> {
  const subject = of.split('.')[0] as keyof typeof amounts
  const asInvestor =
    of.endsWith('.cancel') || of === 'investment.reinvest' || (of.endsWith('.new') && of !== 'return.new')
  return fc.record({
    of: fc.constant(of),
    by: asInvestor ? investors : admins,
    key: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(20) }),
    // The newest are chosen most.
    pick: fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(40) }),
    amount: fc.oneof({ weight: 15, arbitrary: amounts[subject] }, { weight: 1, arbitrary: noAmount }),
    wild: fc.constantFrom(false, false, false, true),
    method: fc.constantFrom(0, 1, 2, 2),
    plan: fc.constantFrom(...(Object.keys(plans) as PlanName[])),
    user: fc.nat(3),
    named: fc.boolean(),
    without: fc.boolean(),
    month: fc.integer({ min: 1, max: 9 }),
    reason: fc.oneof(
      { weight: 9, arbitrary: fc.constant('Not this time') },
      { weight: 1, arbitrary: fc.constant(' ') },
    ),
  })
}

const draft = fc.oneof(...kinds.map(([of, weight]) => ({ weight, arbitrary: draftOf(of) })))

/** Two decisions about one record. */
const contests = (['deposit', 'investment', 'withdrawal', 'return', 'earning'] as const).map(subject => {
  const act = fc.oneof(...kinds.flatMap(([of]) => (of.startsWith(subject) && isAct(of) ? [draftOf(of)] : [])))
  return fc.tuple(act, act).map(([one, other]): [Draft, Draft] => [one, { ...other, pick: one.pick }])
})
const rivals = fc.oneof(fc.tuple(draft, draft), ...contests)
const hours = fc.constantFrom(10, 60, 24 * 60)
const days = fc.integer({ min: 1, max: 40 }).map(n => n * 24 * 60)

export const step: fc.Arbitrary<Step> = fc.oneof(
  // Shrinking a failing list ends with the first one.
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant({ do: 'nothing' } as const) },
  { weight: 50, arbitrary: fc.record({ do: fc.constant('request' as const), draft }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('race' as const), drafts: rivals }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('bulk' as const),
      draft: fc.oneof(...kinds.flatMap(([of]) => (isBulk(of) ? [draftOf(of)] : []))),
      picks: fc.array(fc.nat(6), { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('twice' as const), draft }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('again' as const), pick: fc.nat(20), changed: fc.boolean() }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      minutes: fc.oneof(hours, days),
      prices: fc.oneof(
        { weight: 3, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: fc.constant(false) },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'expire' } as const) },
  { weight: 2, arbitrary: fc.constant({ do: 'restart' } as const) },
)

/** An id of no record. */
const nobodys = '019aa000-0000-7000-8000-000000000000'

/** What must exist before it can be decided. */
const beginnings = {
  deposits: 'deposit.new',
  investments: 'investment.new',
  withdrawals: 'withdrawal.new',
  returns: 'return.new',
  earnings: 'earning.add',
} as const

/** The request of a draft in this state. Every fourth is wild: it may be impossible. */
export function requestOf(state: State, draft: Draft): Request {
  const { wild } = draft
  const key = draft.key === null ? null : `key-${draft.key}`
  const { of, by } = draft
  if (!isAct(of)) return { by, key, ask: beginning(state, { ...draft, of }) }
  const [table] = targets[of]
  if (state[table].size > 0 || wild) return { by, key, ask: act(state, { ...draft, of }) }
  const first = beginnings[table]
  const from = first === 'earning.add' || first === 'return.new' ? by : 2 + (draft.pick % 2)
  return { by: from, key, ask: beginning(state, { ...draft, of: first, by: from }) }
}

/** The requests of a bulk call: each record once, as it was requested, with the reason of all. */
export function bulkOf(state: State, draft: Draft, picks: readonly number[]): BulkAsk[] {
  const asks = new Map<string, BulkAsk>()
  for (const pick of [draft.pick, ...picks]) {
    const { ask } = requestOf(state, { ...draft, pick, key: null })
    if (ask.do !== draft.of || !('id' in ask)) continue
    const {
      received: _,
      arrivedAt: __,
      ...plain
    } = ask as BulkAsk & { received?: bigint; arrivedAt?: string }
    asks.set(ask.id, plain)
  }
  return [...asks.values()]
}

const withReason = /\.(decline|proposeVoid|rejectVoid)$/

function act(state: State, draft: Draft & { of: Act }): Ask {
  const { of, pick, reason, wild } = draft
  const id = target(state, of, pick, wild)
  if (of === 'deposit.approve') return { do: of, id, ...arrivedOf(state.deposits.get(id), draft) }
  if (of === 'investment.approve') {
    const { deposit } = state.investments.get(id) ?? { deposit: null }
    return { do: of, id, ...arrivedOf(state.deposits.get(deposit ?? ''), draft) }
  }
  if (of === 'withdrawal.paid') return { do: of, id, transactionId: id.replaceAll('-', '').padStart(64, '0') }
  return withReason.test(of) ? ({ do: of, id, reason } as Ask) : ({ do: of, id } as Ask)
}

type Payment = { cents: bigint; method: string; createdAt: string } | undefined

/** Every other payment states its arrival, and every other one in usdt another amount than requested. */
function arrivedOf(payment: Payment, { named, month, without }: Draft) {
  if (!payment) return {}
  return {
    ...(without ? { arrivedAt: payment.createdAt } : {}),
    ...(payment.method !== 'usdt' || named
      ? {}
      : { received: (payment.cents * BigInt(80 + 5 * month)) / 100n }),
  }
}

function target(state: State, of: Act, pick: number, wild: boolean): string {
  const [table, possible] = targets[of]
  const newestFirst = [...state[table]].toReversed()
  const fit = newestFirst.filter(([, { status }]) => (possible as readonly string[]).includes(status))
  const among = wild || fit.length === 0 ? newestFirst : fit
  return among[pick % Math.max(1, among.length)]?.[0] ?? nobodys
}

type Beginning = Exclude<Ask['do'], Act>

function beginning(state: State, draft: Draft & { of: Beginning }): Ask {
  const { of, amount, plan } = draft
  const { available } = state.people[draft.by]!
  switch (of) {
    case 'deposit.new':
      return { do: of, amount, method: depositMethods[draft.method]! }
    case 'investment.new':
      return { do: of, amount: within(draft, plans[plan]), method: investmentMethods[draft.method]!, plan }
    case 'withdrawal.new':
      return { do: of, amount: within(draft, { from: 1n, to: available }) }
    case 'return.new':
      return { do: of, amount, realisedAt: `2026-0${draft.month}-11`, source: `Sale ${draft.month}` }
    case 'earning.add':
      return { do: of, ...earningOf(state, draft) }
  }
}

function within(
  { amount, wild }: { amount: Amount; wild: boolean },
  range: { from: bigint; to: bigint },
): Amount {
  if (amount.cents === null || wild || range.to < range.from) return amount
  let { cents } = amount
  if (cents < range.from) cents = range.from
  if (cents > range.to) cents = range.to
  return { json: Number(cents) / 100, cents }
}

function earningOf(state: State, { user, without, named, amount, pick, wild }: Draft) {
  const active = [...state.investments].filter(([, { status }]) => status === 'active')
  const [id, investment] = active.toReversed()[pick % Math.max(1, active.length)] ?? []
  return {
    user: investment && !wild ? investment.owner : state.people[user]!.id,
    amount: without ? null : amount,
    investment: named && id ? id : null,
  }
}

/** The same key with another request. */
export function changed({ ask, by, key }: Request): Request {
  const other = { json: 123.45, cents: 12_345n }
  if ('amount' in ask) return { by, key, ask: { ...ask, amount: other } as Ask }
  if ('reason' in ask) return { by, key, ask: { ...ask, reason: 'For another reason' } }
  return { by, key, ask: { ...ask, id: nobodys } }
}

const dollars = (json: number): Amount => ({ json, cents: BigInt(json * 100) })
const invest = { do: 'investment.new', method: 'balance', plan: 'Basic' } as const

/** The start of every run, so that there is something to work with; its requests are approved before the next step. */
export const opening: readonly Request[] = [
  {
    by: 0,
    key: null,
    ask: { do: 'return.new', amount: dollars(400), realisedAt: '2026-01-31', source: 'Rent' },
  },
  { by: 2, key: null, ask: { do: 'deposit.new', amount: dollars(30_000), method: 'usdt' } },
  { by: 3, key: null, ask: { do: 'deposit.new', amount: dollars(1_500), method: 'bitcoin' } },
  { by: 2, key: null, ask: { ...invest, amount: dollars(999) } },
  { by: 3, key: null, ask: { ...invest, amount: dollars(250) } },
]

/** The approvals of everything that is pending. */
export function approvals({ deposits, investments }: State): Request[] {
  const of = (table: Map<string, { status: string }>, act: 'deposit.approve' | 'investment.approve') =>
    [...table]
      .filter(([, { status }]) => status === 'pending')
      .map(([id]): Request => ({ by: 0, key: null, ask: { do: act, id } }))
  return [...of(deposits, 'deposit.approve'), ...of(investments, 'investment.approve')]
}
