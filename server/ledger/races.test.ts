import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test } from 'vitest'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { insertUser, investorWith, withdrawalCommand } from '#test/support/books.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { investorBalances, recordedReturns } from './balances.ts'
import { MoneyWriter } from './batch.ts'
import type { Posting } from './chart.ts'
import {
  earningPaid,
  investmentApproved,
  investmentDeclined,
  investmentRequested,
  returnRecorded,
  withdrawalPaid,
  withdrawalRequested,
} from './events.ts'
import { claimKey, keepAnswer, type RequestKey } from './idempotency.ts'
import { checkBooks } from './invariants.ts'
import { post } from './post.ts'

// Concurrent postings, each in its own transaction, as the API's calls make them.

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase({ ledgerAlone: true })
})

/** Posts in its own transaction: 'done', or the refusal's code. */
async function inTransaction(posting: Posting): Promise<'done' | ErrorCode> {
  try {
    await database.db.transaction().execute(tx => post(tx, posting))
    return 'done'
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

function tally(outcomes: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

test('[B-05] of 200 transactions that each move the whole balance, exactly one succeeds', async () => {
  const userId = await investorWith(database, 5_000n)
  const outcomes = await Promise.all(
    times(200, () =>
      inTransaction(
        withdrawalRequested({ userId, actor: userId, withdrawalId: uuidv7(), amountCents: 5_000n }),
      ),
    ),
  )
  expect(tally(outcomes)).toEqual({ done: 1, insufficient_funds: 199 })
  expect(await investorBalances(database.db, userId)).toEqual({ available: 0n, held: 5_000n, invested: 0n })
})

test('[B-05] 200 transactions on an account that was never used: each is refused cleanly', async () => {
  const userId = await insertUser(database)
  const outcomes = await Promise.all(
    times(200, () =>
      inTransaction(withdrawalRequested({ userId, actor: userId, withdrawalId: uuidv7(), amountCents: 1n })),
    ),
  )
  expect(tally(outcomes)).toEqual({ insufficient_funds: 200 })
})

test('[B-05] 50 approvals and declines of one hold at once: it is resolved once', async () => {
  const userId = await investorWith(database, 9_000n)
  const investmentId = uuidv7()
  const of = { userId, actor: null, investmentId, amountCents: 9_000n }
  const holdId = await post(database.db, investmentRequested(of))
  const outcomes = await Promise.all(
    times(50, i => inTransaction((i % 2 ? investmentApproved : investmentDeclined)({ ...of, holdId }))),
  )
  expect(tally(outcomes)).toEqual({ done: 1, wrong_state: 49 })
  const { available, held, invested } = await investorBalances(database.db, userId)
  expect([held, available + invested]).toEqual([0n, 9_000n])
})

test('[B-04, B-05] 60 earnings at once out of recorded returns that pay 20: 20 are paid', async () => {
  const before = await recordedReturns(database.db)
  await post(database.db, returnRecorded({ actor: null, returnId: uuidv7(), amountCents: 2_000n }))
  const users = await Promise.all(times(6, () => insertUser(database)))
  const outcomes = await Promise.all(
    times(60, i =>
      inTransaction(
        earningPaid({ userId: users[i % 6]!, actor: null, earningId: uuidv7(), amountCents: 100n }),
      ),
    ),
  )
  expect(tally(outcomes)).toEqual({ done: 20, insufficient_returns: 40 })
  expect((await recordedReturns(database.db)).leftCents).toBe(before.leftCents)
})

test('[B-06] the same key 50 times in parallel acts once, and everybody gets the first answer', async () => {
  const userId = await investorWith(database, 100_000n)
  const request: RequestKey = {
    caller: userId,
    key: uuidv7(),
    hash: createHash('sha256').update('x').digest(),
  }
  const ask = () =>
    database.db.transaction().execute(async tx => {
      const first = await claimKey(tx, request)
      if (first !== undefined) return first
      const of = { userId, actor: userId, withdrawalId: uuidv7(), amountCents: 100n }
      const answer = { holdId: await post(tx, withdrawalRequested(of)) }
      await keepAnswer(tx, request, answer)
      return answer
    })
  const answers = await Promise.all(times(50, ask))
  expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
  expect(await investorBalances(database.db, userId)).toMatchObject({ available: 99_900n, held: 100n })

  const reused = { ...request, hash: createHash('sha256').update('y').digest() }
  await expect(database.db.transaction().execute(tx => claimKey(tx, reused))).rejects.toMatchObject({
    code: 'idempotency_key_reused',
    status: 422,
  })
})

test('[B-06] a transaction that dies before commit leaves no effect and no key', async () => {
  const userId = await investorWith(database, 1_000n)
  const request: RequestKey = { caller: userId, key: uuidv7(), hash: Buffer.alloc(32) }
  const act = async (die: boolean) =>
    database.db.transaction().execute(async tx => {
      const first = await claimKey(tx, request)
      if (first !== undefined) return first
      const of = { userId, actor: userId, withdrawalId: uuidv7(), amountCents: 600n }
      const answer = { holdId: await post(tx, withdrawalRequested(of)) }
      await keepAnswer(tx, request, answer)
      if (die) await sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(tx)
      return answer
    })
  await expect(act(true)).rejects.toThrow()
  expect(await investorBalances(database.db, userId)).toEqual({ available: 1_000n, held: 0n, invested: 0n })
  const answer = await act(false)
  expect(await act(false)).toEqual(answer)
  expect(await investorBalances(database.db, userId)).toMatchObject({ available: 400n, held: 600n })
})

test('[B-03] balances and entries agree at every moment while everybody writes', async () => {
  const investors = await Promise.all(times(5, () => investorWith(database, 50_000n)))
  const processes = times(2, () => new MoneyWriter(database.app))
  let writing = true
  const watch = async () => {
    let looks = 0
    for (; writing; looks++) {
      const run = await checkBooks(database.app, { info: () => {}, error: () => {} })
      expect(run.checks.filter(check => check.faults > 0)).toEqual([])
    }
    return looks
  }
  const write = async (userId: string, i: number) => {
    const withdrawalId = uuidv7()
    const of = { userId, actor: userId, withdrawalId, amountCents: 100n }
    const holdId = await post(database.db, withdrawalRequested(of))
    const other = investors[(investors.indexOf(userId) + 1) % investors.length]!
    await processes[i % 2]!.execute(withdrawalCommand(other, 50n))
    await post(database.db, withdrawalPaid({ ...of, holdId }))
  }
  const watching = watch()
  await Promise.all(times(200, i => write(investors[i % investors.length]!, i)))
  writing = false
  expect(await watching).toBeGreaterThan(0)
  const { rows } = await database.owner.query(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(rows).toEqual([{ deadlocks: 0 }])
})
