import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import pino from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import type { Caller, Services } from '#server/context.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { post } from '#server/ledger/post.ts'
import { systemClock } from '#server/platform/clock.ts'
import { newId } from '#server/platform/id.ts'
import { addressOf } from '#shared/call-address.ts'
import { login, me } from '#shared/contract/accounts.ts'
import { listDeposits, listOwnDeposits } from '#shared/contract/deposits.ts'
import { addEarning, listOwnEarnings } from '#shared/contract/earnings.ts'
import { listInvestments, listOwnInvestments } from '#shared/contract/investments.ts'
import { statement } from '#shared/contract/ledger.ts'
import { listReturns, returnEvidence, returnSummary } from '#shared/contract/returns.ts'
import { listContactMessages, prices, site } from '#shared/contract/site.ts'
import { listOwnWithdrawals, listWithdrawals } from '#shared/contract/withdrawals.ts'
import { formatUsd } from '#shared/money.ts'
import { demonstrationNotice } from '#shared/product.ts'
import { httpCaller, testApp, tokenOf } from '#test/support/app.ts'
import { deposit, insertUser } from '#test/support/books.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { readPdf } from '#test/support/pdf.ts'
import { sampleLogins } from './logins.ts'
import { seedDemo } from './seed.ts'

let database: TestDatabase
let services: Services
let app: FastifyInstance
let call: ReturnType<typeof httpCaller>
let admin: Caller
let investor: Caller
beforeAll(async () => {
  database = await testDatabase()
  services = {
    config: { ...loadConfig({ TOKEN_SECRET: 'x'.repeat(32) }), rateLimit: false },
    pool: database.app,
    db: database.db,
    clock: systemClock,
    log: pino({ level: 'error' }),
  }
  expect(await seedDemo(database.ownerUrl, services)).toBe(true)
  app = await testApp(services)
  call = httpCaller(app, services)
  admin = await callerOf(sampleLogins[0].email)
  investor = await callerOf(sampleLogins[2].email)
})

async function callerOf(email: string): Promise<Caller> {
  const { rows } = await database.owner.query('SELECT id, role FROM app.users WHERE email = $1', [email])
  const { id: userId, role } = rows[0]
  return { userId, role, sessionId: newId(new Date()) }
}

const all = { query: { limit: 200 } }

test("[D2, B-03] the sample's books balance", async () => {
  const run = await checkBooks(database.app, services.log)
  expect(run.checks.filter(check => check.faults > 0)).toEqual([])
  expect(run.ok).toBe(true)
})

test('[D2] is loaded once', async () => {
  const count = async () =>
    (await database.owner.query('SELECT count(*) FROM ledger.transactions')).rows[0].count
  const before = await count()
  expect(await seedDemo(database.ownerUrl, services)).toBe(false)
  expect(await count()).toBe(before)
})

test('[D2] the sample logins work, each with its role', async () => {
  const roleOf = {
    administrator: 'admin',
    'second administrator': 'admin',
    finance: 'finance',
    support: 'support',
    auditor: 'auditor',
  }
  for (const { email, password, who } of sampleLogins) {
    const { data, status } = await call(login, null, { body: { email, password } })
    expect(status).toBe(200)
    expect(data.user).toMatchObject({
      emailVerified: true,
      ...(who === 'investor' ? { type: 'investor', role: null } : { type: 'admin', role: roleOf[who] }),
    })
  }
})

test('[D2] the sample investor has records in every state', async () => {
  const statuses = (rows: { status: string }[]) => [...new Set(rows.map(row => row.status))].toSorted()
  const investments = await call(listOwnInvestments, investor, all)
  expect(statuses(investments.data)).toEqual(['active', 'declined', 'inactive', 'pending'])
  expect(investments.data.some(investment => investment.matured)).toBe(true)
  expect(investments.data.some(investment => investment.accrued > 0)).toBe(true)
  const withdrawals = await call(listOwnWithdrawals, investor, all)
  expect(statuses(withdrawals.data)).toEqual(['approved', 'declined', 'paid', 'pending'])
  const deposits = await call(listOwnDeposits, investor, all)
  expect(statuses(deposits.data)).toEqual(['declined', 'paid', 'pending', 'unpaid'])
  const earnings = await call(listOwnEarnings, investor, all)
  expect(earnings.data.length).toBeGreaterThanOrEqual(5)
  expect(earnings.data.every(earning => earning.status === 'paid' && earning.source.length > 10)).toBe(true)
})

test('[D2] each sample return has its document, marked as part of the demonstration', async () => {
  const { data: returns } = await call(listReturns, admin, all)
  expect(returns.length).toBeGreaterThan(5)
  expect(returns.map(({ evidenceFile }) => evidenceFile?.name)).toContain(
    'Dividend notice, dividend of Carrick Dental Group, third quarter.pdf',
  )
  for (const { _id: id, source, amount } of returns) {
    const file = await app.inject({
      url: addressOf(returnEvidence, { params: { id } }),
      headers: { authorization: `Bearer ${tokenOf(services, admin)}` },
    })
    expect(file.statusCode).toBe(200)
    const { pages } = readPdf(file.rawPayload)
    const amountText = formatUsd(BigInt(Math.round(amount * 100)))
    expect(pages).toMatchObject([expect.arrayContaining([demonstrationNotice, source, amountText])])
  }
})

test('[D2, B-03] the statement covers eight months and adds up to the balance', async () => {
  const { data, page } = await call(statement, investor, all)
  expect(page?.nextCursor).toBeNull()
  const times = data.map(line => Date.parse(line.at))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect((Date.now() - times.at(-1)!) / 86_400_000).toBeGreaterThan(230)
  expect((Date.now() - times[0]!) / 86_400_000).toBeLessThan(3)
  const cents = (account: string) =>
    data
      .filter(line => line.account === account)
      .reduce((sum, line) => sum + BigInt(Math.round(line.amount * 100)), 0n)
  const { data: own } = await call(me, investor)
  const shown = [own.balance, own.held, own.invested].map(amount => BigInt(Math.round(amount * 100)))
  expect([cents('available'), cents('held'), cents('invested')]).toEqual(shown)
})

test('[D2] every record has its own time and place in the list', async () => {
  for (const list of [listDeposits, listInvestments, listWithdrawals]) {
    const { data } = await call(list, admin, all)
    const times = data.map(row => Date.parse(row.createdAt))
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(new Set(data.map(row => row.user)).size).toBeGreaterThan(4)
  }
})

test('[D2, N-11] realised returns cover the earnings and leave enough for another', async () => {
  const { data } = await call(returnSummary, investor)
  expect(data.left).toBeGreaterThan(1_000)
  expect(data.recorded).toBeCloseTo(data.paidOut + data.left, 2)
  const added = await call(addEarning, admin, {
    params: { userId: investor.userId },
    body: { amount: 1_000 },
  })
  expect(added.message).toBe('Earnings added. A second person must approve them')
})

test('[D2] a large withdrawal and messages are pending', async () => {
  const { data } = await call(listWithdrawals, admin, { query: { status: 'pending', limit: 200 } })
  expect(data.find(withdrawal => withdrawal.approvalsNeeded === 2)).toMatchObject({ approvals: 1 })
  expect((await call(listContactMessages, admin, all)).data).toHaveLength(3)
})

test('[D2, C-30] prices and the firm exist from the start', async () => {
  const { data } = await call(prices, null)
  expect(data.map(rate => [rate.sample, rate.stale])).toEqual([
    ...Array(7).fill([true, false]),
    [false, false],
  ])
  expect((await call(site, null)).data.statistics).toHaveLength(4)
})

test('[D2] sends no emails about past events', async () => {
  const { rows } = await database.owner.query(
    'SELECT count(*)::int AS jobs FROM graphile_worker._private_jobs',
  )
  // The earning of the test above.
  expect(rows[0].jobs).toBeLessThanOrEqual(1)
})

test('[D2] loads the same sample with any settings at any hour', async () => {
  for (const at of ['2027-02-03T00:00:30Z', '2028-02-29T23:59:59Z']) {
    const other = await testDatabase()
    const config = loadConfig({
      TOKEN_SECRET: 'x'.repeat(32),
      PRICE_SOURCES: 'kraken',
      LARGE_WITHDRAWAL_USD: '50',
      LARGE_RETURN_USD: '50',
      EARNINGS_SECOND_APPROVAL: 'on',
    })
    const clock = { now: () => new Date(at) }
    expect(await seedDemo(other.ownerUrl, { config, clock, log: services.log })).toBe(true)
    const { rows } = await other.owner.query(
      'SELECT (SELECT count(*)::int FROM app.investments) AS investments, max(at) AS last FROM app.audit_log',
    )
    expect(rows[0].investments).toBeGreaterThan(30)
    expect(rows[0].last.getTime()).toBeLessThan(Date.parse(at))
  }
})

test('[B-01] the application cannot post in the past', async () => {
  const userId = await insertUser(database)
  const tx = await database.db.startTransaction().execute()
  await sql`SELECT set_config('ledger.at', '2020-01-01', true)`.execute(tx)
  const id = await post(tx, deposit(userId, 100n))
  const { rows } = await sql`
    SELECT created_at < '2021-01-01' AS old FROM ledger.transactions WHERE id = ${id}`.execute(tx)
  expect(rows).toEqual([{ old: false }])
  await tx.rollback().execute()
})
