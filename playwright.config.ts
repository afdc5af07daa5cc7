import { defineConfig } from '@playwright/test'
import { journeyPort, journeyWorkers, ownJourneyPort } from '#test/support/journey-products.ts'
import { chromiumFlags, findChromium } from '#tools/chromium.ts'

/** Browser journeys through the built product, on fresh demonstrations of their own. */
export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.e2e.ts',
  outputDir: 'test-results',
  timeout: 90_000,
  expect: { timeout: 10_000 },
  // The journeys of a file run one after the other.
  workers: journeyWorkers,
  forbidOnly: true,
  use: {
    // A page's requests would pass journeys' routes by. app.install.e2e.ts alone allows it.
    serviceWorkers: 'block',
    baseURL: `http://127.0.0.1:${ownJourneyPort}`,
    // A trace of every step takes a good part of a journey's time, also where nothing fails: it is asked for.
    trace: process.env.E2E_TRACE === '1' ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    // No page lives long enough for what an optimising compiler costs: a tenth of a journey.
    launchOptions: {
      executablePath: findChromium() ?? undefined,
      args: [...chromiumFlags, '--js-flags=--no-opt'],
    },
  },
  webServer: {
    command: 'exec node test/support/e2e-server.ts',
    env: { PORT: String(journeyPort) },
    wait: { stdout: /The products are ready/ },
    timeout: 120_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 30_000 },
  },
})
