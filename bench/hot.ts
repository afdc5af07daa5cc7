import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { addEarning } from '#shared/contract/earnings.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { declineWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { make, requestOf } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { runLoad } from './load.ts'
import { alternate } from './measure.ts'
import type { Scale } from './scale.ts'
import { withdrawalRequests } from './withdrawals.ts'
import { type World, withDatabase } from './world.ts'

const CONNECTIONS = 16
/** Prepared withdrawals per second of a round: more than two cores can settle. */
const MOST_PER_SECOND = 1_000
/** Investors with an active investment, who receive earnings. */
const EARNERS = 50
/** In USD: one person may record it alone, and no run pays it out cent by cent. */
const RETURN_USD = 10_000

/**
 * The two ends of a withdrawal, through the API as an admin. Both post its hold with one transaction, update its row,
 * write an audit row and queue an email. If paid, all money goes to one firm account, payouts; if declined, each amount
 * returns to its own investor. So the quotient shows the cost of one account that everyone uses.
 *
 * Two more, for information: earnings, which all come from one firm account with a floor (recorded returns) and do more
 * than a decline; and withdrawal requests by a single investor, against the same spread over all.
 */
export async function measureHot(world: World, { rounds, seconds }: Scale): Promise<Figure[]> {
  const { server, investors } = world.large
  const load = async (request: () => Buffer | null, time = seconds) =>
    (await runLoad({ port: server.port, connections: CONNECTIONS, seconds: time, request })).perSecond
  const supply = Math.ceil(MOST_PER_SECOND * seconds)
  const earnings = await earningRequests(world)
  let waiting: Buffer[] = []
  await world.large.settle()
  const measured = await alternate(rounds, {
    paid: {
      prepare: async () => {
        waiting = await payRequests(world, await pendingWithdrawals(world, load, supply))
      },
      round: () => load(() => waiting.pop() ?? null),
    },
    declined: {
      prepare: async () => {
        waiting = declineRequests(world, await pendingWithdrawals(world, load, supply))
      },
      round: () => load(() => waiting.pop() ?? null),
    },
    earned: { round: () => load(earnings) },
    spread: { round: () => load(withdrawalRequests(world, investors)) },
    fromOne: { round: () => load(withdrawalRequests(world, [world.large.oneOfMany])) },
  })
  const perSecond = (what: string, of: number[]) => ({ what, unit: 'per second' as const, rounds: of })
  const declined = perSecond('withdrawals declined, to their own accounts', measured.declined)
  return [
    figure(
      'hotPerUniform',
      { atLeast: 0.8 },
      perSecond('withdrawals marked as paid, all to one firm account', measured.paid),
      declined,
    ),
    figure(
      'hotFlooredPerUniform',
      { atLeast: 0.6 },
      perSecond('earnings, all from one firm account with a floor', measured.earned),
      declined,
    ),
    figure(
      'hotInvestorPerUniform',
      null,
      perSecond('requests for withdrawals of one investor', measured.fromOne),
      perSecond('the same spread out', measured.spread),
    ),
  ]
}

/** Ids of this many pending withdrawals; requests more if there are too few. */
export async function pendingWithdrawals(
  world: World,
  load: (request: () => Buffer, seconds: number) => Promise<number>,
  count: number,
): Promise<string[]> {
  const { pool, investors } = world.large
  for (;;) {
    const { rows } = await pool.query<{ id: string }>(
      `SELECT id FROM app.withdrawals WHERE status = 'pending' AND user_id = ANY ($1) ORDER BY id LIMIT $2`,
      [investors, count],
    )
    if (rows.length === count) return rows.map(({ id }) => id)
    await load(withdrawalRequests(world, investors), 1)
  }
}

/** Approves them all at once, which moves no money, so that each can be marked as paid. */
export async function payRequests(world: World, ids: string[]): Promise<Buffer[]> {
  const { pool, admin, staff } = world.large
  await pool.query(
    `INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id, created_at)
     SELECT id, approver, now() FROM unnest($1::uuid[]) AS id, unnest($2::uuid[]) AS approver`,
    [ids, staff.slice(0, 2)],
  )
  await pool.query(
    `UPDATE app.withdrawals SET status = 'approved', approved_at = now() WHERE id = ANY ($1)`,
    [ids],
  )
  const token = world.tokenOf(admin, 'admin')
  return ids.map(id =>
    requestOf(token, payWithdrawal, {
      params: { id },
      body: { transactionId: randomBytes(32).toString('hex') },
    }),
  )
}

function declineRequests(world: World, ids: string[]): Buffer[] {
  const token = world.tokenOf(world.large.admin, 'admin')
  return ids.map(id =>
    requestOf(token, declineWithdrawal, { params: { id }, body: { reason: 'Not this time' } }),
  )
}

/** Earnings of a cent, for investors with unpaid accruals in turn: more would need a second person. */
async function earningRequests(world: World): Promise<() => Buffer> {
  const { server, investors, admin } = world.large
  const adminToken = world.tokenOf(admin, 'admin')
  const earners = investors.slice(0, EARNERS)
  for (const investor of earners) {
    const body = { method: 'balance', plan: 'Basic', amount: 100 } as const
    const { data } = await make(server, world.tokenOf(investor), newInvestment, { body })
    await make(server, adminToken, approveInvestment, { params: { id: data._id } })
  }
  await endTerms(world, earners)
  const realisedAt = new Date().toISOString().slice(0, 10)
  const evidence = 'https://example.com/statement'
  const body = { amount: RETURN_USD, source: 'Sale of a holding', realisedAt, evidence }
  await make(server, adminToken, newReturn, { body })
  let next = 0
  return () => {
    const userId = earners[next++ % earners.length]!
    return requestOf(adminToken, addEarning, { params: { userId }, body: { amount: 0.01 } })
  }
}

/** As if their investments had run for a year. The database refuses that from every role with its triggers on. */
async function endTerms({ postgres }: World, investors: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(postgres.superuserUrl, 'probity') })
  await client.connect()
  await client.query('SET session_replication_role = replica')
  await client.query(
    `UPDATE app.investments SET approved_at = approved_at - interval '1 year' WHERE user_id = ANY ($1)`,
    [investors],
  )
  await client.end()
}
