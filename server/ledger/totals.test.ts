import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test } from 'vitest'
import type { Schema } from '#server/platform/database/schema.ts'
import { insertUser, investorWith } from '#test/support/books.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { act, type Hold, move } from '#test/support/moves.ts'
import { type InvestorKind, investorKinds, statementKinds } from './chart.ts'
import * as events from './events.ts'
import { checkBooks } from './invariants.ts'
import { post, postAll } from './post.ts'
import { type StatementLine, type StatementQuery, statement } from './statement.ts'
import { foldStatements, type Movement, periodTotals } from './totals.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase({ ledgerAlone: true })
  // This test is not about crashes, and waiting for the disk a thousand times takes long.
  await database.owner.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`,
  )
})

/** Two moments of the statement, as fractions of its length; null: no limit. */
const moment = fc.option(fc.nat(1000), { freq: 4 })
const period = fc.tuple(moment, moment)

async function wholeStatement(
  userId: string,
  asked: Omit<StatementQuery, 'limit'> = {},
  limit = 500,
): Promise<StatementLine[]> {
  const lines: StatementLine[] = []
  let cursor: string | undefined
  do {
    const page = await statement(database.db, userId, { ...asked, limit, cursor })
    lines.push(...page.lines)
    cursor = page.nextCursor ?? undefined
    if (cursor === undefined) expect(page.total).toBe(lines.length)
  } while (cursor !== undefined)
  return lines
}

/** Money exchanged with others than the investor, by the kind of event instead of its postings. */
const fromOutside = ['deposit.settled', 'investment.funded', 'earning.paid']
function outside({ event, kind, amount }: StatementLine): boolean {
  if (kind === 'available') return amount > 0n && fromOutside.includes(event)
  return kind === 'held' && amount < 0n && event === 'withdrawal.paid'
}

/** The movements of some lines, added one by one. */
function movementsOf(lines: StatementLine[]): Movement[] {
  const sum = (of: StatementLine[], sign: bigint) =>
    of.reduce((total, { amount }) => total + (amount * sign > 0n ? amount * sign : 0n), 0n)
  return investorKinds.flatMap(kind =>
    statementKinds.flatMap(about => {
      const own = lines.filter(line => line.kind === kind && line.reference_kind === about)
      const others = own.filter(outside)
      return own.length === 0
        ? []
        : {
            kind,
            about,
            lines: own.length,
            creditedCents: sum(own, 1n),
            debitedCents: sum(own, -1n),
            fromOutsideCents: sum(others, 1n),
            toOutsideCents: sum(others, -1n),
          }
    }),
  )
}

const order = (a: Movement, b: Movement) => `${a.kind} ${a.about}`.localeCompare(`${b.kind} ${b.about}`)

/** Compares a period added up from the statement's lines with the totals, which do not read them. */
async function expectPeriod(
  userId: string,
  all: StatementLine[],
  from: Date | undefined,
  until: Date | undefined,
): Promise<void> {
  const before = all.filter(line => from !== undefined && line.at < from)
  const within = all.filter(line => !before.includes(line) && (until === undefined || line.at < until))
  const balance = (kind: InvestorKind, lines: StatementLine[]) =>
    lines.filter(line => line.kind === kind).reduce((sum, line) => sum + line.amount, 0n)
  const totals = await periodTotals(database.db, userId, { from, until })
  for (const kind of investorKinds) {
    const own = totals.movements.filter(moved => moved.kind === kind)
    const net = own.reduce((sum, moved) => sum + moved.creditedCents - moved.debitedCents, 0n)
    expect(totals.openingCents[kind]).toBe(balance(kind, before))
    expect(totals.closingCents[kind]).toBe(totals.openingCents[kind] + net)
    expect(totals.closingCents[kind]).toBe(balance(kind, [...before, ...within]))
  }
  expect(totals.movements.toSorted(order)).toEqual(movementsOf(within).toSorted(order))
  const together = (balances: Record<InvestorKind, bigint>) =>
    investorKinds.reduce((sum, kind) => sum + balances[kind], 0n)
  const netOutside = totals.movements.reduce(
    (sum, moved) => sum + moved.fromOutsideCents - moved.toOutsideCents,
    0n,
  )
  expect(together(totals.closingCents)).toBe(together(totals.openingCents) + netOutside)
}

/** The moments of two lines, in order. */
function ends(newestFirst: StatementLine[], shares: [number | null, number | null]): [Date?, Date?] {
  const [from, until] = shares.map(share =>
    share === null
      ? undefined
      : newestFirst.at(-1 - Math.floor((share * (newestFirst.length - 1)) / 1000))?.at,
  )
  return from && until && from > until ? [until, from] : [from, until]
}

test('[B-03] opening balance plus movements equals closing balance in every period', async () => {
  const property = fc.asyncProperty(
    fc.array(act, { minLength: 250, maxLength: 250, size: 'max' }),
    fc.array(period, { minLength: 10, maxLength: 10 }),
    fc.integer({ min: 1, max: 150 }),
    async (acts, periods, pageSize) => {
      const userId = await investorWith(database, 5_000_000n)
      const holds: Hold[] = []
      await post(
        database.db,
        events.returnRecorded({ actor: null, returnId: uuidv7(), amountCents: 900_000_000n }),
      )
      for (const todo of acts) {
        await move(database.db, userId, holds, todo)
        if (todo.fold) await foldStatements(database.app)
      }
      const all = await wholeStatement(userId)
      for (const shares of periods) {
        await expectPeriod(userId, all, ...ends(all, shares))
      }
      for (const about of statementKinds) {
        const [from, until] = ends(all, periods[0]!)
        const expected = all.filter(line => line.reference_kind === about)
        expect(await wholeStatement(userId, { about }, pageSize)).toEqual(expected)
        const within = expected.filter(({ at }) => (!from || at >= from) && (!until || at < until))
        expect(await wholeStatement(userId, { about, from, until }, pageSize)).toEqual(within)
      }
    },
  )
  await fc.assert(property, { numRuns: 8, endOnFailure: true, verbose: 1 })
  const run = await checkBooks(database.app, { info: () => {}, error: () => {} })
  expect(run.checks.filter(check => check.faults > 0)).toEqual([])
  expect(run.checks.find(check => check.name === 'totals_right')?.examined).toBeGreaterThan(0)
}, 300_000)

/** Maximum rows that totals and a page of one kind may read of a table, whatever the length of the statement. */
const MOST_READ = 1_000

test('[B-03] totals and the lines of one kind are found without reading a long statement', async () => {
  const userId = await investorWith(database, 1_000_000n)
  const of = { userId, actor: null, amountCents: 100n }
  await post(database.db, events.withdrawalRequested({ ...of, withdrawalId: uuidv7() }))
  await depositOften(userId, { times: 1_500, atOnce: 20 })
  // For tables hardly longer than this statement, a full scan would be cheapest.
  await depositOften(await insertUser(database), { times: 8_000, atOnce: 200 })
  const { lines: later } = await statement(database.db, userId, { limit: 800 })
  const middle = later[749]!.at
  // Several may have been posted in the same millisecond.
  const since = later.filter(({ at }) => at >= middle).length
  await foldStatements(database.app)
  await database.owner.query('VACUUM (ANALYZE)')

  // In a transaction, whose row counts are separate from those of other sessions.
  const read = await database.db.transaction().execute(async tx => {
    const before = await rowsRead(tx)
    const { movements } = await periodTotals(tx, userId, { from: middle })
    const { lines, total } = await statement(tx, userId, { about: 'withdrawal', limit: 50 })
    return { movements, lines, total, rows: (await rowsRead(tx)) - before }
  })
  expect(read.movements.map(moved => [moved.about, moved.lines])).toEqual([['deposit', since]])
  expect([read.total, read.lines.map(({ amount }) => amount)]).toEqual([2, [100n, -100n]])
  expect(read.rows).toBeGreaterThan(0)
  expect(read.rows).toBeLessThan(MOST_READ)
})

/** @param how.atOnce in one database transaction, so at nearly one moment */
async function depositOften(userId: string, { times, atOnce }: { times: number; atOnce: number }) {
  const payment = { asset: 'USDT', receivedUnits: 1_000_000n } as const
  const of = { userId, actor: null, amountCents: 100n, payment }
  for (let left = times; left > 0; left -= atOnce) {
    const deposits = Array.from({ length: atOnce }, () =>
      events.depositSettled({ ...of, depositId: uuidv7() }),
    )
    await postAll(database.db, deposits)
  }
}

/** Unreported rows of the ledger's tables that the session of `db` has read. */
async function rowsRead(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ read: string }>`
    SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS read FROM pg_stat_xact_user_tables
     WHERE schemaname = 'ledger' AND relname IN ('entries', 'transactions', 'statement_blocks')`.execute(db)
  return Number(rows[0]!.read)
}

test('an investor without money has totals of nothing', async () => {
  const nothing = { available: 0n, held: 0n, invested: 0n }
  expect(await periodTotals(database.db, await insertUser(database), {})).toEqual({
    openingCents: nothing,
    closingCents: nothing,
    movements: [],
  })
})
