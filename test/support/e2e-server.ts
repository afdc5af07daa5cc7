import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '#server/config.ts'
import { reportEnd, runUntilStopped } from '#server/lifetime.ts'
import { partsOf } from '#server/parts.ts'
import { createLogger } from '#server/platform/logger.ts'
import { serve } from '#server/serve.ts'

const PARENT_CHECK_MS = 500

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
    stopWithParent()
    const start = () => serve({ config, log, migrate: true, parts: partsOf.all, say: console.log })
    await runUntilStopped(start, () => {})
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A test runner that is killed stops nothing: its end shows in that we get another parent. */
function stopWithParent(): void {
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    process.kill(process.pid, 'SIGTERM')
  }, PARENT_CHECK_MS)
  check.unref()
}

await main().catch(reportEnd)
