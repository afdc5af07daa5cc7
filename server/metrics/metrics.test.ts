import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { routeLabel } from '#server/http/measure.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { until, type Watched, watch } from '#test/support/processes.ts'
import { MAIN } from '#tools/product-build.ts'

/** Real processes, scraped as Prometheus does. */
const TOKEN = 'the token that Prometheus shows to us'
const folder = mkdtempSync(join(tmpdir(), 'probity-metrics-'))
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.db.transaction().execute(tx => loadFirm(tx, new Date()))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Told = Watched & { metricsUrl: string }

async function start(role: string, environment: NodeJS.ProcessEnv = {}): Promise<Told> {
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: database.appUrl,
    ...environment,
  }
  const watched = watch(process.execPath, [MAIN, role], { env })
  onTestFinished(async () => {
    watched.child.kill('SIGTERM')
    await watched.ended()
  })
  const [, metricsUrl = ''] = await watched.said(/Metrics on (http:[^"]+)/)
  return { ...watched, metricsUrl }
}

/** Status and text, by node:http, which lets a test choose the Host header. */
function ask(url: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, agent: false }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    asked.on('error', reject).end()
  })
}

/** The samples of a metrics text, by name with labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map(line => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

const read = async ({ metricsUrl }: Told) => samplesOf((await ask(metricsUrl)).text)
const originOf = async (web: Told) => (await web.said(/Listening on (http:[^"]+)/))[1]!

describe('the address', () => {
  test("[V-05] no metrics without METRICS_PORT, and never on the product's port", async () => {
    const web = watch(process.execPath, [MAIN, 'web'], {
      env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', DATABASE_URL: database.appUrl },
    })
    const [, origin = ''] = await web.said(/Listening on (http:[^"]+)/)
    for (const path of ['/metrics', '/api/metrics']) {
      const answer = await ask(origin + path)
      expect(answer.status).toBe(404)
      expect(answer.text).not.toContain('probity_')
    }
    web.child.kill('SIGTERM')
    await web.ended()
    expect(web.output()).not.toContain('Metrics on')
  })

  test('[V-05] without a token only this machine may read metrics, whatever the Host header', async () => {
    const worker = await start('worker')
    const { hostname, port } = new URL(worker.metricsUrl)
    expect(hostname).toBe('127.0.0.1')
    expect((await ask(worker.metricsUrl)).status).toBe(200)
    expect((await ask(worker.metricsUrl, { host: `localhost:${port}` })).status).toBe(200)
    const outside = await ask(worker.metricsUrl, { host: 'invest.example.com' })
    expect(outside).toEqual({ status: 403, text: '' })
    expect((await ask(worker.metricsUrl.replace('/metrics', '/'))).status).toBe(404)
  })

  test('[V-05] with a token set, requests without it are refused', async () => {
    const worker = await start('worker', { METRICS_HOST: '0.0.0.0', METRICS_TOKEN: TOKEN })
    const url = worker.metricsUrl.replace('0.0.0.0', '127.0.0.1')
    for (const headers of [{}, { authorization: `Bearer ${TOKEN}x` }, { authorization: TOKEN }])
      expect(await ask(url, headers as Record<string, string>)).toEqual({ status: 401, text: '' })
    expect((await ask(url, { authorization: `Bearer ${TOKEN}` })).text).toContain('probity_database_up 1')
  })

  test('[V-05] a port that is in use ends the start, by its own name', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const env = {
      PATH: process.env.PATH,
      DATA_DIR: folder,
      METRICS_PORT: `${port}`,
      DATABASE_URL: database.appUrl,
    }
    const worker = watch(process.execPath, [MAIN, 'worker'], { env: { ...env, LOG_LEVEL: 'warn' } })
    expect(await worker.ended()).toBe(1)
    expect(worker.output()).toBe(
      `Port ${port} is in use. Stop what uses it, or set METRICS_PORT to another one.\n`,
    )
    other.close()
  })
})

const answered = (method: string, route: string, status: number) =>
  `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`

describe('metrics of a web process', () => {
  test('[V-05] counts requests by pattern and status, never by address', async () => {
    const web = await start('web')
    const origin = await originOf(web)
    // Node.js's own metrics come and go with its garbage collections and handles.
    const ours = (all: ReadonlyMap<string, number>) =>
      [...all.keys()].filter(name => /^(probity|http)_/.test(name)).length
    const before = ours(await read(web))
    const login = (email: string) =>
      fetch(`${origin}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'not the password' }),
      })
    expect((await login('nobody@example.com')).status).toBe(401)
    await fetch(`${origin}/api/health`)
    const visit = async (at: number) => {
      const tail = `secret-${at}`
      await fetch(`${origin}/${tail}?token=${tail}`)
      await fetch(`${origin}/api/${tail}`)
      await fetch(`${origin}/api/investment/get-one/${tail}`)
      await fetch(`${origin}/api/docs/${tail}`)
      await fetch(`${origin}/assets/${tail}.js`)
      await ask(`${origin}/${tail}`, { 'x-forwarded-for': tail })
      await fetch(`${origin}/api/health`, { method: 'PATCH' })
    }
    for (const at of [0, 1, 2, 3]) await visit(at)
    const samples = await read(web)
    const names = [...samples.keys()]
    expect(samples.get(answered('POST', '/api/auth/login', 401))).toBe(1)
    expect(samples.get(answered('GET', '/api/health', 200))).toBe(1)
    expect(samples.get(answered('GET', 'page', 404))).toBeGreaterThanOrEqual(8)
    expect(samples.get(answered('GET', '/api/investment/get-one/:id', 401))).toBe(4)
    expect(names.join('\n')).not.toContain('secret-')
    // The same visits again, without a new series.
    for (const at of [4, 5, 6, 7, 8, 9]) await visit(at)
    expect(ours(await read(web))).toBe(ours(samples))
    expect(ours(samples)).toBeGreaterThan(before)
  }, 120_000)

  test('[V-05] exports process, event loop, pool and queue with the documented labels', async () => {
    const web = await start('web', { DATABASE_CONNECTIONS: '7' })
    const samples = await read(web)
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_open_fds',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
      'probity_http_requests_in_flight',
      'probity_live_streams',
      'probity_database_waiting',
    ])
      expect(samples.get(name), name).toBeGreaterThanOrEqual(0)
    expect(samples.get('probity_database_connections_limit')).toBe(7)
    expect(samples.get('probity_database_up')).toBe(1)
    // The tests' server does not archive (one that does: test/live/pgbackrest.test.ts).
    expect(samples.has('probity_wal_archived_age_seconds')).toBe(false)
  })

  test('[V-05] a request that waits is in flight, and one whose client goes away is over', async () => {
    const web = await start('web')
    const origin = await originOf(web)
    const blocker = await database.owner.connect()
    await blocker.query('BEGIN; LOCK TABLE app.users')
    const leaving = new AbortController()
    const asked = fetch(`${origin}/api/auth/login`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'secret' }),
    }).catch((error: Error) => error.name)
    const inFlight = async () => (await read(web)).get('probity_http_requests_in_flight')
    await until(async () => (await inFlight()) === 1)
    expect((await read(web)).get('probity_database_connections{state="busy"}')).toBeGreaterThanOrEqual(1)
    leaving.abort()
    expect(await asked).toBe('AbortError')
    await until(async () => (await inFlight()) === 0)
    await blocker.query('ROLLBACK')
    blocker.release()
    expect((await read(web)).get(answered('POST', '/api/auth/login', 0))).toBe(1)
  })
})

describe('metrics of a worker', () => {
  test('[V-05] every process exports jobs, emails and their age, with unsendable emails', async () => {
    const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
    const worker = await start('worker')
    await queueMail(database.db, mail)
    const sent = 'probity_mails_total{outcome="sent"}'
    await until(async () => (await read(worker)).get(sent) === 1)
    await until(
      async () =>
        (await read(worker)).get('probity_job_duration_seconds_count{task="send_mail",outcome="done"}') === 1,
    )
    await until(async () => (await read(worker)).get('probity_books_ok') === 1)
    expect((await read(worker)).get('probity_books_checked_age_seconds')).toBeLessThan(600)
    const lag = 'probity_seal_lag_seconds'
    await until(async () => (await read(worker)).get(lag) === 0)
    worker.child.kill('SIGTERM')
    await worker.ended()

    const web = await start('web')
    await database.app.query(
      `INSERT INTO app.audit_log (action, at) VALUES ('login', now() - interval '90 s')`,
    )
    await until(async () => ((await read(web)).get(lag) ?? 0) >= 90)
    await queueMail(database.db, mail)
    const waiting = 'probity_jobs_waiting{task="send_mail"}'
    await until(async () => (await read(web)).get(waiting) === 1)
    const age = 'probity_jobs_oldest_seconds{task="send_mail"}'
    await until(async () => ((await read(web)).get(age) ?? 0) > 0.5)

    const faraway = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@example.com' }
    const failing = await start('worker', faraway)
    await until(async () => ((await read(failing)).get('probity_mails_total{outcome="failed"}') ?? 0) >= 1)
    await database.app.query(
      `UPDATE graphile_worker._private_jobs j SET attempts = max_attempts, locked_at = NULL, locked_by = NULL
         FROM graphile_worker._private_tasks t WHERE t.id = j.task_id AND t.identifier = 'send_mail'`,
    )
    await until(async () => (await read(web)).get('probity_jobs_failed{task="send_mail"}') === 1)
  }, 120_000)
})

test('[V-05, K-03] networks export their sync state and debts, and lists their age', async () => {
  const rows = `
    INSERT INTO app.chain_cursors (rail, synced_height, synced_hash, tip_height, confirmations, polled_at, sync_error, sync_error_since, sync_error_kind, failed_deposits, failed_payouts)
    VALUES ('usdt', 90, 'h', 97, 20, now() - interval '40 seconds', 'no mempool', now(), 'unconfirmed', 3, ARRAY[uuidv7(), uuidv7()]),
           ('bitcoin', 9, 'h', 9, 2, now(), 'the node is away', now(), 'reading', 0, '{}');
    INSERT INTO app.chain_transfers (rail, transaction_id, position, address, token, units, senders, seen_at, receiving, ignored_reason)
    VALUES ('usdt', 'a', 1, 'x', 'USDT', 5, '{}', now(), true, NULL), ('usdt', 'b', 1, 'x', 'USDT', 5, '{}', now(), true, NULL),
           ('usdt', 'c', 1, 'x', 'USDT', 5, '{}', now(), true, 'dust'), ('usdt', 'd', 1, 'y', 'USDT', 5, '{}', now(), false, NULL);
    INSERT INTO app.chain_spends (rail, slot, transaction_id, seen_at, told_at)
    VALUES ('bitcoin', 'a:0', 'stolen', now(), now()), ('bitcoin', 'b:0', 'stolen', now(), now()), ('bitcoin', 'c:0', 'new', now(), NULL);
    INSERT INTO app.receiving_accounts (account, rail, server, stopped_at, stopped_because)
    VALUES ('k', 'usdt', 's', now(), 'mark'), ('l', 'bitcoin', 's', NULL, NULL);
    INSERT INTO app.list_fetches (id, list, checked_at, failing_since, failure, refused_at)
    VALUES (uuidv7(), 'ofac_sdn', now() - interval '1 day', NULL, NULL, NULL),
           (uuidv7(), 'un_sc', NULL, now() - interval '2 days', 'x', now());
    INSERT INTO app.restores (id, found_at, machine, number, number_lost, finished_at)
    VALUES (uuidv7(), now(), uuidv7(), 1, 2, now());
    SET session_replication_role = 'replica';
    INSERT INTO app.deposits (id, invoice_id, user_id, amount_cents, method, asset, network, address, crypto_units, rate_e8, rate_at,
                              rate_source, payment_uri, expires_at, watch_until, created_at, debt_cents)
    VALUES (uuidv7(), 'DEP-1', uuidv7(), 25000, 'usdt', 'USDT', 'n', 'x', 250000000, 100000000, now(),
            's', 'u', now(), now() + interval '1 day', now(), 12050)`
  const own = await testDatabase()
  // Rows without their related rows, with all triggers off.
  const url = new URL(inject('postgres').superuserUrl)
  url.pathname = new URL(own.ownerUrl).pathname
  const superuser = new Client({ connectionString: url.href })
  await superuser.connect()
  await superuser.query(rows)
  await superuser.end()
  const worker = await start('worker', { DATABASE_URL: own.appUrl, ETHEREUM_RPC_URL: 'http://127.0.0.1:9' })
  const told = async (name: string, rail: string) =>
    (await read(worker)).get(`probity_${name}{rail="${rail}"}`)
  await until(async () => (await told('chain_blocks_behind', 'usdt')) === 7)
  expect(await told('chain_sync_age_seconds', 'usdt')).toBeGreaterThanOrEqual(40)
  expect(await told('chain_fault', 'usdt')).toBe(0)
  expect(await told('chain_unconfirmed_fault', 'usdt')).toBe(1)
  expect(await told('chain_deposits_failed', 'usdt')).toBe(3)
  expect(await told('chain_payouts_failed', 'usdt')).toBe(2)
  expect(await told('chain_transfers_waiting', 'usdt')).toBe(2)
  expect(await told('debts_open', 'usdt')).toBe(1)
  expect(await told('debts_open_usd', 'usdt')).toBe(120.5)
  expect(await told('chain_fault', 'bitcoin')).toBe(1)
  expect(await told('chain_unconfirmed_fault', 'bitcoin')).toBe(0)
  expect(await told('chain_deposits_failed', 'bitcoin')).toBe(0)
  expect(await told('chain_payouts_failed', 'bitcoin')).toBe(0)
  expect(await told('debts_open', 'bitcoin')).toBe(0)
  expect(await told('chain_outgoing_unexplained', 'bitcoin')).toBe(1)
  const lists = await read(worker)
  expect(lists.get('probity_list_age_seconds{list="ofac_sdn"}')).toBeGreaterThanOrEqual(86_400)
  expect(lists.get('probity_list_age_seconds{list="un_sc"}')).toBeGreaterThanOrEqual(2 * 86_400)
  expect(lists.get('probity_list_refused{list="ofac_sdn"}')).toBe(0)
  expect(lists.get('probity_list_refused{list="un_sc"}')).toBe(1)
  expect(await told('chain_outgoing_unexplained', 'usdt')).toBe(0)
  expect(await told('chain_addresses_stopped', 'usdt')).toBe(1)
  expect(await told('chain_addresses_stopped', 'bitcoin')).toBe(0)
  expect((await read(worker)).get('probity_database_restored')).toBe(1)
  // It is configured, and no sync has begun.
  expect(await told('chain_fault', 'ethereum')).toBe(1)
  expect(await told('chain_sync_age_seconds', 'ethereum')).toBeUndefined()
})

test('[V-05] a database outage is exported, and no stale value is', async () => {
  const away = await testDatabase()
  const web = await start('web', { DATABASE_URL: away.appUrl })
  // An outage during its start would end it.
  await originOf(web)
  await until(async () => (await read(web)).get('probity_database_up') === 1)
  await away.owner.query(`ALTER DATABASE ${new URL(away.ownerUrl).pathname.slice(1)} CONNECTION LIMIT 0`)
  await away.owner.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'probity metrics' AND datname = current_database()`,
  )
  await until(async () => (await read(web)).get('probity_database_up') === 0)
  const names = [...(await read(web)).keys()]
  expect(names.filter(name => /^probity_(jobs|books|price|chain|debts)/.test(name))).toEqual([])
})

test('[V-05] docs/operate.md lists every metric, and none that there is not', async () => {
  const worker = await start('worker')
  await until(async () => (await read(worker)).has('probity_books_ok'))
  const { text } = await ask(worker.metricsUrl)
  const told = [...text.matchAll(/^# TYPE ((?:probity|http)_\w+) /gm)].map(([, name]) => name!)
  const guide = readFileSync(join(import.meta.dirname, '../../docs/operate.md'), 'utf8')
  const rows = [...guide.matchAll(/^\| (`(?:probity|http)_\w+`(?:, `probity_\w+`)*) +\|/gm)]
  const listed = rows.flatMap(([, cell]) => cell!.replaceAll('`', '').split(', '))
  expect(listed.sort()).toEqual(told.sort())
})

test('[V-05] every route has a label out of a closed set', () => {
  expect(routeLabel('/api/deposit/approve/:id')).toBe('/api/deposit/approve/:id')
  expect(routeLabel('/*')).toBe('page')
  expect(routeLabel('/assets/index-a1b2.js')).toBe('file')
  expect(routeLabel('/api/docs/static/*')).toBe('other call')
  expect(routeLabel(undefined)).toBe('none')
})
