import { type Figure, figure } from './figure.ts'
import { runLoad } from './load.ts'
import { alternate } from './measure.ts'
import { prepareTpcb } from './pgbench.ts'
import type { Scale } from './scale.ts'
import { withdrawalRequests } from './withdrawals.ts'
import type { World } from './world.ts'

const FEW = 24
const MANY = 128

/**
 * Transfers through the API against TPC-B on the same server and socket. A transfer is a withdrawal request, spread
 * over all investors: token, input, idempotency key, two accounts, hold, entries, the request's row, an audit row and
 * the job of its email, all committed to disk before the answer.
 */
export async function measureTransfers(
  world: World,
  { rounds, seconds, tpcbScale }: Scale,
): Promise<Figure[]> {
  const tpcb = await prepareTpcb(world.tpcbUrl, tpcbScale)
  const { server, investors } = world.large
  const request = withdrawalRequests(world, investors)
  const transfers = (connections: number) => async () =>
    (await runLoad({ port: server.port, connections, seconds, request })).perSecond
  // pgbench settles its tables after filling them; the product's tables get their first rows now.
  await transfers(FEW)()
  await world.large.settle()
  const measured = await alternate(rounds, {
    tpcb: { round: () => tpcb.round(seconds) },
    prepared: { round: () => tpcb.round(seconds, 'prepared') },
    few: { round: transfers(FEW) },
    many: { round: transfers(MANY) },
  })
  const perSecond = (what: string, of: number[]) => ({ what, unit: 'per second' as const, rounds: of })
  const divisor = perSecond('pgbench TPC-B, 8 clients', measured.tpcb)
  return [
    figure(
      'transferPerTpcb',
      { atLeast: 0.9 },
      perSecond(`transfers, ${FEW} connections`, measured.few),
      divisor,
    ),
    figure(
      'transferBatchedPerTpcb',
      { atLeast: 1.6 },
      perSecond(`transfers, ${MANY} connections`, measured.many),
      divisor,
    ),
    figure(
      'tpcbPreparedPerSimple',
      null,
      perSecond('pgbench TPC-B with prepared statements', measured.prepared),
      divisor,
    ),
  ]
}
