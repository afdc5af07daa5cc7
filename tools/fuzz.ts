import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { testFolder } from './test-folder.ts'

/**
 * npm run fuzz: random requests to every call of the API for ten minutes; npm test makes a thousand. `-- --seconds=60`
 * searches shorter or longer, `--seed=…` repeats what a failure has named.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string' } },
  })
  const { seconds, seed } = values
  if (!/^[1-9]\d{0,5}$/.test(seconds)) throw new StartupError('--seconds is a whole number from 1 on')
  if (seed !== undefined && !/^-?\d{1,10}$/.test(seed)) throw new StartupError('--seed is a whole number')
  const root = join(import.meta.dirname, '..')
  const env = {
    ...process.env,
    TMPDIR: testFolder(),
    FUZZ_SECONDS: seconds,
    ...(seed === undefined ? {} : { FUZZ_SEED: seed }),
  }
  const vitest = join(root, 'node_modules/.bin/vitest')
  const child = spawn(vitest, ['run', '--project', 'server', 'test/fuzz'], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
}

await main().catch(reportEnd)
