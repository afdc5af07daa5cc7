import { createServer } from 'node:http'
import { sealBooks } from '#server/ledger/sealer.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openPool } from '#server/platform/database/pool.ts'

/** Seals the books at each request to `/seal`. Run as `node bench/sealer.ts`, with PORT and DATABASE_URL. */
const { PORT, DATABASE_URL = '' } = process.env

const pool = openPool({ url: DATABASE_URL, as: 'app', name: 'probity sealer', max: 1 })
const config = { tokenSecret: 'seals of a measurement', formerSecrets: [] }
const log = { info() {}, error: console.error }

const server = createServer(async (request, response) => {
  if (request.url === '/seal') {
    const seals = await sealBooks({ pool, config, clock: systemClock, log }).catch(console.error)
    response.statusCode = typeof seals === 'number' ? 200 : 500
  }
  response.end()
}).listen(Number(PORT), '127.0.0.1')

const stop = async () => {
  server.closeAllConnections()
  server.close()
  await pool.end()
}
process.once('SIGTERM', stop)
// The measuring process has ended; its channel must not keep this one alive.
process.once('disconnect', stop)
process.channel?.unref()
