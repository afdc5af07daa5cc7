import { defineConfig } from '@playwright/test'
import { chromiumFlags, findChromium } from '#tools/chromium.ts'

const port = Number(process.env.E2E_PORT ?? 3210)

/** Browser journeys through the built product, on a fresh demonstration of their own. */
export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.e2e.ts',
  outputDir: 'test-results',
  timeout: 90_000,
  expect: { timeout: 10_000 },
  // One server for all journeys on two cores.
  workers: 1,
  forbidOnly: true,
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    // A trace of every step takes a good part of a journey's time, also where nothing fails: it is asked for.
    trace: process.env.E2E_TRACE === '1' ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: findChromium() ?? undefined, args: chromiumFlags },
  },
  webServer: {
    command: 'exec node test/support/e2e-server.ts',
    env: { PORT: String(port) },
    url: `http://127.0.0.1:${port}/api/ready`,
    timeout: 120_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 30_000 },
  },
})
