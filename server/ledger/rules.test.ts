import { readFileSync } from 'node:fs'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { firm, firmKinds, investorKinds, ledgerEvents, type Posting } from './chart.ts'
import * as events from './events.ts'

type Rule = { event: string; from_kind: string; to_kind: string; hold: string | null }

let database: TestDatabase
let rules: Rule[]
beforeAll(async () => {
  database = await testDatabase()
  rules = (await database.app.query<Rule>('SELECT * FROM ledger.posting_rules')).rows
})

/** Every event that the product can post, with every kind of rounding. */
function everyPosting(): Posting[] {
  const userId = uuidv7()
  const of = { userId, actor: null, amountCents: 100n }
  const holdId = uuidv7()
  const payments = [
    { asset: 'BTC', receivedUnits: 10n },
    { asset: 'BTC', receivedUnits: 10n, exchangedUnits: 9n },
    { asset: 'ETH', receivedUnits: 10n, exchangedUnits: 11n },
  ] as const
  return [
    ...payments.flatMap(payment => [
      events.depositSettled({ ...of, depositId: uuidv7(), payment }),
      events.depositSettled({ ...of, depositId: uuidv7(), payment, repaidCents: 40n }),
      events.depositAdded({ ...of, depositId: uuidv7(), payment, repaidCents: 40n }),
      events.depositReversed({ ...of, depositId: uuidv7(), payment, takenCents: 40n }),
      events.investmentFunded({ ...of, investmentId: uuidv7(), payment, investedCents: 100n }),
    ]),
    events.debtRecovered({ ...of, depositId: uuidv7() }),
    events.investmentRequested({ ...of, investmentId: uuidv7() }),
    events.investmentApproved({ ...of, investmentId: uuidv7(), holdId }),
    events.investmentDeclined({ ...of, investmentId: uuidv7(), holdId }),
    events.investmentClosed({ ...of, investmentId: uuidv7() }),
    events.withdrawalRequested({ ...of, withdrawalId: uuidv7() }),
    events.withdrawalPaid({ ...of, withdrawalId: uuidv7(), holdId }),
    events.withdrawalDeclined({ ...of, withdrawalId: uuidv7(), holdId }),
    events.returnRecorded({ actor: null, returnId: uuidv7(), amountCents: 1n }),
    events.returnVoided({ actor: null, returnId: uuidv7(), amountCents: 1n }),
    events.earningPaid({ ...of, earningId: uuidv7() }),
  ]
}

/** Every kind of account that money on this one can reach, by any number of postings. */
function reachableFrom(kind: string, among: Rule[]): Set<string> {
  const reached = new Set<string>()
  const open = [kind]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { from_kind, to_kind } of among) {
      if (from_kind !== at || reached.has(to_kind)) continue
      reached.add(to_kind)
      open.push(to_kind)
    }
  }
  return reached
}

test("[B-04] no chain of postings leads from an investor's account to recorded returns", () => {
  for (const kind of investorKinds) {
    const reached = reachableFrom(kind, rules)
    expect(reached).toContain('available')
    for (const forbidden of ['recorded_returns', 'returns_received']) expect(reached).not.toContain(forbidden)
  }
  // Coins received from investors cannot reach it either.
  for (const kind of ['custody', 'exchange', 'rounding', 'payouts', 'receivable'])
    expect(reachableFrom(kind, rules)).not.toContain('recorded_returns')
})

test('[B-04] the walk over the rules would find such a path', () => {
  const rule = { event: 'x', from_kind: 'payouts', to_kind: 'returns_received', hold: null }
  expect(reachableFrom('available', [...rules, rule])).toContain('recorded_returns')
})

test('[B-04] earnings come from recorded returns only, and those from outside only', () => {
  const into = (kind: string) => rules.filter(rule => rule.to_kind === kind).map(rule => rule.from_kind)
  expect(into('recorded_returns')).toEqual(['returns_received'])
  expect(rules.filter(rule => rule.event === 'earning.paid')).toEqual([
    { event: 'earning.paid', from_kind: 'recorded_returns', to_kind: 'available', hold: null },
  ])
})

test('every event posts what the rules permit, and every rule is used by an event', () => {
  const name = (event: string, from: string, to: string) => `${event}: ${from} to ${to}`
  const posted = everyPosting().flatMap(({ event, legs }) =>
    legs.map(leg => name(event, leg.from.kind, leg.to.kind)),
  )
  const permitted = rules.map(rule => name(rule.event, rule.from_kind, rule.to_kind))
  expect([...new Set(posted)].sort()).toEqual(permitted.sort())
})

test('an event resolves a hold exactly where its rule says so', () => {
  for (const { event, holdId } of everyPosting()) {
    const resolves = rules.some(
      rule => rule.event === event && ['posted', 'voided'].includes(rule.hold ?? ''),
    )
    expect(holdId !== null).toBe(resolves)
  }
})

test('the chart of accounts and the events in TypeScript are those of the database', async () => {
  const { rows } = await database.app.query<{ kind: string; holder: string }>(
    'SELECT * FROM ledger.account_kinds',
  )
  const kinds = (holder: string) => rows.filter(row => row.holder === holder).map(row => row.kind)
  expect(kinds('investor').sort()).toEqual([...investorKinds].sort())
  expect(kinds('firm').sort()).toEqual([...firmKinds].sort())
  expect([...new Set(rules.map(rule => rule.event))].sort()).toEqual([...ledgerEvents].sort())
  const { rows: owners } = await database.app.query('SELECT ledger.firm() AS firm')
  expect(owners).toEqual([{ firm }])
})

test('the tables of README.md list every account and every leg', async () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
  for (const { event, from_kind, to_kind } of rules) {
    const row = readme.split('\n').find(line => line.startsWith(`| \`${event}\``))
    expect(row, event).toContain(`${from_kind} → ${to_kind}`)
  }
  for (const kind of [...investorKinds, ...firmKinds]) expect(readme).toContain(`| \`${kind}\``)
})
