import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { anvilProgram } from '#server/demo/anvil.ts'
import { descendantsOf, isAlive, until, type Watched, watch } from '#test/support/processes.ts'
import { findChromium } from './chromium.ts'
import { isBuildStale } from './product-build.ts'

/** Journeys begin once the pages are built and the product runs. */
const START_LIMIT_MS = 200_000
const ROOT = join(import.meta.dirname, '..')
let folder: string
let npm: Watched

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probity-npm-test-'))
  chmodSync(folder, 0o711)
})
afterEach(async () => {
  npm.child.kill('SIGTERM')
  await npm.ended()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts `npm test` as a developer does, for the files whose paths have this part. */
function npmTest(part: string): Watched {
  const { PATH, HOME } = process.env
  // Without this test run's variables.
  const env = { PATH, HOME, TMPDIR: folder }
  // Its own process group, as in a terminal.
  return watch('npm', ['test', '--', part], { cwd: ROOT, env, detached: true })
}

/** All its descendants, once all of these programs are among them. */
async function startedWith(...programs: string[]): Promise<number[]> {
  let found = new Map<number, string>()
  await until(() => {
    found = descendantsOf(npm.child.pid!)
    return programs.every(program => [...found.values()].some(command => command.includes(program)))
  }, START_LIMIT_MS)
  return [...found.keys()]
}

const needs = !isBuildStale() && anvilProgram() !== undefined && findChromium() !== null

describe.runIf(needs)('npm test that is interrupted (needs the build, anvil and Chromium)', () => {
  test.each([
    ['kill -9 of npm alone', 'SIGKILL', 'ethereum/json-rpc', ['vitest', '/postgres', 'anvil']],
    ['Ctrl-C', 'SIGINT', 'site.delivery', ['playwright', '/postgres', 'chromium']],
    ['SIGTERM to npm alone', 'SIGTERM', 'ethereum/json-rpc', ['vitest', '/postgres', 'anvil']],
  ] as const)(
    '[M-03] leaves no process and no folder behind after %s',
    async (_name, signal, part, programs) => {
      npm = npmTest(part)
      const processes = await startedWith(...programs)
      // A terminal's Ctrl-C reaches the whole group.
      process.kill(signal === 'SIGINT' ? -npm.child.pid! : npm.child.pid!, signal)
      await until(() => !processes.some(isAlive))
      await npm.ended()
      // Node's cache is there.
      await until(() => !readdirSync(folder).some(name => name.startsWith('probity-')))
      expect(npm.output()).toContain('Interrupted\n')
      expect(npm.output()).not.toMatch(/^\s+at /m)
    },
    300_000,
  )
})
