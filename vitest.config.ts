import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The pictures that the build draws with a browser, as their names: what a unit test looks at needs no more. */
const picturesByName: Plugin = {
  name: 'pictures-by-name',
  enforce: 'pre',
  resolveId: id => (id.startsWith('#pictures/') ? `\0${id}` : undefined),
  load: id => (id.startsWith('\0#pictures/') ? `export default ${JSON.stringify(id.slice(1))}` : undefined),
}

/** The files that take longest, most of them because they wait for processes. */
const longest = [
  'server/main.test.ts',
  'tools/start.test.ts',
  'server/chain/real-networks.test.ts',
  'server/process/lifetime.test.ts',
  'bench/bench.test.ts',
  'tools/test.test.ts',
  'test/payouts/payouts.test.ts',
  'server/process/clocks.test.ts',
  'test/chaos/chaos.test.ts',
  'bench/chain.test.ts',
  'tools/dev.test.ts',
  'test/hostile/tampering.test.ts',
  'test/matrix/two-users.test.ts',
  'test/hostile/hostile.test.ts',
]

/** Begun last, they would run alone while the other workers have nothing left to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex(name => moduleId.endsWith(`/${name}`))
      return at === -1 ? longest.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Two projects, so that a pure unit test does not wait for a database.
    projects: [
      {
        plugins: [picturesByName],
        test: {
          name: 'unit',
          include: ['{shared,verifier}/**/*.test.ts', 'web/**/*.test.{ts,tsx}'],
          // These files take milliseconds, and a process of its own for each a third of a second.
          isolate: false,
          setupFiles: 'test/support/each-unit-file.ts',
          unstubGlobals: true,
          // A test that imports the module it tests once more waits for that, on a busy machine longer than Vitest's 5 s.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'server',
          include: ['{server,test,tools,bench,db}/**/*.test.ts'],
          // They take many minutes: `npm run chaos` with --patroni and --soak.
          exclude: [
            ...(process.env.CHAOS_PATRONI === undefined ? ['test/chaos/failover/**'] : []),
            ...(process.env.CHAOS_SOAK === undefined ? ['test/chaos/soak.test.ts'] : []),
          ],
          globalSetup: 'test/support/global-setup.ts',
          setupFiles: 'test/support/each-file.ts',
          // The product keeps its state by database, and each file has its own.
          isolate: false,
          restoreMocks: true,
          unstubGlobals: true,
          unstubEnvs: true,
          testTimeout: 90_000,
          hookTimeout: 90_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
    // One more than CI has cores: some tests wait for processes that they start or stop.
    maxWorkers: 3,
  },
})
