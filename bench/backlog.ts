import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sendNotice } from '#server/notifications/notices.ts'
import { openDatabase } from '#server/platform/database/pool.ts'
import { enqueueAll } from '#server/platform/queue.ts'
import { forgotPassword } from '#shared/contract/accounts.ts'
import { MAIN } from '#tools/product-build.ts'
import { make } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import type { Accepted } from './mail-server.ts'
import { percentile } from './measure.ts'
import type { BacklogScale, Scale } from './scale.ts'
import { type Server, startServer } from './servers.ts'
import type { World } from './world.ts'

/** Between two people who have forgotten their password, in milliseconds. */
const PAUSE_MS = 200
/** Notices queued in one statement, as by one confirmed run of earnings. */
const PART = 1_000
/** Longest wait for a link, in milliseconds. */
const LIMIT_MS = 120_000

/**
 * How long a link to set a new password takes from the request to the mail server, and how many notices a worker sends
 * meanwhile, while very many wait.
 * @throws Error if the backlog ends before the measurement, or a link does not arrive
 */
export async function measureBacklog(world: World, { backlog }: Scale): Promise<Figure[]> {
  const { temporaryFolder } = world.postgres
  const closers: (() => Promise<void>)[] = []
  try {
    const mail = await startServer({
      script: ['bench/mail-server.ts'],
      env: {},
      readyPath: '/',
      log: join(temporaryFolder, 'mail.log'),
    })
    closers.push(mail.stop)
    await queueNotices(world, backlog.notices)
    const { port } = await ask<AddressInfo>(mail, '/port')
    const worker = await startServer({
      script: [MAIN, 'worker'],
      env: {
        ...world.environmentOn(world.mailedUrl),
        // The sample series of prices needs no network.
        PRICE_SOURCES: '',
        SMTP_URL: `smtp://127.0.0.1:${port}`,
        MAIL_FROM: 'noreply@probity.test',
      },
      readyPath: '/metrics',
      portVariable: 'METRICS_PORT',
      log: join(temporaryFolder, 'mailing.log'),
    })
    closers.push(worker.stop)
    return figuresOf(await roundsOf(world, mail, backlog))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** About deposits that were credited, each with its receipt. */
async function queueNotices({ mailed }: World, count: number): Promise<void> {
  const { rows } = await mailed.pool.query<{ id: string }>('SELECT id FROM app.deposits ORDER BY id')
  const db = openDatabase(mailed.pool)
  for (let from = 0; from < count; from += PART) {
    const part = Array.from({ length: Math.min(PART, count - from) }, (_, i) => ({
      notice: 'deposit.approved' as const,
      id: rows[(from + i) % rows.length]!.id,
    }))
    await enqueueAll(sendNotice, part).execute(db)
  }
}

type Round = { p95: number; perSecond: number }

async function roundsOf(world: World, mail: Server, { rounds, seconds }: BacklogScale): Promise<Round[]> {
  const people = emailsOf(world)
  const measured: Round[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const one = await measureRound(world, mail, { people, seconds })
    // The first one warms up.
    if (round > 0) measured.push(one)
  }
  const { rows } = await world.mailed.pool.query(
    `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'notify' LIMIT 1`,
  )
  if (rows.length === 0) throw new Error('The backlog ended before the measurement: no figure.')
  return measured
}

/** Another person's address each time. */
function* emailsOf({ mailed }: World): Generator<string, never> {
  // See createPeople: the first four are staff and the one of many.
  for (let n = 0; ; n += 1) yield `person${5 + (n % mailed.investors.length)}@probity.test`
}

async function measureRound(
  world: World,
  mail: Server,
  { people, seconds }: { people: Generator<string, never>; seconds: number },
): Promise<Round> {
  await ask(mail, '/accepted')
  const asked = new Map<string, number>()
  const start = Date.now()
  while (Date.now() < start + seconds * 1_000) {
    const email = people.next().value
    asked.set(email, Date.now())
    await make(world.mailed.server, null, forgotPassword, { body: { email } })
    await delay(PAUSE_MS)
  }
  const { notices, links } = await firstAccepted(mail, start + LIMIT_MS)
  const perSecond = notices / ((Date.now() - start) / 1_000)
  while (links.length < asked.size) {
    if (Date.now() > start + LIMIT_MS) throw new Error(`${asked.size - links.length} links did not arrive`)
    await delay(PAUSE_MS)
    links.push(...(await ask<Accepted>(mail, '/accepted')).links)
  }
  const latencies = links.map(({ to, at }) => at - asked.get(to)!).sort((a, b) => a - b)
  return { p95: percentile(latencies, 0.95), perSecond }
}

/** Waits for a notice, because a machine with other work may need longer for the first one than a short round takes. */
async function firstAccepted(mail: Server, deadline: number): Promise<Accepted> {
  const links: Accepted['links'] = []
  while (Date.now() < deadline) {
    const accepted = await ask<Accepted>(mail, '/accepted')
    links.push(...accepted.links)
    if (accepted.notices > 0) return { notices: accepted.notices, links }
    await delay(PAUSE_MS)
  }
  throw new Error('The worker sent no notice.')
}

async function ask<Answer>({ port }: Server, path: string): Promise<Answer> {
  return (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as Answer
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const p95 = rounds.map(round => round.p95)
  const perSecond = rounds.map(round => round.perSecond)
  return [
    figure(
      'codeUnderBacklogP95',
      { atMost: 2 },
      { what: 'p95 from asking for a new password to its email', unit: 'milliseconds', rounds: p95 },
      { what: 'a second', unit: 'milliseconds', rounds: p95.map(() => 1_000) },
    ),
    figure(
      'noticesPerSecond',
      { atLeast: 200 },
      { what: 'notices sent by one worker meanwhile', unit: 'per second', rounds: perSecond },
      { what: 'one', unit: 'per second', rounds: perSecond.map(() => 1) },
    ),
  ]
}
