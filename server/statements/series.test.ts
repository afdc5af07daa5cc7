import fc from 'fast-check'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test, vi } from 'vitest'
import { returnRecorded } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { foldStatements } from '#server/ledger/totals.ts'
import { type Db, openDatabase, openPool } from '#server/platform/database/pool.ts'
import { localTimes } from '#server/platform/zones.ts'
import { summary } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { type StatementAccount, statementAccounts } from '#shared/contract/entities.ts'
import {
  approveInvestment,
  closeInvestment,
  listOwnInvestments,
  newInvestment,
} from '#shared/contract/investments.ts'
import { allocation, balanceSeries, earningsByMonth } from '#shared/contract/ledger.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { usdFromJson } from '#shared/money.ts'
import { deposit } from '#test/support/books.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { allowPostingsWithoutRecords } from '#test/support/database.ts'
import { act, type Hold, move } from '#test/support/moves.ts'
import { rowsRead } from '#test/support/rows-read.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { periodOf } from './period.ts'
import { balancesOver, closingDays, earnedByMonth } from './series.ts'

let world: World
/** The database owner, who alone can post in the past. */
let owner: Db
let ownerPool: Pool
beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  await allowPostingsWithoutRecords(world.database)
  ownerPool = openPool({ url: world.database.ownerUrl, as: 'owner', name: 'probity test', max: 2 })
  owner = openDatabase(ownerPool)
  atEnd(() => owner.destroy())
  const recorded = { actor: null, returnId: uuidv7(), amountCents: 9_000_000_000n }
  await at(new Date('2023-01-01'), tx => post(tx, returnRecorded(recorded)))
})

/** Posts at a given time. */
function at<T>(moment: Date, work: (tx: Parameters<typeof post>[0]) => Promise<T>): Promise<T> {
  return owner.transaction().execute(async tx => {
    await sql`SELECT set_config('ledger.at', ${moment.toISOString()}, true)`.execute(tx)
    return work(tx)
  })
}

/** Ignores refused commands. */
function unlessRolledBack(error: Error) {
  if (!error.message.includes('rolled back')) throw error
}

type Entry = { at: Date; kind: StatementAccount; amount: bigint; event: string }

/** Every entry of an investor, for adding up one by one. */
async function entriesOf({ id }: Person): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    SELECT t.created_at AS at, a.kind, e.amount, t.event
      FROM ledger.entries e JOIN ledger.accounts a ON a.id = e.account_id
      JOIN ledger.transactions t ON t.id = e.transaction_id
     WHERE a.owner = ${id}::uuid ORDER BY e.id`.execute(owner)
  return rows
}

const sum = (entries: Entry[]) => entries.reduce((total, { amount }) => total + amount, 0n)
const cents = (usd: number) => usdFromJson(usd)!
const dayMs = 86_400_000
const days = (first: string, n: number) => new Date(Date.parse(first) + n * dayMs).toISOString().slice(0, 10)

/** Compares a response with the entries, assigning each entry to its day in the zone. */
function expectSeries(
  series: CallData<typeof balanceSeries>,
  entries: Entry[],
  zone: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): void {
  const dayOf = localTimes(zone)
  const dated = entries.map(entry => ({ ...entry, day: dayOf(entry.at).day }))
  const until = (day: string) => dated.filter(entry => entry.day <= day)
  for (const { day, total, netPaidIn, ...point } of series.points) {
    for (const account of statementAccounts) {
      expect(cents(point[account])).toBe(sum(until(day).filter(({ kind }) => kind === account)))
    }
    expect(cents(total)).toBe(sum(until(day)))
    expect(cents(netPaidIn)).toBe(sum(until(day).filter(({ event }) => event !== 'earning.paid')))
  }
  const ended = dated.filter(({ day }) => to === undefined || day <= to)
  if (ended.length === 0) {
    expect(series.points).toEqual([])
    return
  }
  const first = from === undefined || from < dated[0]!.day ? dated[0]!.day : from
  expect(series.points[0]?.day).toBe(days(first, -1))
  const within = ended.filter(({ day }) => day >= first)
  const came = (...events: string[]) =>
    sum(
      within.filter(
        ({ event, kind, amount }) => events.includes(event) && kind === 'available' && amount > 0n,
      ),
    )
  expect(cents(series.paidIn)).toBe(came('deposit.settled', 'investment.funded'))
  expect(cents(series.earned)).toBe(came('earning.paid'))
  expect(cents(series.paidOut)).toBe(-sum(within.filter(({ event }) => event === 'withdrawal.paid')))
  const { paidIn, earned, paidOut } = series
  expect(cents(series.points[0]!.total) + cents(paidIn) + cents(earned) - cents(paidOut)).toBe(
    cents(series.points.at(-1)!.total),
  )
}

function expectMonths(
  { months, total }: CallData<typeof earningsByMonth>,
  entries: Entry[],
  zone: string,
  { from = '', to = '9' }: { from?: string | undefined; to?: string | undefined },
): void {
  const dayOf = localTimes(zone)
  const earned = entries
    .filter(({ event }) => event === 'earning.paid')
    .map(entry => ({ ...entry, day: dayOf(entry.at).day }))
    .filter(({ day }) => day >= from && day <= to)
  expect(cents(total)).toBe(sum(earned))
  for (const { month, earned: usd } of months) {
    expect(cents(usd)).toBe(sum(earned.filter(({ day }) => day.startsWith(month))))
  }
  const each = months.map(({ month }) => month)
  expect(each).toEqual([...new Set(each)].sort())
  for (const { day } of earned) expect(each).toContain(day.slice(0, 7))
}

const zones = ['UTC', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Kiritimati', 'America/Havana']

test('[B-03] balance and earnings series are the sums of entries in every zone and period', async () => {
  const gap = fc.oneof(fc.nat(7_200_000), fc.nat(20 * dayMs), { weight: 1, arbitrary: fc.nat(300 * dayMs) })
  const part = fc.option(fc.nat(999), { nil: undefined })
  const property = fc.asyncProperty(
    fc.array(fc.record({ act, gap }), { minLength: 90, maxLength: 90, size: 'max' }),
    fc.array(fc.tuple(fc.constantFrom(...zones), part, part), { minLength: 12, maxLength: 12 }),
    async (acts, periods) => {
      const person = await world.person('Sam Series')
      const holds: Hold[] = []
      let moment = Date.parse('2023-02-01')
      await at(new Date(moment), tx => post(tx, deposit(person.id, 3_000_000n)))
      for (const todo of acts) {
        moment = Math.min(moment + todo.gap, Date.now())
        await at(new Date(moment), tx => move(tx, person.id, holds, todo.act)).catch(unlessRolledBack)
        if (todo.act.fold) await foldStatements(world.database.app)
      }
      const entries = await entriesOf(person)
      const spanDays = Math.ceil((Date.now() - Date.parse('2023-01-20')) / dayMs)
      const day = (share: number | undefined) =>
        share === undefined ? undefined : days('2023-01-20', Math.floor((share * spanDays) / 1000))
      for (const [zone, a, b] of periods) {
        const [one, two] = [day(a), day(b)]
        const query = one && two && one > two ? { zone, from: two, to: one } : { zone, from: one, to: two }
        const { data } = await world.call(balanceSeries, person, { query })
        expectSeries(data, entries, zone, query)
        expectMonths((await world.call(earningsByMonth, person, { query })).data, entries, zone, query)
      }
    },
  )
  await fc.assert(property, { numRuns: 6, endOnFailure: true })
}, 300_000)

/** An investor with an active plan, a closed one, money on hold and available money. */
async function investor(): Promise<Person> {
  const person = await world.person('Ines Investor')
  await world.fund(person, 800_050n)
  for (const [plan, amount, closed] of [
    ['Basic', 500],
    ['Enthusiast', 1500.5],
    ['Basic', 250.25],
    ['Beginner', 500, true],
  ] as const) {
    const { data } = await world.call(newInvestment, person, { body: { method: 'balance', plan, amount } })
    await world.call(approveInvestment, world.admin, { params: { id: data._id } })
    const early = { params: { id: data._id }, body: { reason: 'Closed early' } }
    if (closed) await world.call(closeInvestment, world.admin, early)
  }
  const walletAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
  await world.call(newWithdrawal, person, { body: { amount: 120, wallet: 'Bitcoin (BTC)', walletAddress } })
  return person
}

test('[B-03] the last point of the series is the current balance', async () => {
  const person = await investor()
  const { data: now } = await world.call(summary, person)
  for (const query of [{}, { zone: 'Pacific/Kiritimati' }, { zone: 'Pacific/Niue', to: '2199-12-31' }]) {
    const { data } = await world.call(balanceSeries, person, { query })
    const { day: _, total, netPaidIn, ...last } = data.points.at(-1)!
    expect(last).toEqual({ available: now.balance, invested: now.invested, held: now.held })
    expect([total, netPaidIn]).toEqual([8000.5, 8000.5])
    expect(data).toMatchObject({ paidIn: 8000.5, earned: 0, paidOut: 0 })
  }
})

test('[D-26] the allocation shows each plan and the rest, to the cent', async () => {
  const person = await investor()
  const { data } = await world.call(allocation, person)
  expect(data).toMatchObject({
    plans: [
      { plan: 'Enthusiast', investments: 1, amount: 1500.5 },
      { plan: 'Basic', investments: 2, amount: 750.25 },
    ],
    available: 5629.75,
    held: 120,
    total: 8000.5,
  })
  const { data: own } = await world.call(listOwnInvestments, person)
  const active = own.filter(({ status }) => status === 'active')
  const [first] = active.map(({ endingDate }) => endingDate!).toSorted()
  const together = active.filter(({ endingDate }) => endingDate!.slice(0, 10) === first!.slice(0, 10))
  const amountOf = (some: typeof own) => some.reduce((sum, { amount }) => sum + amount, 0)
  const endsFirst = { investments: together.length, endingDate: first, amount: amountOf(together) }
  expect(data.next).toEqual(endsFirst)
  const { data: now } = await world.call(summary, person)
  expect(data.plans.reduce((total, { amount }) => total + cents(amount), 0n)).toBe(cents(now.invested))
})

test('[D-26] holds no connection while the rules of a zone are loaded', async () => {
  const person = await world.person('Zoe')
  await world.fund(person, 10_000n)
  const { app } = world.database
  const busy: number[] = []
  const read = Intl.DateTimeFormat.prototype.formatToParts
  const spy = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts').mockImplementation(function (
    this: Intl.DateTimeFormat,
    at,
  ) {
    busy.push(app.totalCount - app.idleCount)
    return read.call(this, at)
  })
  const query = { zone: 'Australia/Lord_Howe' }
  await balancesOver(world.database.db, person.id, periodOf(query, world), world.clock.now())
  await earnedByMonth(world.database.db, person.id, periodOf(query, world), world.clock.now())
  spy.mockRestore()
  expect(busy.length).toBeGreaterThan(5)
  expect(new Set(busy)).toEqual(new Set([0]))
})

test('an account without postings has no points', async () => {
  const person = await world.person('Nora New')
  const { data } = await world.call(balanceSeries, person)
  expect(data).toMatchObject({ step: 'day', points: [], paidIn: 0, earned: 0, paidOut: 0 })
  expect((await world.call(earningsByMonth, person)).data).toMatchObject({ months: [], total: 0 })
  expect((await world.call(allocation, person)).data).toMatchObject({ plans: [], available: 0, total: 0 })
  await world.fund(person, 10_000n)
  const { data: before } = await world.call(balanceSeries, person, { query: { to: '2020-01-01' } })
  expect(before.points).toEqual([])
})

test("[R-07] refuses another user's series; an admin may see them", async () => {
  const person = await investor()
  const other = await world.person('Other')
  const query = { userId: person.id }
  for (const call of [balanceSeries, earningsByMonth, allocation]) {
    expect(await world.call(call, other, { query })).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await world.call(call, world.admin, { query })).status).toBe(200)
  }
})

test.each([
  ['2026-11-01', '2026-11-21', 'day', 21, '2026-11-01', '2026-11-02'],
  ['2025-10-18', '2026-11-21', 'day', 400, '2025-10-18', '2025-10-19'],
  ['2025-10-17', '2026-11-21', 'week', 58, '2025-10-19', '2025-10-26'],
  ['2025-10-12', '2026-11-22', 'week', 59, '2025-10-12', '2025-10-19'],
  ['2010-02-14', '2026-11-21', 'month', 202, '2010-02-28', '2010-03-31'],
] as const)('from %s to %s the points are of each %s', (first, last, step, count, one, two) => {
  const { step: taken, days: closing } = closingDays(first, last)
  expect([taken, closing.length, closing[0], closing[1], closing.at(-1)]).toEqual([
    step,
    count,
    one,
    two,
    last,
  ])
})

/** Most ledger rows that a series may read, however long the statement. */
const mostRead = 14_000

test('[B-03] reads a series without reading a long statement', async () => {
  const person = await world.person('Lena Long')
  // Deposits of a dollar on each of 20 days, a year ago.
  const begin = days(new Date().toISOString().slice(0, 10), -350)
  const counts = Array.from({ length: 20 }, (_, n) => 1000 - 13 * n)
  for (const [n, count] of counts.entries()) {
    const deposits = sql`
      SELECT ledger.post(ROW (uuidv7(), 'deposit.settled', 'deposit', uuidv7(), NULL, NULL, NULL),
               ARRAY[ROW (1, ledger.firm(), 'exchange', ${person.id}::uuid, 'available', 'USD', 100)::ledger.leg])
        FROM generate_series(1, ${count}::integer)`
    await at(new Date(days(begin, n)), tx => deposits.execute(tx))
  }
  await world.fund(person, 10_000n)
  await foldStatements(world.database.app)
  await world.owner('VACUUM (ANALYZE) ledger.entries, ledger.transactions, ledger.statement_blocks')
  const read = () => rowsRead(world.database, ['entries', 'transactions', 'statement_blocks'], [ownerPool])
  const before = await read()
  const { data } = await world.call(balanceSeries, person)
  const after = await read()
  expect(data.points.length).toBeGreaterThan(300)
  let total = 0
  for (const [n, count] of counts.entries()) {
    total += count
    expect(data.points[n + 1]).toMatchObject({ day: days(begin, n), total })
  }
  expect(data.points.at(-1)!.total).toBe(total + 100)
  expect(after).toBeGreaterThan(before)
  expect(after - before).toBeLessThan(mostRead)
})

test('[D-26] plans that have ended and are not closed return their principal next', async () => {
  const person = await investor()
  world.clock.pass({ days: 400 })
  const later = { method: 'balance', plan: 'Basic', amount: 500 } as const
  const { data: running } = await world.call(newInvestment, person, { body: later })
  await world.call(approveInvestment, world.admin, { params: { id: running._id } })
  const { data } = await world.call(allocation, person)
  expect(data.next).toMatchObject({ investments: 3, amount: 2250.75 })
  expect(data.next!.endingDate < data.asOf).toBe(true)
})
