import { parseArgs } from 'node:util'
import { reportEnd } from '#server/process/lifetime.ts'
import { createProgress } from '#tools/console.ts'
import { json, table } from './report.ts'
import { benchTables, million } from './tables.ts'
import { stopBySignals } from './until-stopped.ts'

/**
 * npm run bench:load: the first pages of the console's tables with a million users and five million records, against a
 * thousand users. `-- --users=100000` loads fewer, `--rounds=3` measures less; `--json` prints one JSON object.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { users: { type: 'string' }, rounds: { type: 'string' }, json: { type: 'boolean' } },
  })
  const users = Number(values.users ?? million.users)
  const rounds = Number(values.rounds ?? million.rounds)
  if (!(Number.isSafeInteger(users) && users >= 1_000))
    throw new Error('--users is a whole number from 1000 on')
  if (!(Number.isSafeInteger(rounds) && rounds >= 1)) throw new Error('--rounds is a whole number from 1 on')
  const scale = { ...million, users, rounds }
  const { figures, machine } = await benchTables(scale, createProgress(process.stderr), stopBySignals())
  process.stdout.write(`${(values.json ? json : table)(figures, machine)}\n`)
}

await main().catch(reportEnd)
