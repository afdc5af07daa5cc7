import { reportEnd } from '#server/process/lifetime.ts'
import { createProgress } from '#tools/console.ts'
import { benchProof, fullProof } from './proof.ts'
import { json, table } from './report.ts'
import { stopBySignals } from './until-stopped.ts'

/** npm run bench:proof: the public proof of a million transactions and investors; `--json` prints one JSON object. */
async function main(): Promise<void> {
  const { figures, machine } = await benchProof(fullProof, createProgress(process.stderr), stopBySignals())
  const print = process.argv.includes('--json') ? json : table
  process.stdout.write(`${print(figures, machine)}\n`)
}

await main().catch(reportEnd)
