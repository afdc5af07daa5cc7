import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { createLogger } from '#server/platform/logger.ts'
import { listOwnDeposits, newDeposit } from '#shared/contract/deposits.ts'
import { newContactMessage } from '#shared/contract/site.ts'
import { listOwnWithdrawals, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { httpCaller } from '#test/support/app.ts'
import { currentPages } from '#test/support/built-pages.ts'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { until } from '#test/support/processes.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { createApp } from './app.ts'

type Line = { level: number; msg: string; err?: { code?: string; advice?: string } }

/** The product on connections of its own, with its log in memory. */
async function product(world: World, url = world.database.appUrl) {
  const lines: Line[] = []
  const log = createLogger('info', { write: line => void lines.push(JSON.parse(line) as Line) })
  const pool = openPool({ url, as: 'app', name: 'probity trouble', max: 4 })
  const services = { ...world.services, log, pool, db: openDatabase(pool) }
  const app = await createApp(services, { pages: await currentPages() })
  onTestFinished(async () => {
    await app.close()
    await pool.end()
  })
  const call = httpCaller(app, services)
  const message = { name: 'Vera', email: 'vera@example.com', subject: 'Words' }
  return {
    app,
    call,
    pool,
    // An equal message soon after the first is not stored.
    send: () => call(newContactMessage, null, { body: { ...message, message: randomUUID() } }),
    /** What was logged since the last call, without the line that each request has. */
    logged: () => lines.splice(0).filter(({ msg }) => msg !== 'request'),
  }
}

/** One world and database for the file's tests. */
const world = await openWorld({ rateLimit: false })
await world.services.db.transaction().execute(tx => loadFirm(tx, world.clock.now()))

const inWords = (words: string) => ({
  status: 503,
  code: 'not_ready',
  message: expect.stringContaining(words),
  headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
})

/** One line, with advice and without a stack. */
function expectOneLine(lines: Line[], code?: string) {
  expect(lines).toEqual([expect.objectContaining({ level: 40, msg: 'not_ready' })])
  expect(lines[0]!.err).toMatchObject({ advice: expect.stringMatching(/^PostgreSQL: /) })
  expect(JSON.stringify(lines)).not.toMatch(/"stack"|\.ts:\d/)
  if (code !== undefined) expect(JSON.stringify(lines)).toContain(`"code":"${code}"`)
}

test.each([
  ['08006', 'lost the connection to our database'],
  ['25006', 'accepts no changes right now'],
  ['25P03', 'took too long'],
  ['40001', 'changing the same data'],
  ['40P01', 'changing the same data'],
  ['53000', 'short of memory'],
  ['53100', 'storage is full'],
  ['53200', 'short of memory'],
  ['53300', 'waiting for our database'],
  ['55P03', 'has not finished yet'],
  ['57014', 'took too long'],
  ['57P01', 'is restarting'],
  ['57P02', 'is restarting'],
  ['57P03', 'is restarting'],
  ['58030', 'storage has a fault'],
  ['PB915', 'clocks did not agree'],
])('SQLSTATE %s is a 503 that says what happened, and one line of the log', async (code, words) => {
  const { send, logged } = await product(world)
  await world.owner(`
    CREATE FUNCTION app.in_trouble() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'in trouble' USING ERRCODE = '${code}'; END $$;
    CREATE TRIGGER in_trouble BEFORE INSERT ON app.contact_messages EXECUTE FUNCTION app.in_trouble()`)
  const answer = await send()
  await world.owner('DROP FUNCTION app.in_trouble CASCADE')
  expect(answer).toMatchObject(inWords(words))
  expectOneLine(logged(), code)
  expect(await send()).toMatchObject({ status: 200 })
})

test('on a read-only server writes answer 503, and a new connection ends that', async () => {
  const database = new URL(world.database.ownerUrl).pathname.slice(1)
  const writable = () =>
    world.owner(
      `BEGIN; SET TRANSACTION READ WRITE; ALTER DATABASE ${database} RESET default_transaction_read_only; COMMIT`,
    )
  onTestFinished(async () => void (await writable()))
  await world.owner(`ALTER DATABASE ${database} SET default_transaction_read_only = on`)
  const { app, send, logged } = await product(world)
  expect(await send()).toMatchObject(inWords('accepts no changes right now. Nothing was changed.'))
  expectOneLine(logged(), '25006')
  expect((await app.inject('/about')).statusCode).toBe(200)
  // Like a failover: open connections lead to the old server, new ones to another.
  await writable()
  await until(async () => (await send()).status === 200)
})

test('a refused connection answers 503 with words, and pages say it too', async () => {
  const database = new URL(world.database.ownerUrl).pathname.slice(1)
  const { app, pool, send, logged } = await product(world)
  await world.owner(`ALTER DATABASE ${database} CONNECTION LIMIT 0`)
  await world.owner(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'probity trouble'",
  )
  await until(() => pool.totalCount === 0)
  logged()
  expect(await send()).toMatchObject(inWords('Too many requests are waiting for our database'))
  expectOneLine(logged(), '53300')
  const { statusCode, headers, body } = await app.inject('/about')
  await world.owner(`ALTER DATABASE ${database} CONNECTION LIMIT -1`)
  expect({ statusCode, retryAfter: headers['retry-after'] }).toEqual({ statusCode: 503, retryAfter: '10' })
  expect(body).toContain('A part of our system is busy or restarting.')
  expect(body).not.toContain('contact our support team')
  for (const { err } of logged()) expect(err).toMatchObject({ code: '53300' })
})

test('a session that PostgreSQL ends during a request is a 503 with one line', async () => {
  const { send, logged } = await product(world)
  const blocker = await world.ownerPool.connect()
  await blocker.query('BEGIN; LOCK TABLE app.contact_messages')
  const sent = send()
  const waiting = `application_name = 'probity trouble' AND wait_event_type = 'Lock'`
  await until(async () => {
    const { rows } = await blocker.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${waiting}`,
    )
    return rows.length > 0
  })
  await blocker.query('ROLLBACK')
  blocker.release()
  expect(await sent).toMatchObject(inWords('Our database is restarting. Please try again in a moment.'))
  expectOneLine(logged(), '57P01')
})

const bitcoinAddress = 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp'

test.each(['before', 'after'] as const)(
  '[B-06] cut off %s its COMMIT, an act is repeated with its key and done once',
  async when => {
    const { url, cutAt } = await databaseProxy(world.database.appUrl)
    const { call, logged } = await product(world, url)
    const person = await world.person(`Cora ${when}`)
    const act = () =>
      call(
        newDeposit,
        person.caller,
        { body: { method: 'usdt', amount: 150 } },
        { idempotencyKey: `deposit-${when}` },
      )
    cutAt('commit', when)
    const answer = await act()
    expect(answer).toMatchObject({ ...inWords('it may have been done'), reason: 'outcome_unknown' })
    expect(answer.message).toContain('Send it again with the same Idempotency-Key: it is never done twice.')
    expectOneLine(logged())
    expect(await act()).toMatchObject({ status: 200 })
    expect((await call(listOwnDeposits, person.caller)).page!.total).toBe(1)
  },
)

test.each(['before', 'after'] as const)(
  '[B-06] cut off %s its answer, a withdrawal is repeated with its key and made once',
  async when => {
    const { url, cutAt } = await databaseProxy(world.database.appUrl)
    const { call, logged } = await product(world, url)
    const person = await world.person(`Wim ${when}`)
    await world.fund(person, 50_000n)
    const act = () =>
      call(
        newWithdrawal,
        person.caller,
        { body: { amount: 100, wallet: 'Bitcoin (BTC)', address: bitcoinAddress } },
        { idempotencyKey: `withdrawal-${when}` },
      )
    cutAt('execute_money', when)
    expect(await act()).toMatchObject({ ...inWords('it may have been done'), reason: 'outcome_unknown' })
    expectOneLine(logged())
    expect(await act()).toMatchObject({ status: 200 })
    expect((await call(listOwnWithdrawals, person.caller)).page!.total).toBe(1)
  },
)

test('an act without a key that may have been done says to check first', async () => {
  const { url, cutAt } = await databaseProxy(world.database.appUrl)
  const { send } = await product(world, url)
  cutAt('commit', 'after')
  expect(await send()).toMatchObject(
    inWords('it may have been done. Check whether it was before you try again.'),
  )
})
