import { randomBytes } from 'node:crypto'
import { approveWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { requestOf } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { pendingWithdrawals } from './hot.ts'
import { runLoad } from './load.ts'
import { alternate } from './measure.ts'
import { prepareTpcb } from './pgbench.ts'
import type { Scale } from './scale.ts'
import type { World } from './world.ts'

const CONNECTIONS = 24
/** Prepared withdrawals per second of a round: more than two cores can approve and pay. */
const MOST_PER_SECOND = 1_000

/** What staff do, against TPC-B on the same server and socket: they approve withdrawals and mark them as paid. */
export async function measureActs(world: World, { rounds, seconds, tpcbScale }: Scale): Promise<Figure[]> {
  const tpcb = await prepareTpcb(world.tpcbUrl, tpcbScale)
  const { server } = world.large
  const load = async (request: (connection: number) => Buffer | null, time = seconds) =>
    (await runLoad({ port: server.port, connections: CONNECTIONS, seconds: time, request })).perSecond
  const supply = Math.ceil(MOST_PER_SECOND * seconds)
  let acts: (connection: number) => Buffer | null = () => null
  await world.large.settle()
  const measured = await alternate(rounds, {
    tpcb: { round: () => tpcb.round(seconds) },
    acts: {
      prepare: async () => {
        acts = approveAndPay(world, await pendingWithdrawals(world, load, supply))
      },
      round: () => load(connection => acts(connection)),
    },
  })
  const perSecond = (what: string, of: number[]) => ({ what, unit: 'per second' as const, rounds: of })
  return [
    figure(
      'actsPerTpcb',
      { atLeast: 0.3 },
      perSecond(`withdrawals approved or marked as paid, ${CONNECTIONS} connections`, measured.acts),
      perSecond('pgbench TPC-B, 8 clients', measured.tpcb),
    ),
  ]
}

/** On each connection, one of the staff approves a withdrawal, and the next one marks it as paid. */
function approveAndPay(world: World, ids: string[]): (connection: number) => Buffer | null {
  const tokens = world.large.staff.map(person => world.tokenOf(person, 'admin'))
  const approved = new Map<number, string>()
  return connection => {
    const id = approved.get(connection)
    if (id !== undefined) {
      approved.delete(connection)
      const body = { transactionId: randomBytes(32).toString('hex') }
      return requestOf(tokens[(connection + 1) % tokens.length]!, payWithdrawal, { params: { id }, body })
    }
    const next = ids.pop()
    if (next === undefined) return null
    approved.set(connection, next)
    return requestOf(tokens[connection % tokens.length]!, approveWithdrawal, { params: { id: next } })
  }
}
