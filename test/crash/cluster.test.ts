import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import * as accounts from '#shared/contract/accounts.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { statement } from '#shared/contract/ledger.ts'
import { declineWithdrawal, listOwnWithdrawals, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { balanced, openCluster, type Process, request, type WebProcess } from '#test/support/cluster.ts'
import { actsWith, type Person, withdrawal } from '#test/support/cluster-acts.ts'
import { openStream } from '#test/support/live.ts'
import { until } from '#test/support/processes.ts'

/**
 * Two web and two worker processes share one PostgreSQL. One of each is killed with -9 during its work, and nothing
 * acknowledged is lost or done twice.
 */
type Cluster = Awaited<ReturnType<typeof openCluster>>
let cluster: Cluster
let webs: WebProcess[]
let workers: Process[]
const call = balanced(() => webs)
const { signIn, register, pay, funded, investEarnAndWithdraw } = actsWith(call)

beforeAll(async () => {
  cluster = await openCluster()
  workers = [cluster.worker(), cluster.worker()]
  webs = await Promise.all([cluster.web(), cluster.web()])
}, 120_000)

async function expectBooksInOrder() {
  const run = await checkBooks(cluster.database.owner, { info() {}, error() {} })
  expect(run.checks.filter(({ faults }) => faults > 0)).toEqual([])
  expect(run.ok).toBe(true)
}

/** Sum of everything ever credited to and debited from the available balance, in cents. */
async function statementSum({ token }: Person): Promise<number> {
  let sum = 0
  let cursor: string | null = null
  do {
    const query: Record<string, string> = {
      account: 'available',
      limit: '200',
      ...(cursor ? { cursor } : {}),
    }
    const url = `${webs[0]!.origin}/api${statement.path}?${new URLSearchParams(query)}`
    const response = await fetch(url, { headers: { authorization: `Token ${token}` } })
    const page = (await response.json()) as {
      data: { amount: number }[]
      page: { nextCursor: string | null }
    }
    for (const { amount } of page.data) sum += Math.round(amount * 100)
    cursor = page.page.nextCursor
  } while (cursor !== null)
  return sum
}

/** Holds a lock until it is released. */
async function block(statement: string): Promise<() => Promise<void>> {
  const blocker = await cluster.database.owner.connect()
  await blocker.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
  await blocker.query(statement)
  return async () => {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
}

/** Waits until this many of the product's statements wait for a lock. */
async function statementsWait(count: number) {
  await until(async () => {
    const { rows } = await cluster.database.owner.query<{ count: bigint }>(
      `SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'probity' AND wait_event_type = 'Lock'`,
    )
    return Number(rows[0]?.count) >= count
  })
}

async function bothWorkersHaveJobs() {
  await until(async () => {
    const { rows } = await cluster.database.owner.query<{ count: bigint }>(
      "SELECT count(DISTINCT locked_by) FROM graphile_worker.jobs WHERE task_identifier = 'notify_security'",
    )
    return rows[0]?.count === 2n
  })
}

async function noJobsLeft() {
  const { rows } = await cluster.database.owner.query<{ count: bigint }>(
    `SELECT count(*) FROM graphile_worker.jobs WHERE task_identifier IN ('send_mail', 'notify', 'notify_security')`,
  )
  return Number(rows[0]?.count) === 0
}

test('a session that ends on one process is over on the other', async () => {
  const [first, second] = webs as [WebProcess, WebProcess]
  const { token } = await signIn('investor@probity.test', 'demo-investor')
  expect((await request(second.origin, accounts.me, {}, { token })).status).toBe(200)
  expect((await request(first.origin, accounts.logout, {}, { token })).status).toBe(200)
  await until(async () => (await request(second.origin, accounts.me, {}, { token })).status === 401)
})

test('[L-01] changes on one process reach open pages of the other, in both directions', async () => {
  const [first, second] = webs as [WebProcess, WebProcess]
  const admin = await signIn('admin@probity.test', 'demo-admin')
  const person = await register('Liv Listener')
  const page = await openStream(first.origin, person.token)
  const desk = await openStream(second.origin, admin.token)
  const deposit = await request(
    first.origin,
    newDeposit,
    { body: { method: 'usdt', amount: 150 } },
    { token: person.token, key: randomUUID() },
  )
  await desk.hears('deposits')
  const approved = await request(
    second.origin,
    approveDeposit,
    { params: { id: deposit.data._id } },
    { token: admin.token, key: randomUUID() },
  )
  expect(approved.status).toBe(200)
  // A worker sends the email: the topic of its notification comes from the same transaction.
  await page.hears('deposits', 'notifications')
  page.close()
  desk.close()
})

test('tries of a password are counted over both processes', async () => {
  const body = { email: 'investor@probity.test', password: 'not the password' }
  const statuses: number[] = []
  for (let tries = 0; tries < 24; tries++) {
    statuses.push((await request(webs[tries % 2]!.origin, accounts.login, { body })).status)
  }
  const allowed = statuses.indexOf(429)
  expect(allowed).toBeGreaterThan(1)
  expect(statuses.slice(allowed)).toEqual(statuses.slice(allowed).map(() => 429))
})

test('[B-06] fifty requests with one key over both processes: one effect, one answer', async () => {
  const { person } = await funded('Ida Idempotent', 500)
  const options = { token: person.token, key: randomUUID() }
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      request(webs[index % 2]!.origin, newWithdrawal, { body: withdrawal(100) }, options),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map(({ data }) => data._id)).size).toBe(1)
  expect((await call(accounts.me, {}, person)).balance).toBe(400)
})

type Request = { key: string; body: ReturnType<typeof withdrawal> }

/**
 * Sends the requests to both web processes at once. One web and one worker process are killed with -9 while their
 * statements or jobs wait in the database, which decides about those after the processes have ended.
 * @returns the ids of the answered requests, by key
 */
async function sendWhileKilling(requests: Request[], person: Person): Promise<Map<string, string>> {
  const [doomedWeb, survivingWeb] = webs as [WebProcess, WebProcess]
  const [doomedWorker] = workers as [Process, Process]
  const { _id: userId } = await call(accounts.me, {}, person)
  const releaseMailbox = await block('LOCK TABLE app.mailbox IN EXCLUSIVE MODE')
  const releaseMoney = await block(
    `SELECT FROM ledger.accounts WHERE owner = '${userId}' ORDER BY id FOR UPDATE`,
  )
  const acknowledged = new Map<string, string>()
  const attempts = Promise.allSettled(
    requests.map(async ({ key, body }, index) => {
      const { origin } = webs[index % 2]!
      const { status, data } = await request(origin, newWithdrawal, { body }, { token: person.token, key })
      if (status === 200) acknowledged.set(key, data._id)
    }),
  )
  await statementsWait(2)
  await doomedWeb.kill()
  webs = [survivingWeb]
  await releaseMoney()
  await bothWorkersHaveJobs()
  await doomedWorker.kill()
  await releaseMailbox()
  const cutOff = (await attempts).filter(({ status }) => status === 'rejected')
  expect(cutOff).toHaveLength(requests.length / 2)
  return acknowledged
}

test('[B-06] the main job survives a killed web and worker: nothing lost, nothing twice', async () => {
  const { person, admin } = await funded('Stella Stranger', 10_000)
  const requests = Array.from({ length: 60 }, () => ({ key: randomUUID(), body: withdrawal(10) }))
  const acknowledged = await sendWhileKilling(requests, person)
  expect(acknowledged.size).toBe(30)

  // Every client repeats its request with its key, answered or not, and gets the first answer.
  const ids = await Promise.all(
    requests.map(async ({ key, body }) => {
      const { _id } = await call(newWithdrawal, { body }, { token: person.token, key })
      expect(acknowledged.get(key) ?? _id).toBe(_id)
      return _id
    }),
  )
  expect(new Set(ids).size).toBe(60)
  expect(await numberOfWithdrawals(person)).toBe(60)
  expect((await call(accounts.me, {}, person)).balance).toBe(10_000 - 600)

  // New processes replace the dead ones, and the job continues on both.
  workers.push(cluster.worker())
  webs = [...webs, await cluster.web()]
  for (const id of ids) {
    await pay(declineWithdrawal, admin, { params: { id }, body: { reason: 'A burst, not a wish' } })
  }
  await investEarnAndWithdraw(person, admin)
  const { balance, held, invested } = await call(accounts.me, {}, person)
  expect({ balance, held, invested }).toEqual({ balance: 5_033.33, held: 0, invested: 0 })
  expect(await statementSum(person)).toBe(503_333)
  await expectBooksInOrder()
  await expectEveryEmailOnce(person)
}, 240_000)

/** Also those of the dead worker. */
async function expectEveryEmailOnce({ email }: Person) {
  await until(noJobsLeft, 60_000)
  const { rows } = await cluster.database.owner.query<{ subject: string; count: bigint }>(
    'SELECT subject, count(*) FROM app.mailbox WHERE recipient = $1 GROUP BY subject',
    [email],
  )
  expect(rows.filter(({ count }) => count !== 1n)).toEqual([])
  const told = (happened: RegExp) => rows.filter(({ subject }) => happened.test(subject)).length
  expect(told(/^Your withdrawal WDR-\S+ was requested$/)).toBe(61)
  expect(told(/^Your withdrawal WDR-\S+ was declined$/)).toBe(60)
  expect(told(/^Your withdrawal WDR-\S+ was paid$/)).toBe(1)
}

async function numberOfWithdrawals({ token }: Person): Promise<number> {
  const response = await fetch(`${webs[0]!.origin}/api${listOwnWithdrawals.path}`, {
    headers: { authorization: `Token ${token}` },
  })
  return ((await response.json()) as { page: { total: number } }).page.total
}
