import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { loadConfig } from '#server/config.ts'
import { loadFirm } from '#server/demo/firm.ts'
import { job } from '#server/jobs/job.ts'
import { startWorker } from '#server/jobs/runner.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openPool } from '#server/platform/database/pool.ts'
import { createLogger } from '#server/platform/logger.ts'
import { defineTask, enqueueAll, traceparentIn } from '#server/platform/queue.ts'
import { startWatching } from '#server/process/chain-worker.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { newContactMessage } from '#shared/contract/site.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type Collector, type ReceivedSpan, startCollector } from '#test/support/collector.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { listening } from '#test/support/listening.ts'
import { startMailServer } from '#test/support/mail-server.ts'
import { until, type Watched, watch } from '#test/support/processes.ts'
import { scriptedChain } from '#test/support/scripted-chain.ts'
import { webhookTo } from '#test/support/webhooks.ts'
import { addresses } from '#test/support/withdrawals.ts'
import { openWorld } from '#test/support/world.ts'
import { freePort } from '#tools/free-port.ts'
import { MAIN } from '#tools/product-build.ts'
import { send } from './outgoing.ts'
import { startTracing } from './start-tracing.ts'
import { startAct, traced } from './tracing.ts'

const folder = mkdtempSync(join(tmpdir(), 'probity-tracing-'))
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.db.transaction().execute(tx => loadFirm(tx, new Date()))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A process of the product. */
function start(role: string, environment: NodeJS.ProcessEnv = {}, options: string[] = []): Watched {
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', DATABASE_URL: database.appUrl }
  const watched = watch(process.execPath, [...options, MAIN, role], { env: { ...env, ...environment } })
  atEnd(() => watched.child.kill('SIGKILL'))
  return watched
}

const originOf = async (web: Watched) => (await web.said(/Listening on (http:[^"]+)/))[1]!

/** Asks a process to end, which sends what it has not sent. @returns its exit code */
function stop({ child, ended }: Watched): Promise<number | string> {
  child.kill('SIGTERM')
  return ended()
}

const person = {
  name: 'Wilhelmina Secretive',
  email: 'wilhelmina@example.com',
  phone: '+61 412 345 678',
  country: 'Liechtenstein',
  password: 'a very private sentence',
}

const FORGED = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

async function signUp(origin: string) {
  const response = await fetch(`${origin}/api/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'secret-agent', traceparent: FORGED },
    body: JSON.stringify(person),
  })
  expect(response.status).toBe(200)
  const answer = (await response.json()) as {
    data: { token: Record<'accessToken' | 'refreshToken', string> }
  }
  return { requestId: response.headers.get('x-request-id'), ...answer.data.token }
}

const childrenOf = (spans: readonly ReceivedSpan[], { traceId, spanId }: ReceivedSpan) =>
  spans.filter(span => span.traceId === traceId && span.parentId === spanId)

describe('a process with a collector', () => {
  let collector: Collector
  let signedUp: Awaited<ReturnType<typeof signUp>>
  let request: ReceivedSpan
  beforeAll(async () => {
    collector = await startCollector()
    const mailServer = await startMailServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of%20ours',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'noreply@example.com',
    }
    const web = start('web', { ...environment, OTEL_SERVICE_NAME: 'our-web' })
    const worker = start('worker', environment)
    const origin = await originOf(web)
    signedUp = await signUp(origin)
    const headers = { authorization: `Bearer ${signedUp.accessToken}` }
    await fetch(`${origin}/api/auth/sessions?secret=secret-query`, { headers })
    await fetch(`${origin}/secret-page?token=secret-query`)
    await until(() => mailServer.received.length > 0)
    await stop(web)
    await stop(worker)
    await mailServer.stop()
    request = collector.spans.find(({ name }) => name === 'POST /api/auth/signup')!
  }, 180_000)

  test("[V-05] a request's span follows the conventions, and its statements are its children", () => {
    expect(request).toMatchObject({ kind: 'SERVER', parentId: '', isError: false })
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/auth/signup',
      'http.response.status_code': 200,
      'http.response.header.x-request-id': [signedUp.requestId],
      'url.scheme': 'http',
    })
    const statements = childrenOf(collector.spans, request)
    const names = statements.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['BEGIN', 'INSERT app.users', 'SELECT graphile_worker.add_job', 'COMMIT']),
    )
    expect(statements.find(({ name }) => name === 'INSERT app.users')).toMatchObject({
      kind: 'CLIENT',
      attributes: {
        'db.system.name': 'postgresql',
        'db.operation.name': 'INSERT',
        'db.query.summary': 'INSERT app.users',
      },
    })
  })

  test('[V-05] the trace goes from the request to its job and its email', () => {
    const job = childrenOf(collector.spans, request).find(({ kind }) => kind === 'CONSUMER')!
    expect(job).toMatchObject({
      name: 'process send_mail',
      isError: false,
      attributes: { 'messaging.destination.name': 'send_mail', 'messaging.message.id': expect.any(String) },
    })
    const email = childrenOf(collector.spans, job).find(({ name }) => name === 'SMTP send')
    expect(email).toMatchObject({ kind: 'CLIENT', attributes: { 'server.address': '127.0.0.1' } })
  })

  test('[V-05] the standard variables name the service, its attributes and the key', () => {
    const resourceOf = (kind: string) => collector.spans.find(span => span.kind === kind)?.resource
    expect(resourceOf('SERVER')).toMatchObject({
      'service.name': 'our-web',
      'deployment.environment.name': 'staging',
    })
    expect(resourceOf('CONSUMER')).toMatchObject({ 'service.name': 'probity' })
    expect(collector.requests[0]).toMatchObject({ url: '/v1/traces', headers: { 'api-key': 'of ours' } })
  })

  test('[V-05] no span has a person, a query string, a token or a forged parent', () => {
    const text = collector.text()
    expect(text).toContain('/api/auth/sessions')
    const { accessToken, refreshToken } = signedUp
    const [, forgedTrace, forgedSpan] = FORGED.split('-')
    for (const secret of [...Object.values(person), accessToken, refreshToken, 'secret-', 'secret_'])
      expect(text).not.toContain(secret)
    expect(collector.spans.filter(({ traceId }) => traceId === forgedTrace)).toEqual([])
    expect(collector.spans.filter(({ parentId }) => parentId === forgedSpan)).toEqual([])
  })
})

test("[V-05] a visitor's traceparent cannot have a request sampled", async () => {
  const collector = await startCollector()
  const web = start('web', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  const origin = await originOf(web)
  await fetch(`${origin}/api/health`, { headers: { traceparent: FORGED } })
  expect(await stop(web)).toBe(0)
  expect(collector.requests).toEqual([])
}, 120_000)

/** Prints the address of each module of OpenTelemetry that a process loads. prom-client loads the API, for exemplars. */
const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (/@opentelemetry.(?!api.dist)/.test(url)) process.stderr.write('loaded ' + url + '\\n')
      return next(url, context)
    },
  })`)}`

test('[V-05] without an endpoint a process loads nothing of OpenTelemetry', async () => {
  for (const [environment, loads] of [
    [{ OTEL_SERVICE_NAME: 'probity', OTEL_TRACES_SAMPLER: 'always_on' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, true],
  ] as const) {
    const web = start('web', environment, ['--import', HOOK])
    expect((await fetch(`${await originOf(web)}/api/health`)).status).toBe(200)
    await stop(web)
    expect(/^loaded /m.test(web.output())).toBe(loads)
  }
}, 180_000)

describe('a collector that fails', () => {
  test('[V-05] while it is down, requests are answered and the process stops', async () => {
    const web = start('web', { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` })
    expect((await fetch(`${await originOf(web)}/api/health`)).status).toBe(200)
    expect(await stop(web)).toBe(0)
    expect(web.output()).not.toContain('Not stopped')
  }, 120_000)

  test('[V-05] while it refuses, there is one line, and requests are answered', async () => {
    const collector = await startCollector(400)
    const web = start('web', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin })
    const origin = await originOf(web)
    expect((await fetch(`${origin}/api/health`)).status).toBe(200)
    await until(() => collector.requests.length === 1)
    expect((await fetch(`${origin}/api/health`)).status).toBe(200)
    expect(await stop(web)).toBe(0)
    expect(collector.requests).toHaveLength(2)
    expect(web.output().match(/traces could not be exported/g)).toHaveLength(1)
  }, 120_000)
})

const log = createLogger('error', { write: () => {} })

/** The services of a process on the test's database. */
function services() {
  const config = loadConfig({ DATA_DIR: folder, TOKEN_SECRET: 'x'.repeat(32) })
  return { config, pool: database.app, db: database.db, clock: systemClock, log }
}

/** Traces work of this process. @returns ends it, then gives its spans */
async function tracedHere() {
  const collector = await startCollector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.origin)
  onTestFinished(() => void vi.unstubAllEnvs())
  const end = startTracing({ sampler: 'always_on', ratio: 1 }, log)
  onTestFinished(end)
  return async () => {
    await end()
    return collector.spans
  }
}

test('[V-05] statements that wait for a connection stay in the trace of their own act', async () => {
  const spansOf = await tracedHere()
  const pool = openPool({ url: database.appUrl, as: 'app', name: 'probity test', max: 1 })
  onTestFinished(() => pool.end())
  const tables = ['app.users', 'app.plan_versions', 'app.sessions', 'ledger.entries']
  await Promise.all(
    tables.map(table =>
      traced(startAct(table, { kind: 'INTERNAL' }), () => pool.query(`SELECT FROM ${table} LIMIT 1`)),
    ),
  )
  await expect(
    traced(startAct('failing', { kind: 'INTERNAL' }), () => pool.query('SELECT nothing_of_that_name')),
  ).rejects.toThrow()
  await pool.query('SELECT FROM app.machines')
  const spans = await spansOf()
  const statements = spans.filter(({ kind, name }) => kind === 'CLIENT' && name.startsWith('SELECT'))
  const ofActs = statements.map(({ name, parentId }) => [
    name,
    spans.find(({ spanId }) => spanId === parentId)?.name,
  ])
  expect(ofActs.toSorted()).toEqual(
    [['SELECT', 'failing'], ...tables.map(table => [`SELECT ${table}`, table])].toSorted(),
  )
  expect(spans.filter(({ isError }) => isError).map(({ attributes }) => attributes['error.type'])).toEqual([
    '42703',
    '42703',
  ])
})

test('[V-05] an outgoing request shows its host and its status, never its path or key', async () => {
  const spansOf = await tracedHere()
  const received: unknown[] = []
  const origin = await listening(({ headers }, response) => {
    received.push(headers.traceparent)
    response.writeHead(503).end()
  })
  await traced(startAct('act', { kind: 'INTERNAL' }), async () => {
    await send(`${origin}/v2/secret-key?address=secret-address`, { method: 'GET' })
    await expect(send('http://127.0.0.1:1/secret-key', { method: 'POST' })).rejects.toThrow()
  })
  await send(`${origin}/outside`, { method: 'GET' })
  const spans = await spansOf()
  expect(JSON.stringify(spans)).not.toContain('secret-')
  expect(spans.filter(({ kind }) => kind === 'CLIENT')).toMatchObject([
    {
      name: 'GET',
      isError: true,
      attributes: {
        'http.request.method': 'GET',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(origin).port),
        'http.response.status_code': 503,
        'error.type': '503',
      },
    },
    { name: 'POST', isError: true, attributes: { 'server.port': 1, 'error.type': 'Error' } },
  ])
  expect(received).toEqual([undefined, undefined])
})

test("[V-05] a failing job is in its act's trace, with the error's code and never its words", async () => {
  const spansOf = await tracedHere()
  const life = new Lifetime()
  onTestFinished(() => life.end())
  const task = defineTask('note_failing', z.object({}))
  let attempts = 0
  const failing = job(task, async () => {
    attempts += 1
    throw Object.assign(new Error('secret-words'), { code: 'ECONNREFUSED' })
  })
  await traced(startAct('act', { kind: 'INTERNAL' }), () => enqueueAll(task, [{}]).execute(database.db))
  await startWorker(services(), life, { jobs: [failing] })
  await until(() => attempts > 0)
  await life.end()
  const spans = await spansOf()
  const act = spans.find(({ name }) => name === 'act')!
  expect(childrenOf(spans, act).find(({ kind }) => kind === 'CONSUMER')).toMatchObject({
    name: 'process note_failing',
    isError: true,
    attributes: { 'error.type': 'ECONNREFUSED' },
  })
  expect(JSON.stringify(spans)).not.toContain('secret-')
})

test('[V-05] jobs that the database queues are in the trace of their act', async () => {
  const world = await openWorld({ rateLimit: false })
  const investor = await world.person('Ines Investor')
  await world.fund(investor, 100_000n)
  await webhookTo(world, undefined, ['message.received', 'withdrawal.requested'])
  const ask = (amount: number) => {
    const body = { amount, wallet: 'Bitcoin (BTC)', address: addresses['Bitcoin (BTC)'] } as const
    return world.call(newWithdrawal, investor, { body })
  }
  await ask(100)
  const { rows } = await world.owner('SELECT max(id) AS last FROM graphile_worker._private_jobs')
  const spansOf = await tracedHere()
  const acting = (name: string, act: () => Promise<unknown>) =>
    traced(startAct(name, { kind: 'INTERNAL' }), act)
  const body = { name: 'a', email: 'a@example.com', subject: 'A question', message: 'And its words' }
  await acting('message', () => world.call(newContactMessage, null, { body }))
  await Promise.all([acting('first', () => ask(110)), acting('second', () => ask(120))])
  const spans = await spansOf()
  await ask(130)
  const { rows: jobs } = await world.owner(
    `SELECT j.task_identifier AS task, j.flags FROM graphile_worker.jobs j
      WHERE j.id > ${rows[0].last} ORDER BY j.id`,
  )
  const actsOf = (task: string) =>
    jobs
      .filter(job => job.task === task)
      .map(({ flags }) => traceparentIn(flags)?.split('-')[1])
      .map(traceId => spans.find(span => span.traceId === traceId && span.parentId === '')?.name)
  // Also where both withdrawals are one statement; without tracing there is none.
  expect(actsOf('notify_security').toSorted()).toEqual(['first', 'second', undefined])
  const [message, ...withdrawals] = actsOf('deliver_webhooks')
  expect([message, withdrawals.at(-1)]).toEqual(['message', undefined])
  expect(['first', 'second']).toContain(withdrawals[0])
})

test("[V-05] a network's sync is a trace of its own, with its statements", async () => {
  const spansOf = await tracedHere()
  const { chain, asked } = scriptedChain()
  const chainFor = (rail: string) => (rail === 'bitcoin' ? chain : undefined)
  const end = startWatching(services(), { chainFor, pauseMs: 10 })
  await until(() => asked.length > 0)
  await end()
  const spans = await spansOf()
  const sync = spans.find(({ name }) => name === 'sync bitcoin')!
  expect(sync).toMatchObject({ kind: 'INTERNAL', parentId: '' })
  expect(childrenOf(spans, sync).map(({ kind }) => kind)).toContain('CLIENT')
})
