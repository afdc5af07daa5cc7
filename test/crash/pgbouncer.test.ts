import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import * as accounts from '#shared/contract/accounts.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { balanced, openCluster, request, type WebProcess } from '#test/support/cluster.ts'
import { actsWith, withdrawal } from '#test/support/cluster-acts.ts'
import { openStream } from '#test/support/live.ts'
import { type PooledDatabase, pooledDatabase, withoutPgbouncer } from '#test/support/pgbouncer.ts'
import { until, watch } from '#test/support/processes.ts'
import { MAIN } from '#tools/product-build.ts'

const modes = ['transaction', 'session'] as const

/** Two web processes and a worker, with the same settings; the database is reached as an operator would have it. */
describe.skipIf(withoutPgbouncer).each(modes)('the product behind PgBouncer in %s mode', mode => {
  let database: PooledDatabase
  let webs: [WebProcess, WebProcess]
  const call = balanced(() => webs)
  const { signIn, register, pay, funded, investEarnAndWithdraw } = actsWith(call)

  beforeAll(async () => {
    database = await pooledDatabase()
    // In session mode, connections that idle take one of PostgreSQL's, too.
    const size = mode === 'session' ? 80 : 5
    const url = await database.startPgbouncer(mode, { default_pool_size: size })
    const direct = mode === 'session' ? {} : { DIRECT_DATABASE_URL: database.directUrl }
    const cluster = await openCluster({ database, settings: { DATABASE_URL: url, ...direct } })
    cluster.worker()
    webs = await Promise.all([cluster.web(), cluster.web()])
  }, 300_000)

  test('money goes in, is invested, earns and is paid out, and the books are in order', async () => {
    const { person, admin } = await funded('Paula Pooled', 10_000)
    await investEarnAndWithdraw(person, admin)
    const { balance, held, invested } = await call(accounts.me, {}, person)
    expect({ balance, held, invested }).toEqual({ balance: 5_033.33, held: 0, invested: 0 })
    const { checks } = await checkBooks(database.owner, { info() {}, error() {} })
    expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
  }, 60_000)

  test('of fifty requests with one key, one has an effect, and all get its answer', async () => {
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

  test('a session that ends on one web process is over on the other', async () => {
    const { token } = await signIn('investor@probity.test', 'demo-investor')
    expect((await request(webs[1].origin, accounts.me, {}, { token })).status).toBe(200)
    expect((await request(webs[0].origin, accounts.logout, {}, { token })).status).toBe(200)
    await until(async () => (await request(webs[1].origin, accounts.me, {}, { token })).status === 401)
  })

  test('open pages hear of changes on the other web process', async () => {
    const admin = await signIn('admin@probity.test', 'demo-admin')
    const person = await register('Liv Listener')
    const page = await openStream(webs[0].origin, person.token)
    const deposit = await pay(newDeposit, person, { body: { method: 'usdt', amount: 150 } })
    const key = randomUUID()
    const approval = { params: { id: deposit._id } }
    await request(webs[1].origin, approveDeposit, approval, { token: admin.token, key })
    await page.hears('deposits', 'notifications')
    page.close()
  })

  test('a web process logs its way through a pooler, and no warning or error', () => {
    for (const { output } of webs) {
      expect(output().includes('DATABASE_URL leads through a pooler')).toBe(mode === 'transaction')
      expect(output()).not.toMatch(/"level":(40|50|60)/)
    }
  })
})

describe.skipIf(withoutPgbouncer)(
  'a start with a pooler in transaction mode and no direct connection',
  () => {
    let environment: NodeJS.ProcessEnv

    beforeAll(async () => {
      const url = await (await pooledDatabase()).startPgbouncer('transaction')
      environment = {
        PATH: process.env.PATH,
        PORT: '0',
        DATABASE_URL: url,
        TOKEN_SECRET: 'of a start that is refused with words',
      }
    })

    test.each(['web', 'worker', 'migrate'])('of %s ends with 78 and says what to set', async role => {
      const { child, ended, output } = watch(process.execPath, [MAIN, role], { env: environment })
      onTestFinished(() => void child.kill('SIGKILL'))
      expect(await ended()).toBe(78)
      expect(output()).toContain(
        'DATABASE_URL: leads through a pooler in transaction mode. Set DIRECT_DATABASE_URL to PostgreSQL itself',
      )
    })
  },
)
