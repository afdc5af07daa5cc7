import { reportEnd, runUntilStopped } from '#server/lifetime.ts'
import { startTemporaryProduct } from './temporary-product.ts'

/** The server of the browser journeys, on PORT. */

const PARENT_CHECK_MS = 500

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

stopWithParent()
await runUntilStopped(
  life => startTemporaryProduct('e2e', Number(process.env.PORT), {}, {}, life),
  () => {},
).catch(reportEnd)
