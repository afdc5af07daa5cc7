import pg from 'pg'
import pino from 'pino'
import { loadConfig } from '#server/config.ts'
import { addNextParts } from '#server/earnings/run-ahead.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { addPlanEarnings, previewPlanEarnings } from '#shared/contract/earnings.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { earningPart } from '#shared/limits.ts'
import { make } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { alternate } from './measure.ts'
import { prepareTpcb } from './pgbench.ts'
import type { Scale } from './scale.ts'
import { type World, withDatabase } from './world.ts'

const PLAN = 'Enthusiast'
/** In USD: pays three cents to each of 100,000 investments, and one person may record it alone. */
const RETURN_USD = 10_000

/**
 * The earnings of a plan with very many investments, confirmed once, against TPC-B on the same server and socket. Each round works
 * off its part of them, as a worker does.
 */
export async function measurePlanEarnings(
  world: World,
  { rounds, seconds, tpcbScale, planInvestments }: Scale,
): Promise<Figure[]> {
  const tpcb = await prepareTpcb(world.tpcbUrl, tpcbScale)
  await fillPlan(world, planInvestments)
  await world.large.settle()
  const run = await confirmAll(world)
  const pool = openPool({ url: world.largeUrl, as: 'app', name: 'probity bench', max: 2 })
  try {
    const log = pino({ level: 'error' })
    const config = loadConfig({ TOKEN_SECRET: 'x'.repeat(32) })
    const services = { config, pool, db: openDatabase(pool), clock: systemClock, log }
    const credited = async () => {
      const { rows } = await pool.query('SELECT added FROM app.earning_runs WHERE id = $1', [run])
      return rows[0]!.added as number
    }
    const parts = Math.floor(planInvestments / earningPart / (rounds + 1))
    const measured = await alternate(rounds, {
      tpcb: { round: () => tpcb.round(seconds) },
      credited: {
        round: async () => {
          const before = await credited()
          const start = performance.now()
          await addNextParts(services, run, parts)
          const elapsed = (performance.now() - start) / 1000
          const count = (await credited()) - before
          if (count === 0) throw new Error('the run of earnings has ended: it needs more investments')
          return count / elapsed
        },
      },
    })
    const perSecond = (what: string, of: number[]) => ({ what, unit: 'per second' as const, rounds: of })
    return [
      figure(
        'planEarningsPerTpcb',
        { atLeast: 5 },
        perSecond(`earnings of a plan of ${planInvestments} investments added`, measured.credited),
        perSecond('pgbench TPC-B, 8 clients', measured.tpcb),
      ),
    ]
  } finally {
    await pool.end()
  }
}

/** Active investments of all investors, a day old. Only with its triggers off, the database takes them unpaid. */
async function fillPlan({ postgres, large }: World, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(postgres.superuserUrl, 'probity') })
  await client.connect()
  await client.query('SET session_replication_role = replica')
  await client.query(
    `INSERT INTO app.investments (id, invoice_id, user_id, plan_version_id, amount_cents, method, status, hold_id, approved_at, ending_at)
     SELECT uuidv7(), 'PLAN-' || uuidv7(), ($1::uuid[])[1 + n % cardinality($1::uuid[])],
            (SELECT id FROM app.plan_versions WHERE name = $3 AND current), 1000, 'balance', 'active', uuidv7(),
            now() - interval '25 hours', now() + interval '29 days'
       FROM generate_series(1, $2) n`,
    [large.investors, count, PLAN],
  )
  await client.end()
}

/** @returns the id of the run */
async function confirmAll(world: World): Promise<string> {
  const { server, staff } = world.large
  const token = world.tokenOf(staff[0]!, 'admin')
  const realisedAt = new Date().toISOString().slice(0, 10)
  const evidence = 'https://example.com/statement'
  const body = { amount: RETURN_USD, source: 'Sale of a holding', realisedAt, evidence }
  await make(server, token, newReturn, { body })
  const { data: plans } = await make(server, null, listPlans, {})
  const params = { id: plans.find(({ name }) => name === PLAN)!._id }
  const { data: shown } = await make(server, token, previewPlanEarnings, { params })
  const confirmation = { asOf: shown.asOf, digest: shown.digest }
  const { data } = await make(server, token, addPlanEarnings, { params, body: confirmation })
  return data._id
}
