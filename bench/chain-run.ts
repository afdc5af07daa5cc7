import { reportEnd } from '#server/process/lifetime.ts'
import { createProgress } from '#tools/console.ts'
import { benchChain } from './chain.ts'
import { fullChain } from './chain-scale.ts'
import { json, table } from './report.ts'
import { stopBySignals } from './until-stopped.ts'

/** npm run bench:chain: payments on real chains, Ethereum's and Bitcoin's; `--json` prints one JSON object. */
async function main(): Promise<void> {
  const { figures, machine } = await benchChain(fullChain, createProgress(process.stderr), stopBySignals())
  const print = process.argv.includes('--json') ? json : table
  process.stdout.write(`${print(figures, machine)}\n`)
}

await main().catch(reportEnd)
