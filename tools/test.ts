import { chmodSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Interrupted, reportEnd } from '#server/process/lifetime.ts'
import { journeyWorkers } from '#test/support/journey-products.ts'
import { findChromium, provideChromium } from './chromium.ts'
import { createProgress } from './console.ts'
import { freePort } from './free-port.ts'
import { endAbandonedRuns, endRun, runPrefix } from './leftovers.ts'
import { provideNode, type TestNode, testNodes } from './nodes.ts'
import { buildProduct, isBuildStale } from './product-build.ts'
import { interruptedWith, type Outcome, runQuietly, SIGNALS, type Signal } from './programs.ts'
import { testFolder } from './test-folder.ts'
import {
  playwrightTotals,
  single,
  skippedJourneys,
  skippedTests,
  sum,
  summary,
  type Totals,
  vitestTotals,
} from './totals.ts'

/**
 * npm test: everything, in the order in which a defect is cheapest to find. All of it runs even if something fails.
 * npm test -- <part of a path>: only the tests and journeys of the files whose paths have it.
 */

const ROOT = join(import.meta.dirname, '..')
const MINUTE_MS = 60_000
/** A part that hangs is ended. The longest takes 35 minutes on two quiet cores; machines of CI are up to half slower. */
const PART_LIMIT_MS = 75 * MINUTE_MS
const OUTPUT_LINES = 300

const progress = createProgress()
const filters = process.argv.slice(2)
/** Where everything that the run starts has its temporary files, by which its processes are found again. */
const folder = mkdtempSync(join(testFolder(), `${runPrefix}${process.pid}-`))
// The embedded database of root runs as another user, who must pass through.
chmodSync(folder, 0o711)
/** The signal that came while no program ran, or again during the clean-up: it must not end this process half-way. */
let interruptedBy: Signal | undefined
for (const signal of SIGNALS) {
  process.on(signal, () => {
    interruptedBy ??= signal
  })
}

async function main(): Promise<void> {
  await endAbandonedRuns()
  // From here on all that is started is found by it.
  process.env.TMPDIR = folder
  const total = sum(filters.length > 0 ? [await builds(), ...(await tests())] : await allChecks())
  progress.say(summary(total))
  if (total.failed > 0) process.exitCode = 1
}

async function builds(): Promise<Totals> {
  return await staticCheck('build of the server and the pages', checkBuild)
}

async function tests(): Promise<Totals[]> {
  return [
    await reported('Chromium, for the tests in a browser', checkChromium),
    await reported('unit and integration tests', vitest),
    await reported('browser journeys', playwright),
  ]
}

async function allChecks(): Promise<Totals[]> {
  return [
    await staticCheck('format, lint and import boundaries', lint),
    await staticCheck('types', () => program('tsc', ['-p', 'tsconfig.json', '--pretty', 'false'])),
    await builds(),
    await checkNode(testNodes.litecoind),
    await checkNode(testNodes.anvil),
    await checkNode(testNodes.electrum),
    await checkNode(testNodes.clamd),
    await checkNode(testNodes.pgbouncer),
    await checkNode(testNodes.pgbackrest),
    await checkNode(testNodes.dovecot),
    await checkNode(testNodes.hledger),
    await checkNode(testNodes.ledger),
    await checkNode(testNodes.beancount),
    await checkNode(testNodes.promtool),
    await checkNode(testNodes.dockerCompose),
    await checkNode(testNodes.go),
    ...(await tests()),
  ]
}

async function staticCheck(name: string, check: () => Promise<Outcome>): Promise<Totals> {
  return await reported(name, async () => {
    const { code, output } = await check()
    return { totals: single(code === 0), output }
  })
}

/** Runs one part, says how it went, and shows what it said only if something failed. */
async function reported(
  name: string,
  run: () => Promise<{ totals: Totals; output: string }>,
): Promise<Totals> {
  endIfInterrupted()
  const started = Date.now()
  const stop = progress.busy(name)
  const { totals, output } = await run()
    .catch((error: Error) => {
      if (error instanceof Interrupted) throw error
      return { totals: single(false), output: error.message }
    })
    .finally(stop)
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  const counts = totals.passed + totals.failed + totals.skipped === 1 ? '' : `: ${summary(totals)}`
  progress.say(`  ${totals.failed === 0 ? '✓' : '✗'} ${name}${counts} (${seconds} s)`)
  if (totals.failed > 0) progress.say(output.trim().split('\n').slice(-OUTPUT_LINES).join('\n'))
  return totals
}

function endIfInterrupted(): void {
  if (interruptedBy !== undefined) throw interruptedWith(interruptedBy)
}

/** Biome's rules, then those of tools/lint; what both found is shown. */
async function lint(): Promise<Outcome> {
  const biome = await program('biome', ['ci', '--colors=off'])
  const style = await program('node', ['tools/lint/style.ts'])
  return { code: biome.code || style.code, output: biome.output + style.output }
}

async function checkBuild(): Promise<Outcome> {
  if (isBuildStale()) await buildProduct(progress.say)
  return { code: 0, output: '' }
}

/** What is tested with a node that cannot be had is skipped, each test by its name, or fails where nodes are required. */
async function checkNode(node: TestNode): Promise<Totals> {
  return await reported(`${node.name}, for the tests of ${node.for}`, async () => {
    const provided = await provideNode(node)
    if (provided.totals.skipped > 0) progress.say(`  ${provided.output} Its tests are skipped.`)
    return provided
  })
}

async function checkChromium(): Promise<{ totals: Totals; output: string }> {
  await provideChromium()
  return { totals: single(true), output: '' }
}

async function vitest(): Promise<{ totals: Totals; output: string }> {
  const file = join(folder, 'vitest.json')
  const args = [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...(filters.length > 0 ? ['--passWithNoTests', ...filters] : []),
  ]
  const { output } = await program('vitest', args, { timeout: PART_LIMIT_MS })
  for (const name of namesIn(file, skippedTests)) progress.say(`  skipped: ${name}`)
  return { totals: countReport(file, vitestTotals), output: fromFirst(output, /⎯+ Failed|⎯+ Unhandled/) }
}

async function playwright(): Promise<{ totals: Totals; output: string }> {
  const file = join(folder, 'playwright.json')
  const env = {
    // Playwright sets its workers' colours itself, and Node warns of two settings.
    NO_COLOR: undefined,
    CHROMIUM_PATH: findChromium() ?? undefined,
    PLAYWRIGHT_JSON_OUTPUT_FILE: file,
    E2E_PORT: String(await freePort(journeyWorkers)),
  }
  const args = ['test', '--reporter=list,json', '--pass-with-no-tests']
  const { output } = await program('playwright', [...args, ...filters], { timeout: PART_LIMIT_MS, env })
  for (const name of namesIn(file, skippedJourneys)) progress.say(`  skipped: ${name}`)
  return { totals: countReport(file, playwrightTotals), output: fromFirst(output, /^ +1\) /m) }
}

/** A tool of node_modules, its colours off: what it says is kept and may end up in a log. */
async function program(
  name: string,
  args: string[],
  { timeout, env = {} }: { timeout?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  endIfInterrupted()
  const plain = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env }
  return await runQuietly(join(ROOT, 'node_modules/.bin', name), args, { cwd: ROOT, env: plain, timeout })
}

/** A tool that crashed, or was ended, has left no report: one failure. */
function countReport<Report>(file: string, count: (report: Report) => Totals): Totals {
  try {
    return count(JSON.parse(readFileSync(file, 'utf8')) as Report)
  } catch {
    return single(false)
  }
}

function namesIn<Report>(file: string, names: (report: Report) => string[]): string[] {
  try {
    return names(JSON.parse(readFileSync(file, 'utf8')) as Report)
  } catch {
    return []
  }
}

function fromFirst(text: string, pattern: RegExp): string {
  return text.slice(Math.max(0, text.search(pattern)))
}

await main()
  .catch(reportEnd)
  .finally(() => endRun(folder))
