import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { quoteDeposit } from '#shared/contract/deposits.ts'
import { prices } from '#shared/contract/site.ts'
import { make, requestOf } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { runLoad } from './load.ts'
import { alternate } from './measure.ts'
import type { Scale } from './scale.ts'
import { startServer } from './servers.ts'
import type { World } from './world.ts'

const CONNECTIONS = 16
/** Time limit until the first sources agree. */
const LIMIT_MS = 30_000

/**
 * The cost of bitcoin quotes while the price feed polls slow sources sixty times as often as in the product, against
 * the same with the feed idle. The feed runs in its own process, like a worker, on the same machine and database.
 */
export async function measurePrices(world: World, { rounds, seconds }: Scale): Promise<Figure[]> {
  const { server, investors } = world.large
  const feed = await startServer({
    script: ['bench/price-feed.ts'],
    env: { DATABASE_URL: world.largeUrl },
    readyPath: '/',
    log: join(world.postgres.temporaryFolder, 'price-feed.log'),
  })
  const tell = (what: 'start' | 'stop') => fetch(`http://127.0.0.1:${feed.port}/${what}`)
  try {
    const requests = investors.map(investor =>
      requestOf(world.tokenOf(investor), quoteDeposit, { query: { method: 'bitcoin', amount: '1000' } }),
    )
    let next = 0
    const request = () => requests[next++ % requests.length]!
    const quotes = async () =>
      (await runLoad({ port: server.port, connections: CONNECTIONS, seconds, request })).perSecond
    await tell('start')
    await hasPrice(world)
    const measured = await alternate(rounds, {
      with: { prepare: async () => void (await tell('start')), round: quotes },
      without: { prepare: async () => void (await tell('stop')), round: quotes },
    })
    await tell('stop')
    return [
      figure(
        'quoteWithFeedPerWithout',
        { atLeast: 0.9 },
        {
          what: 'quotes in bitcoin, prices read every second',
          unit: 'per second',
          rounds: measured.with,
        },
        { what: 'the same, prices at rest', unit: 'per second', rounds: measured.without },
      ),
    ]
  } finally {
    await feed.stop()
  }
}

/** @throws Error if the sources do not agree in time */
async function hasPrice({ large: { server, investors }, tokenOf }: World): Promise<void> {
  const deadline = Date.now() + LIMIT_MS
  for (;;) {
    const { data } = await make(server, tokenOf(investors[0]!), prices, {})
    if (data.some(({ symbol, state }) => symbol === 'BTC' && state === 'good')) return
    if (Date.now() > deadline) throw new Error('the price feed has brought no price')
    await delay(50)
  }
}
