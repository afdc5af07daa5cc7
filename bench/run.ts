import { reportEnd } from '#server/process/lifetime.ts'
import { createProgress } from '#tools/console.ts'
import { bench } from './bench.ts'
import { json, table } from './report.ts'
import { full } from './scale.ts'
import { stopBySignals } from './until-stopped.ts'

/** npm run bench: measures the figures of README; `--json` answers one JSON object. Progress goes to standard error. */
async function main(): Promise<void> {
  const { figures, machine } = await bench(full, createProgress(process.stderr), stopBySignals())
  const print = process.argv.includes('--json') ? json : table
  process.stdout.write(`${print(figures, machine)}\n`)
}

await main().catch(reportEnd)
