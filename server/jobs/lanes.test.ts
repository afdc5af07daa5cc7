import { text } from 'node:stream/consumers'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { sendNotice } from '#server/notifications/notices.ts'
import { type Mail, queueMail } from '#server/platform/mail/queue.ts'
import { enqueue, enqueueAll } from '#server/platform/queue.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { startMailServer } from '#test/support/mail-server.ts'
import { until } from '#test/support/processes.ts'
import { rowsRead } from '#test/support/rows-read.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { cronJob, scheduleKey } from './job.ts'
import { jobs as allJobs } from './jobs.ts'
import { startWorker } from './runner.ts'

let world: World
let investor: Person
let deposit: string

beforeAll(async () => {
  world = await openWorld()
  await world.services.db.transaction().execute(tx => loadFirm(tx, world.clock.now()))
  investor = await world.person('Ida Investor')
  await world.fund(investor, 100_000n)
  const [row] = (await world.owner('SELECT id FROM app.deposits')).rows
  deposit = row.id
})

beforeEach(async () => {
  await world.owner('DELETE FROM graphile_worker._private_jobs')
})

/** A mail server that, while it is held, takes the content of notices and does not answer. */
async function slowServer() {
  const subjects: string[] = []
  const held: (() => void)[] = []
  const state = { isHeld: true, connections: 0, mostConnections: 0 }
  const server = await startMailServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect(_session, done) {
      state.connections += 1
      state.mostConnections = Math.max(state.mostConnections, state.connections)
      done()
    },
    onClose() {
      state.connections -= 1
    },
    onData(stream, _session, done) {
      text(stream).then(content => {
        const subject = /Subject: (.*)\r/.exec(content)?.[1] ?? ''
        const accept = () => {
          subjects.push(subject)
          done()
        }
        if (state.isHeld && subject.startsWith('Your deposit')) held.push(accept)
        else accept()
      }, done)
    },
  })
  onTestFinished(() => server.stop())
  const release = () => {
    state.isHeld = false
    for (const accept of held.splice(0)) accept()
  }
  return { url: `smtp://127.0.0.1:${server.port}`, subjects, held, state, release }
}

const mailJobs = allJobs.filter(({ lane }) => lane !== 'clockwork')

async function work(
  { url, release }: Awaited<ReturnType<typeof slowServer>>,
  connections: number,
  jobs = mailJobs,
) {
  const smtp = { url, from: 'noreply@example.com', connections }
  const life = new Lifetime()
  onTestFinished(() => {
    release()
    return life.end()
  })
  await startWorker({ ...world.services, config: { ...world.services.config, smtp } }, life, { jobs })
  return life
}

async function queueNotices(count: number): Promise<void> {
  const about = { notice: 'deposit.approved', id: deposit } as const
  await enqueueAll(
    sendNotice,
    Array.from({ length: count }, () => about),
  ).execute(world.services.db)
}

function emailOf(subject: string, more: Partial<Mail> = {}): Mail {
  return { to: 'ida@example.com', subject, text: subject, html: subject, ...more }
}

async function waiting(): Promise<number> {
  const { rows } = await world.owner(
    'SELECT count(*)::int AS count FROM graphile_worker.jobs WHERE run_at <= now()',
  )
  return rows[0].count
}

const code = () =>
  emailOf('123456 is your code', {
    usefulUntil: new Date(world.clock.now().getTime() + 600_000).toISOString(),
  })

test('codes, security emails and the clockwork do not wait for notices', async () => {
  const server = await slowServer()
  const done: string[] = []
  const clockwork = cronJob('tick', '* * * * *', async () => void done.push('tick'))
  await queueNotices(300)
  await work(server, 6, [...mailJobs, clockwork])
  await until(() => server.held.length === 5 && done.length === 1)

  await queueMail(world.services.db, code())
  await enqueue(world.services.db, clockwork.task, {}, scheduleKey(clockwork.task))
  const body = {
    amount: 100,
    wallet: 'Bitcoin (BTC)',
    walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  } as const
  await world.call(newWithdrawal, investor, { body })
  await until(() => server.subjects.length === 3 && done.length === 2)
  expect(server.subjects).toContain('123456 is your code')
  expect(server.subjects).toContain('A withdrawal address was added')
  expect(server.subjects).toContainEqual(expect.stringMatching(/^Your withdrawal \S+ was requested$/))

  server.release()
  await until(async () => (await waiting()) === 0)
  expect(server.subjects).toHaveLength(303)
  expect(server.state.mostConnections).toBe(6)
})

test('a code is sent before other urgent emails, one notice before a mass of them', async () => {
  const server = await slowServer()
  server.release()
  const { db } = world.services
  for (let i = 0; i < 20; i++) await queueMail(db, emailOf(`Security ${i}`))
  await queueMail(db, code())
  await queueNotices(20)
  await world.fund(investor, 100_000n)
  await work(server, 2)
  await until(async () => (await waiting()) === 0)
  const urgent = server.subjects.filter(subject => !subject.startsWith('Your deposit'))
  const notices = server.subjects.filter(subject => subject.startsWith('Your deposit'))
  // The first two are taken together.
  expect(urgent.slice(0, 2)).toContain('123456 is your code')
  expect(new Set(notices.slice(0, 2)).size).toBe(2)
  expect(urgent).toHaveLength(21)
  expect(notices).toHaveLength(21)
})

test('notices are fetched one by one without reading all that have just been queued', async () => {
  await queueNotices(2_000)
  const read = () => rowsRead(world.database, ['_private_jobs'])
  const before = await read()
  const server = await slowServer()
  server.release()
  const life = await work(server, 6)
  await until(() => server.subjects.length >= 100)
  // Its sessions report what they have read at their end.
  await life.end()
  const rows = (await read()) - before
  // Each fetch passes jobs that others have just taken; sorting all for each would read 200,000.
  expect(rows).toBeLessThan(40_000)
})

test('a search for the jobs of one lane reads no backlog of another', async () => {
  await queueMail(world.services.db, code())
  await queueNotices(2_000)
  await world.owner('ANALYZE graphile_worker._private_jobs')
  const { rows: tasks } = await world.owner(
    "SELECT id FROM graphile_worker._private_tasks WHERE identifier IN ('send_mail', 'notify_security')",
  )
  const { rows } = await world.owner(
    `EXPLAIN SELECT id FROM graphile_worker._private_jobs
      WHERE is_available AND run_at <= now() AND task_id = ANY ('{${tasks.map(({ id }) => id)}}')
      ORDER BY priority, run_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
  )
  expect(JSON.stringify(rows)).toContain('using jobs_by_task')
})
