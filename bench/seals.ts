import { join } from 'node:path'
import { type Figure, figure } from './figure.ts'
import { runLoad } from './load.ts'
import { alternate } from './measure.ts'
import type { Scale } from './scale.ts'
import { startServer } from './servers.ts'
import { withdrawalRequests } from './withdrawals.ts'
import type { World } from './world.ts'

const CONNECTIONS = 24
/** A round is this much longer than others: a seal has a cost of its own, and in the product a minute passes between two. */
const LONGER = 3

/**
 * Transfers while as many earlier ones are sealed and written into the public log, against transfers alone. The sealer
 * runs in its own process, like a worker, on the same machine and database.
 */
export async function measureSeals(world: World, { rounds, seconds }: Scale): Promise<Figure[]> {
  const { server, investors } = world.large
  const folder = world.postgres.temporaryFolder
  const sealer = await startServer({
    script: ['bench/proof-writer.ts'],
    env: {
      DATABASE_URL: world.largeUrl,
      DATA_DIR: folder,
      TOKEN_SECRET: 'seals of a measurement, and its public log',
    },
    readyPath: '/',
    log: join(folder, 'sealer.log'),
  })
  const sealAll = async () => {
    for (const act of ['seal', 'write']) {
      const answer = await fetch(`http://127.0.0.1:${sealer.port}/${act}`)
      if (!answer.ok) throw new Error(`the sealer has failed to ${act}`)
    }
  }
  try {
    const request = withdrawalRequests(world, investors)
    const transfers = async () =>
      (await runLoad({ port: server.port, connections: CONNECTIONS, seconds: LONGER * seconds, request }))
        .perSecond
    const measured = await alternate(rounds, {
      sealed: {
        // Leaves what a round posts for the next one to seal.
        prepare: async () => {
          await sealAll()
          await transfers()
        },
        round: async () => (await Promise.all([transfers(), sealAll()]))[0],
      },
      unsealed: { prepare: sealAll, round: transfers },
    })
    const perSecond = (what: string, of: number[]) => ({ what, unit: 'per second' as const, rounds: of })
    return [
      figure(
        'sealedPerUnsealed',
        { atLeast: 0.97 },
        perSecond('transfers, while as many are sealed', measured.sealed),
        perSecond('transfers alone', measured.unsealed),
      ),
    ]
  } finally {
    await sealer.stop()
  }
}
