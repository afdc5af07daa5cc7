import { createServer } from 'node:http'
import pino from 'pino'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { storeReadings } from '#server/prices/feeds.ts'
import { marketFeed } from '#server/prices/sources.ts'
import { openPriceSources } from '#test/support/price-sources.ts'
import { priceSources, slowSources } from './slow-sources.ts'

/**
 * The price feed, once a second instead of once a minute, with sources that are slow, silent or endless; this process
 * plays them too. Run as `node bench/price-feed.ts`, with PORT and DATABASE_URL; `/start` and `/stop` control it.
 */
const { PORT, DATABASE_URL = '' } = process.env
const everyMs = 1_000

const pool = openPool({ url: DATABASE_URL, as: 'app', name: 'probity feed', max: 4 })
const clock = { now: () => new Date() }
const sources = await openPriceSources(clock.now)
for (const source of priceSources) sources.behave(source, slowSources[source])
const feeds = priceSources.map(source => marketFeed(source, sources.urls[source]))
const db = openDatabase(pool)
const storing = { db, log: pino({ level: 'silent' }), clock }

let timer: NodeJS.Timeout | undefined
const running = new Set<Promise<unknown>>()
function run(): void {
  const one = pollAgain().finally(() => running.delete(one))
  running.add(one)
}
/** As if a minute had passed since the last run, so that each source may be polled. */
async function pollAgain(): Promise<void> {
  await db
    .updateTable('app.price_sources')
    .set({ asked_at: new Date(0), rest_until: null })
    .execute()
  await storeReadings(storing, feeds)
}
function pause(): void {
  clearInterval(timer)
  timer = undefined
}

const server = createServer(async (request, response) => {
  if (request.url === '/start' && timer === undefined) {
    run()
    timer = setInterval(run, everyMs)
  }
  if (request.url === '/stop') {
    pause()
    sources.hangUp()
    await Promise.allSettled(running)
    // Each round starts alike: closes the breakers of interrupted polls.
    await db.updateTable('app.price_sources').set({ failures: 0, rest_until: null }).execute()
  }
  response.end()
}).listen(Number(PORT), '127.0.0.1')

const stop = async () => {
  pause()
  server.closeAllConnections()
  server.close()
  await sources.close()
  await Promise.allSettled(running)
  await pool.end()
}
process.once('SIGTERM', stop)
// The measuring process has ended; its channel must not keep this one alive.
process.once('disconnect', stop)
process.channel?.unref()
