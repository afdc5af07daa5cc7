import { parseArgs } from 'node:util'
import { reportEnd } from '#server/process/lifetime.ts'
import { createProgress } from '#tools/console.ts'
import { costScale, costTable, measureCosts } from './costs.ts'
import { stopBySignals } from './until-stopped.ts'

/** npm run bench:costs: what one act costs the processor and the disk (docs/scaling.md). `-- --count=500` makes fewer of each. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { count: { type: 'string', default: '3000' } } })
  const count = Number(values.count)
  if (!(Number.isSafeInteger(count) && count >= 1)) throw new Error('--count is a whole number from 1 on')
  const costs = await measureCosts(count, costScale, createProgress(process.stderr), stopBySignals())
  process.stdout.write(`${costTable(costs)}\n`)
}

await main().catch(reportEnd)
