import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '#server/config.ts'
import { reportEnd, runUntilStopped } from '#server/lifetime.ts'
import { partsOf } from '#server/parts.ts'
import { createLogger } from '#server/platform/logger.ts'
import { serve } from '#server/serve.ts'

/** The built product on a fresh demonstration of its own, for the browser journeys; the database goes when it stops. */
async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'probity-e2e-'))
  // As root, PostgreSQL runs as another user, who must pass through.
  chmodSync(folder, 0o711)
  // All journeys come from one address; what the limits do is shown in server/http.
  const config = loadConfig({
    PORT: process.env.PORT,
    DATA_DIR: join(folder, 'data'),
    RATE_LIMIT: 'off',
  })
  const log = createLogger('warn')
  try {
    const start = () => serve({ config, log, migrate: true, parts: partsOf.all, say: console.log })
    await runUntilStopped(start, () => {})
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main().catch(reportEnd)
