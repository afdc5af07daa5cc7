import { randomBytes } from 'node:crypto'
import pg from 'pg'
import pino from 'pino'
import { notifyMatured } from '#server/investments/mature.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import {
  approveWithdrawal,
  approveWithdrawals,
  payWithdrawal,
  payWithdrawals,
} from '#shared/contract/withdrawals.ts'
import { bulkStep } from '#shared/limits.ts'
import { requestOf } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { pendingWithdrawals } from './hot.ts'
import { runLoad } from './load.ts'
import { alternate } from './measure.ts'
import { prepareTpcb } from './pgbench.ts'
import type { Scale } from './scale.ts'
import { type World, withDatabase } from './world.ts'

const CONNECTIONS = 24
/** Connections that send bulk calls: people at their consoles. */
const BULK_CONNECTIONS = 4
/** Prepared withdrawals per second of a round: more than two cores can approve and pay. */
const MOST_PER_SECOND = 1_000
const MOST_BULK_PER_SECOND = 4_000
/** Investments that mature in a round, per second of it. */
const MATURING_PER_SECOND = 2_000

/**
 * What staff do, against TPC-B on the same server and socket: they approve withdrawals and mark them as paid, one by one
 * and in bulk calls. And what a worker does alone: it notifies investors that their investments have matured.
 */
export async function measureActs(world: World, { rounds, seconds, tpcbScale }: Scale): Promise<Figure[]> {
  const tpcb = await prepareTpcb(world.tpcbUrl, tpcbScale)
  const { server } = world.large
  const load = async (request: Requests, time = seconds, connections = CONNECTIONS) =>
    (await runLoad({ port: server.port, connections, seconds: time, request })).perSecond
  const pending = (perSecond: number) => pendingWithdrawals(world, load, Math.ceil(perSecond * seconds))
  let single: Requests = () => null
  let bulk: Requests = () => null
  await world.large.settle()
  const measured = await alternate(rounds, {
    tpcb: { round: () => tpcb.round(seconds) },
    single: {
      prepare: async () => {
        single = approveAndPay(world, await pending(MOST_PER_SECOND))
      },
      round: () => load(connection => single(connection)),
    },
    bulk: {
      prepare: async () => {
        bulk = approveAndPayMany(world, await pending(MOST_BULK_PER_SECOND))
      },
      round: async () => bulkStep * (await load(connection => bulk(connection), seconds, BULK_CONNECTIONS)),
    },
    matured: {
      prepare: () => mature(world, Math.ceil(MATURING_PER_SECOND * seconds)),
      round: () => notifyAllMatured(world),
    },
  })
  const perSecond = (what: string, of: number[]) => ({ what, unit: 'per second' as const, rounds: of })
  const divisor = perSecond('pgbench TPC-B, 8 clients', measured.tpcb)
  return [
    figure(
      'actsPerTpcb',
      { atLeast: 0.3 },
      perSecond(`withdrawals approved or marked as paid, ${CONNECTIONS} connections`, measured.single),
      divisor,
    ),
    figure(
      'bulkActsPerTpcb',
      { atLeast: 1 },
      perSecond(`the same by bulk calls of ${bulkStep}, ${BULK_CONNECTIONS} connections`, measured.bulk),
      divisor,
    ),
    figure(
      'maturedPerTpcb',
      { atLeast: 1 },
      perSecond('investments whose owner is notified of their maturity', measured.matured),
      divisor,
    ),
  ]
}

type Requests = (connection: number) => Buffer | null

/** On each connection, one of the staff approves a withdrawal, and the next one marks it as paid. */
function approveAndPay(world: World, ids: string[]): Requests {
  const tokens = tokensOf(world)
  const approved = new Map<number, string>()
  return connection => {
    const id = approved.get(connection)
    if (id !== undefined) {
      approved.delete(connection)
      return requestOf(tokens(connection + 1), payWithdrawal, { params: { id }, body: newTransaction() })
    }
    const next = ids.pop()
    if (next === undefined) return null
    approved.set(connection, next)
    return requestOf(tokens(connection), approveWithdrawal, { params: { id: next } })
  }
}

/** The same with many withdrawals a call. */
function approveAndPayMany(world: World, ids: string[]): Requests {
  const tokens = tokensOf(world)
  const approved = new Map<number, string[]>()
  return connection => {
    const step = approved.get(connection)
    if (step !== undefined) {
      approved.delete(connection)
      const records = step.map(id => ({ id, ...newTransaction() }))
      return requestOf(tokens(connection + 1), payWithdrawals, { body: { records } })
    }
    if (ids.length < bulkStep) return null
    const next = ids.splice(-bulkStep)
    approved.set(connection, next)
    return requestOf(tokens(connection), approveWithdrawals, { body: { records: next.map(id => ({ id })) } })
  }
}

function tokensOf(world: World): (person: number) => string {
  const tokens = world.large.staff.map(person => world.tokenOf(person, 'admin'))
  return person => tokens[person % tokens.length]!
}

function newTransaction() {
  return { transactionId: randomBytes(32).toString('hex') }
}

/** Active investments of all investors that have just ended. Only with its triggers off, the database takes them unpaid. */
async function mature({ postgres, large }: World, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(postgres.superuserUrl, 'probity') })
  await client.connect()
  await client.query('SET session_replication_role = replica')
  await client.query(
    `INSERT INTO app.investments (id, invoice_id, user_id, plan_version_id, amount_cents, method, status, hold_id, approved_at, ending_at)
     SELECT uuidv7(), 'BENCH-' || uuidv7(), ($1::uuid[])[1 + n % cardinality($1::uuid[])],
            (SELECT id FROM app.plan_versions LIMIT 1), 10000, 'balance', 'active', uuidv7(), now() - interval '30 days', now()
       FROM generate_series(1, $2) n`,
    [large.investors, count],
  )
  await client.end()
}

/** As a worker does it, in this process. @returns how many a second */
async function notifyAllMatured({ largeUrl }: World): Promise<number> {
  const pool = openPool({ url: largeUrl, as: 'app', name: 'probity bench', max: 2 })
  try {
    const log = pino({ level: 'error' })
    const services = { db: openDatabase(pool), clock: systemClock, log }
    const start = performance.now()
    const count = await notifyMatured(services)
    return count / ((performance.now() - start) / 1000)
  } finally {
    await pool.end()
  }
}
