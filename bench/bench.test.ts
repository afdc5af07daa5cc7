import { expect, test } from 'vitest'
import { createProgress } from '#tools/console.ts'
import { bench } from './bench.ts'
import { findPgbench } from './pgbench.ts'
import { json, table } from './report.ts'
import { smoke } from './scale.ts'

const names = [
  'transferPerTpcb',
  'transferBatchedPerTpcb',
  'tpcbPreparedPerSimple',
  'actsPerTpcb',
  'bulkActsPerTpcb',
  'maturedPerTpcb',
  'planEarningsPerTpcb',
  'sealedPerUnsealed',
  'hotPerUniform',
  'hotFlooredPerUniform',
  'hotInvestorPerUniform',
  'readPerBare',
  'publicPerStatic',
  'readyFloodPerRest',
  'readyUnderFlood',
  'fileFairness',
  'codeUnderBacklogP95',
  'noticesPerSecond',
  'pageAt1MPer1k',
  'quoteWithFeedPerWithout',
]

// npm run bench may install pgbench; a test does not.
const here = test.skipIf(findPgbench() === null)

here(
  'every figure is measured, through the API, and reported in both forms',
  { timeout: 600_000 },
  async () => {
    const { figures, machine } = await bench(smoke, createProgress(), new AbortController().signal)
    expect(figures.map(({ name }) => name)).toEqual(names)
    for (const { name, value, low, high } of figures) {
      expect(low > 0 && low <= value && value <= high, `${name}: ${low} ≤ ${value} ≤ ${high}`).toBe(true)
    }
    expect(machine).toMatchObject({ fsync: 'on', synchronousCommit: 'on' })
    const answer = JSON.parse(json(figures, machine)) as Record<string, unknown>
    for (const name of names) {
      expect(answer[name]).toBeTypeOf('number')
      expect(table(figures, machine)).toContain(name)
    }
  },
)
