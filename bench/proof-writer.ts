import { createServer } from 'node:http'
import { sealBooks } from '#server/ledger/sealer.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openPool } from '#server/platform/database/pool.ts'
import { writeLog } from '#server/proof/epochs.ts'
import { publishTo } from '#server/proof/folder.ts'

/** What a worker does for the public proof, at each request. Run as `node bench/proof-writer.ts`. */
const { PORT, DATABASE_URL = '', DATA_DIR = '', TOKEN_SECRET = '' } = process.env

const pool = openPool({ url: DATABASE_URL, as: 'app', name: 'probity sealer', max: 1 })
const config = {
  tokenSecret: TOKEN_SECRET,
  formerSecrets: [],
  dataDir: DATA_DIR,
  publicUrl: 'http://127.0.0.1',
  epochHours: 24,
  closedLeaves: false,
  witnesses: null,
  bucket: null,
}
const options = {
  pool,
  config,
  clock: systemClock,
  log: { info() {}, warn: console.error, error: console.error },
}
const acts: Record<string, () => Promise<unknown>> = {
  '/seal': () => sealBooks(options),
  '/write': () => writeLog(options),
  '/end': () => writeLog(options, { closeNow: true }),
  '/publish': () => publishTo(pool, `${DATA_DIR}/published`),
}

const server = createServer(async (request, response) => {
  const act = acts[request.url ?? '']
  const begun = performance.now()
  const done = act && (await act().catch(console.error))
  if (act && typeof done !== 'number') response.statusCode = 500
  response.end(
    JSON.stringify({ ms: performance.now() - begun, peakKB: process.resourceUsage().maxRSS * 1.024 }),
  )
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
