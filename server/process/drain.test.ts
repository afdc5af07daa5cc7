import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { signup } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { openStream } from '#test/support/live.ts'
import { until, watch } from '#test/support/processes.ts'
import { MAIN } from '#tools/product-build.ts'

/** Clients on a slow machine notice it in time. */
const DRAIN_SECONDS = 4

/** A real web process, which the test stops by its id. */
async function webProcess({ appUrl }: TestDatabase) {
  const folder = mkdtempSync(join(tmpdir(), 'probity-drain-'))
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    PORT: '0',
    DATABASE_URL: appUrl,
    RATE_LIMIT: 'off',
    DRAIN_SECONDS: String(DRAIN_SECONDS),
  }
  const { child, said, ended } = watch(process.execPath, [MAIN, 'web'], { env })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended()
    rmSync(folder, { recursive: true, force: true })
  })
  const [, origin = ''] = await said(/Listening on (http:[^"]+)/)
  return { origin, ended, terminate: () => child.kill('SIGTERM') }
}

type Answer = { status: number; connection: string | undefined; body: string }

/** One request. @throws the connection's error */
async function ask(url: string, agent: Agent | false, body?: object): Promise<Answer> {
  const sent = request(url, {
    agent,
    method: body ? 'POST' : 'GET',
    headers: body ? { 'content-type': 'application/json' } : {},
  })
  sent.end(body && JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headers } = response
  return { status, connection: headers.connection, body: await text(response) }
}

const person = () => ({
  name: 'Dora',
  email: `${randomUUID()}@example.com`,
  phone: '+61 400 000 000',
  country: 'Australia',
  password: 'correct horse',
})

/** Sends one request after the other until told to stop. @returns the statuses and errors */
async function client(
  url: string,
  agent: Agent | false,
  isOver: () => boolean,
): Promise<(number | string)[]> {
  const outcomes: (number | string)[] = []
  while (!isOver()) {
    const { status } = await ask(url, agent).catch((error: NodeJS.ErrnoException) => ({
      status: error.code ?? error.message,
    }))
    outcomes.push(status)
  }
  return outcomes
}

test('after SIGTERM all requests sent before the end of the drain are answered', async () => {
  const { origin, ended, terminate } = await webProcess(await testDatabase())
  let isStopping = false
  const plans = `${origin}/api/plan/get-all`
  const agents = [
    false,
    false,
    false,
    ...Array.from({ length: 5 }, () => new Agent({ keepAlive: true })),
  ] as const
  const clients = agents.map(agent => client(plans, agent, () => isStopping))
  const idle = new Agent({ keepAlive: true })
  expect(await ask(plans, idle)).toMatchObject({ status: 200, connection: 'keep-alive' })
  terminate()
  const ready = () => ask(`${origin}/api/ready`, false)
  await until(async () => (await ready()).status === 503)
  expect(JSON.parse((await ready()).body)).toMatchObject({
    code: 'not_ready',
    message: 'This process is about to stop',
  })
  // An idle connection can still be used, once.
  expect(await ask(plans, idle)).toMatchObject({ status: 200, connection: 'close' })
  // A load balancer sends nothing more.
  isStopping = true
  const outcomes = (await Promise.all(clients)).flat()
  expect(outcomes.length).toBeGreaterThan(agents.length)
  expect(outcomes.filter(status => status !== 200)).toEqual([])
  expect(await ended()).toBe(0)
})

test('SIGTERM ends live streams in order and answers what is under way', async () => {
  const database = await testDatabase()
  await database.db.transaction().execute(tx => loadFirm(tx, new Date()))
  const { origin, ended, terminate } = await webProcess(database)
  const register = () => ask(`${origin}/api${signup.path}`, false, person())
  const { token } = (JSON.parse((await register()).body) as { data: CallData<typeof signup> }).data
  const stream = await openStream(origin, token.accessToken)
  const blocker = await database.owner.connect()
  await blocker.query('BEGIN; LOCK TABLE app.sessions')
  const waiting = register()
  await until(async () => {
    const { rowCount } = await blocker.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'probity' AND wait_event_type = 'Lock'`,
    )
    return rowCount === 1
  })
  terminate()
  await stream.ends()
  const refused = await ask(origin, false).catch((error: NodeJS.ErrnoException) => error.code)
  expect(refused).toBe('ECONNREFUSED')
  await blocker.query('ROLLBACK')
  blocker.release()
  expect(await waiting).toMatchObject({ status: expect.any(Number), connection: 'close' })
  expect(await ended()).toBe(0)
})
