import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Two projects, so that a pure unit test does not wait for a database.
    projects: [
      {
        test: {
          name: 'unit',
          include: ['shared/**/*.test.ts', 'web/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          name: 'server',
          include: ['{server,test,tools,bench,db}/**/*.test.ts'],
          globalSetup: 'test/support/global-setup.ts',
          setupFiles: 'test/support/clean-up.ts',
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
    ],
    maxWorkers: 2,
  },
})
