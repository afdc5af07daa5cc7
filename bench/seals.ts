import { join } from 'node:path'
import { type Figure, figure } from './figure.ts'
import { runLoad } from './load.ts'
import { alternate } from './measure.ts'
import type { Scale } from './scale.ts'
import { startServer } from './servers.ts'
import { withdrawalRequests } from './withdrawals.ts'
import type { World } from './world.ts'

const CONNECTIONS = 24
/** A round is this much longer than others, so that almost everything posted in it is also sealed in it. */
const LONGER = 5

/**
 * Transfers while a sealer seals them, sixty times as often as in the product, against transfers that nobody seals. The
 * sealer runs in its own process, like a worker, on the same machine and database.
 */
export async function measureSeals(world: World, { rounds, seconds }: Scale): Promise<Figure[]> {
  const { server, investors } = world.large
  const sealer = await startServer({
    script: ['bench/sealer.ts'],
    env: { DATABASE_URL: world.largeUrl },
    readyPath: '/',
    log: join(world.postgres.temporaryFolder, 'sealer.log'),
  })
  const tell = async (what: 'start' | 'stop') => {
    const answer = await fetch(`http://127.0.0.1:${sealer.port}/${what}`)
    if (!answer.ok) throw new Error('the sealer has failed')
  }
  try {
    const request = withdrawalRequests(world, investors)
    const transfers = async () =>
      (await runLoad({ port: server.port, connections: CONNECTIONS, seconds: LONGER * seconds, request }))
        .perSecond
    const measured = await alternate(rounds, {
      sealed: { prepare: () => tell('start'), round: transfers },
      unsealed: { prepare: () => tell('stop'), round: transfers },
    })
    await tell('stop')
    const perSecond = (what: string, of: number[]) => ({ what, unit: 'per second' as const, rounds: of })
    return [
      figure(
        'sealedPerUnsealed',
        { atLeast: 0.97 },
        perSecond('transfers, sealed every second', measured.sealed),
        perSecond('transfers, not sealed', measured.unsealed),
      ),
    ]
  } finally {
    await sealer.stop()
  }
}
