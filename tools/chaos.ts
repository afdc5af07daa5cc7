import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { provideNode, testNodes } from './nodes.ts'
import { providePatroni } from './patroni.ts'
import { buildProduct, isBuildStale } from './product-build.ts'
import { testFolder } from './test-folder.ts'

/**
 * npm run chaos: people act while processes, PostgreSQL and what they need fail, for ten minutes, then every acknowledged act
 * is looked for. Prints the table of docs/reliability.md. `-- --seconds=60` runs shorter or
 * longer, `--seed=…` makes the choices of another run again. With `--patroni` three database machines fail instead;
 * `--unfenced` leaves out their watchdogs. With `--soak` nothing fails, and no process may keep more and more memory.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '600' },
      seed: { type: 'string' },
      patroni: { type: 'boolean', default: false },
      unfenced: { type: 'boolean', default: false },
      soak: { type: 'boolean', default: false },
    },
  })
  const { seconds, seed, patroni, unfenced, soak } = values
  // Access tokens hold for fifteen minutes.
  if (!/^[1-9]\d{0,2}$/.test(seconds) || Number(seconds) > 800) {
    throw new StartupError('--seconds is a whole number from 1 to 800')
  }
  if (seed !== undefined && !/^\d{1,9}$/.test(seed)) throw new StartupError('--seed is a whole number')
  if (unfenced && !patroni) throw new StartupError('--unfenced goes with --patroni')
  if (soak && patroni) throw new StartupError('--soak goes without --patroni')
  if (patroni) await providePatroni()
  else await provideNetworks()
  if (isBuildStale()) await buildProduct(line => console.error(line))
  const root = join(import.meta.dirname, '..')
  const table = join(testFolder(), `chaos-${process.pid}.md`)
  const env = {
    ...process.env,
    TMPDIR: testFolder(),
    CHAOS_SECONDS: seconds,
    CHAOS_TABLE: table,
    ...(patroni && { CHAOS_PATRONI: unfenced ? 'unfenced' : 'fenced' }),
    ...(soak && { CHAOS_SOAK: 'yes' }),
    ...(seed === undefined ? {} : { CHAOS_SEED: seed }),
  }
  const vitest = join(root, 'node_modules/.bin/vitest')
  const tests = `test/chaos/${patroni ? 'failover' : soak ? 'soak.test.ts' : 'chaos.test.ts'}`
  const child = spawn(vitest, ['run', '--project', 'server', tests], { cwd: root, env, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code === 0) process.stdout.write(`\n${readFileSync(table, 'utf8')}`)
  rmSync(table, { force: true })
  process.exitCode = code ?? 1
}

/** Without a network's node the run does without the network. */
async function provideNetworks(): Promise<void> {
  for (const node of [testNodes.litecoind, testNodes.anvil]) {
    const { totals, output } = await provideNode(node)
    if (totals.passed === 0) console.error(`${output} The run does without ${node.for}.`)
  }
}

await main().catch(reportEnd)
