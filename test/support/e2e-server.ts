import { reportEnd, runUntilStopped } from '#server/process/lifetime.ts'
import { journeyDemonstration, journeyWorkers } from './journey-products.ts'
import { loadDemonstration, startTemporaryProduct } from './temporary-product.ts'

/** The products of the browser journeys, one for each of their workers, on PORT and the ports after it. */

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
  async life => {
    const ports = Array.from({ length: journeyWorkers }, (_, index) => Number(process.env.PORT) + index)
    // One admin records the returns of all journeys.
    const settings = { LARGE_RETURN_USD: '1000000' }
    await Promise.all([
      loadDemonstration(journeyDemonstration, life),
      ...ports.map(port => startTemporaryProduct('e2e', port, settings, { life })),
    ])
    // playwright.config.ts waits for this line.
    process.stdout.write('The products are ready\n')
  },
  () => {},
).catch(reportEnd)
