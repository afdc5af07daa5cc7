import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { sealBooks } from '#server/ledger/sealer.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openPool } from '#server/platform/database/pool.ts'

/**
 * Seals the books, once a second instead of once a minute. Run as `node bench/sealer.ts`, with PORT and DATABASE_URL.
 * `/start` seals everything first; `/stop` ends after the seal at hand.
 */
const { PORT, DATABASE_URL = '' } = process.env
const EVERY_MS = 1_000

const pool = openPool({ url: DATABASE_URL, as: 'app', name: 'probity sealer', max: 1 })
const config = { tokenSecret: 'seals of a measurement', formerSecrets: [] }
const log = { info() {}, error: console.error }
const sealAll = async () => {
  if ((await sealBooks({ pool, config, clock: systemClock, log })) === null) throw new Error('nothing sealed')
}

let pause = new AbortController()
let running: Promise<void> = Promise.resolve()
async function sealUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(EVERY_MS, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await sealAll()
  }
}
async function stopSealing(): Promise<void> {
  pause.abort()
  await running
}

const server = createServer(async (request, response) => {
  try {
    await stopSealing()
    if (request.url === '/start') {
      await sealAll()
      pause = new AbortController()
      running = sealUntil(pause.signal)
    }
  } catch (error) {
    console.error(error)
    response.statusCode = 500
  }
  response.end()
}).listen(Number(PORT), '127.0.0.1')

const stop = async () => {
  server.closeAllConnections()
  server.close()
  await stopSealing().catch(() => {})
  await pool.end()
}
process.once('SIGTERM', stop)
// The measuring process has ended; its channel must not keep this one alive.
process.once('disconnect', stop)
process.channel?.unref()
