import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { recordedReturns } from './balances.ts'
import {
  depositSettled,
  earningPaid,
  returnRecorded,
  withdrawalDeclined,
  withdrawalRequested,
} from './events.ts'
import { post } from './post.ts'
import { linesOfReferences, type StatementLine, statement } from './statement.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase({ ledgerAlone: true })
})

async function investorWithHistory(): Promise<{ userId: string; withdrawalId: string; middle: Date }> {
  const { db } = database
  const userId = uuidv7()
  const withdrawalId = uuidv7()
  const of = { userId, actor: null }
  const payment = { asset: 'BTC', receivedUnits: 1_000_000n } as const
  await post(db, depositSettled({ ...of, depositId: uuidv7(), amountCents: 50_000n, payment }))
  const holdId = await post(db, withdrawalRequested({ ...of, withdrawalId, amountCents: 20_000n }))
  const middle = await now()
  await post(db, withdrawalDeclined({ ...of, withdrawalId, holdId, amountCents: 20_000n }))
  await post(db, returnRecorded({ actor: null, returnId: uuidv7(), amountCents: 700n }))
  await post(db, earningPaid({ ...of, earningId: uuidv7(), amountCents: 700n }))
  return { userId, withdrawalId, middle }
}

/** A moment after everything so far and before everything later; a Date has whole milliseconds only. */
async function now(): Promise<Date> {
  const moment = new Date(Date.now() + 1)
  const passed = async () =>
    (await database.owner.query('SELECT clock_timestamp() > $1 AS passed', [moment])).rows[0]
  while (!(await passed()).passed);
  return moment
}

test('[B-03] a statement lists every posting with its running balance, the newest first', async () => {
  const { userId } = await investorWithHistory()
  const { lines, total, nextCursor } = await statement(database.db, userId, { limit: 50 })
  expect(lines.map(({ event, kind, amount, balance }) => [event, kind, amount, balance])).toEqual([
    ['earning.paid', 'available', 700n, 50_700n],
    ['withdrawal.declined', 'available', 20_000n, 50_000n],
    ['withdrawal.declined', 'held', -20_000n, 0n],
    ['withdrawal.requested', 'held', 20_000n, 20_000n],
    ['withdrawal.requested', 'available', -20_000n, 30_000n],
    ['deposit.settled', 'available', 50_000n, 50_000n],
  ])
  expect({ total, nextCursor }).toEqual({ total: 6, nextCursor: null })
})

test('pages by cursor make up the whole statement, also while postings are added', async () => {
  const { userId } = await investorWithHistory()
  const whole = await statement(database.db, userId, { limit: 50 })
  for (const limit of [1, 2, 3, 5]) {
    const seen: StatementLine[] = []
    let cursor: string | undefined
    do {
      const page = await statement(database.db, userId, { limit, cursor })
      expect(page.total).toBe(6)
      seen.push(...page.lines)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(whole.lines)
  }
})

test('a statement can be narrowed to accounts and to a period', async () => {
  const { userId, middle } = await investorWithHistory()
  const held = await statement(database.db, userId, { kinds: ['held'], limit: 50 })
  expect([held.total, held.lines.length]).toEqual([2, 2])
  const early = await statement(database.db, userId, { until: middle, limit: 50 })
  const late = await statement(database.db, userId, { from: middle, limit: 50 })
  expect([early.total, late.total]).toEqual([3, 3])
  const whole = await statement(database.db, userId, { limit: 50 })
  expect([...late.lines, ...early.lines]).toEqual(whole.lines)
})

test('the postings of a withdrawal can be listed', async () => {
  const { withdrawalId } = await investorWithHistory()
  const lines = await linesOfReferences(database.db, [withdrawalId])
  expect(lines.map(line => [line.event, line.kind])).toEqual([
    ['withdrawal.requested', 'available'],
    ['withdrawal.requested', 'held'],
    ['withdrawal.declined', 'held'],
    ['withdrawal.declined', 'available'],
  ])
})

test('a cursor that is not ours is refused', async () => {
  const { userId } = await investorWithHistory()
  for (const cursor of ['', 'nonsense', Buffer.from('[1,[["custody","0","5"]]]').toString('base64url')])
    await expect(statement(database.db, userId, { limit: 5, cursor })).rejects.toThrow('Cursor is not valid')
})

test('recorded returns state what was recorded, paid out and left', async () => {
  const before = await recordedReturns(database.db)
  await investorWithHistory()
  await post(database.db, returnRecorded({ actor: null, returnId: uuidv7(), amountCents: 900n }))
  const after = await recordedReturns(database.db)
  expect(after.recordedCents - before.recordedCents).toBe(1_600n)
  expect(after.paidOutCents - before.paidOutCents).toBe(700n)
  expect(after.leftCents - before.leftCents).toBe(900n)
})
