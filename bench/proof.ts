import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { chromium } from '@playwright/test'
import pg from 'pg'
import { systemClock } from '#server/platform/clock.ts'
import { newId } from '#server/platform/id.ts'
import { accessTokens } from '#server/platform/tokens.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '#test/support/temporary-postgres.ts'
import { chromiumFlags, findChromium, installChromium } from '#tools/chromium.ts'
import type { Progress } from '#tools/console.ts'
import { buildProduct, isBuildStale, MAIN } from '#tools/product-build.ts'
import { type Figure, figure } from './figure.ts'
import { currentLoad, describeMachine, type Machine } from './machine.ts'
import { type Server, startServer } from './servers.ts'
import { type Closers, untilStopped } from './until-stopped.ts'
import { createDatabases, serverEnvironment, withDatabase } from './world.ts'

/** Investors, with one transaction each, and checks of the browser that count. */
export type ProofScale = { investors: number; checks: number }

export const fullProof: ProofScale = { investors: 1_000_000, checks: 11 }
export const smokeProof: ProofScale = { investors: 1_000, checks: 1 }

const MILLION = 1_000_000
const SEAL_LIMIT_MS = 600_000
const TREE_LIMIT_MS = 60_000
const VERIFIER_LIMIT_MS = 60_000
const CHECK_LIMIT_MS = 1_000
const MEMORY_LIMIT_KB = 1_000_000
/** A mid-range phone compared with this machine. */
const SLOWDOWN = 4
const ROOT = join(import.meta.dirname, '..')

/**
 * The public proof of a day with a million transactions of a million investors: writing it, checking all of it as a
 * stranger, and checking one investor's part in a browser.
 * @param stop ends it early; everything is still removed
 */
export function benchProof(
  scale: ProofScale,
  progress: Progress,
  stop: AbortSignal,
): Promise<{ figures: Figure[]; machine: Machine }> {
  const loadBefore = currentLoad()
  return untilStopped(stop, async closers => {
    if (isBuildStale())
      await progress.step('Building the product', 'Product built', () => buildProduct(progress.say))
    const count = scale.investors.toLocaleString('en')
    const site = await progress.step(`A day of ${count} deposits`, `A day of ${count} deposits`, () =>
      openDay(scale, closers),
    )
    const machine = await describeMachine(site.postgres.superuserUrl, loadBefore)
    const sealing = await progress.step('Sealing', 'Sealing', () => measureSealing(site, scale))
    const verifier = await progress.step('The verifier', 'The verifier', () => measureVerifier(site, scale))
    const browser = await progress.step('The browser', 'The browser', () =>
      measureBrowser(site, scale, closers),
    )
    return { figures: [...sealing, ...verifier, ...browser], machine }
  })
}

type Site = { postgres: TemporaryPostgres; folder: string; secret: string; writer: Server }

async function openDay({ investors }: ProofScale, closers: Closers): Promise<Site> {
  const postgres = await startTemporaryPostgres('bench', { durable: true })
  closers.push(postgres.stop)
  const { appUrl, superuserUrl, temporaryFolder } = postgres
  await createDatabases(postgres, { investors: 1, copies: [] })
  const client = new pg.Client({ connectionString: withDatabase(superuserUrl, 'probity') })
  await client.connect()
  await client.query(`SET session_replication_role = replica; SET timezone = 'UTC'`)
  const fill = readFileSync(join(import.meta.dirname, 'fill-day.sql'), 'utf8')
  await client.query(fill.replace('$count', String(investors)))
  await client.query('VACUUM (ANALYZE)')
  await client.end()
  const folder = join(temporaryFolder, 'product')
  mkdirSync(folder, { recursive: true })
  const secret = randomBytes(48).toString('base64url')
  const writer = await startServer({
    script: ['bench/proof-writer.ts'],
    env: { DATABASE_URL: appUrl, DATA_DIR: folder, TOKEN_SECRET: secret },
    readyPath: '/',
    log: join(temporaryFolder, 'writer.log'),
  })
  closers.push(writer.stop)
  return { postgres, folder, secret, writer }
}

/** The internal seal is made before, outside the time. */
async function measureSealing({ writer }: Site, { investors }: ProofScale): Promise<Figure[]> {
  await ask(writer, 'seal')
  const written = await ask(writer, 'write')
  const ended = await ask(writer, 'end')
  const million = MILLION / investors
  return [
    atMost('millionSealed', SEAL_LIMIT_MS, `a million of ${investors} transactions`, written.ms * million),
    atMost(
      'millionInTree',
      TREE_LIMIT_MS,
      'the end of the epoch: tree, files, checkpoint',
      ended.ms * million,
    ),
    figure(
      'writerMemory',
      { atMost: 1 },
      { what: 'memory of the writer at its peak', unit: 'kB', rounds: [ended.peakKB] },
      { what: 'at most', unit: 'kB', rounds: [MEMORY_LIMIT_KB] },
    ),
  ]
}

/** By node:http: fetch gives up after five minutes. */
async function ask({ port }: Server, act: string): Promise<{ ms: number; peakKB: number }> {
  const [answer] = (await once(get({ port, path: `/${act}` }), 'response')) as [IncomingMessage]
  const said = await text(answer)
  if (answer.statusCode !== 200) throw new Error(`the writer has failed to ${act}`)
  return JSON.parse(said) as { ms: number; peakKB: number }
}

function atMost(name: string, limitMs: number, what: string, ms: number): Figure {
  const unit = 'milliseconds' as const
  return figure(
    name,
    { atMost: 1 },
    { what, unit, rounds: [ms] },
    { what: 'at most', unit, rounds: [limitMs] },
  )
}

/** The verifier as a stranger runs it, on all files in a folder, against hashing the same bytes. */
async function measureVerifier({ writer, folder }: Site, { investors }: ProofScale): Promise<Figure[]> {
  await ask(writer, 'publish')
  const published = join(folder, 'published')
  const verifier = await timeOf(['verifier/verify.mjs', published], folder)
  const begun = performance.now()
  for (const file of readdirSync(published, { recursive: true, withFileTypes: true })) {
    if (file.isFile())
      createHash('sha256')
        .update(readFileSync(join(file.parentPath, file.name)))
        .digest()
  }
  const hashing = performance.now() - begun
  const what = `the verifier over ${investors} transactions and as many investors`
  return [
    atMost('millionVerified', VERIFIER_LIMIT_MS, what, (verifier * MILLION) / investors),
    figure(
      'verifierPerSha256',
      null,
      { what, unit: 'milliseconds', rounds: [verifier] },
      { what: 'SHA-256 of the same files', unit: 'milliseconds', rounds: [hashing] },
    ),
  ]
}

/** @returns milliseconds @throws Error with its words if it does not find that all holds */
async function timeOf(script: string[], home: string): Promise<number> {
  const begun = performance.now()
  const child = spawn(process.execPath, script, {
    cwd: ROOT,
    env: { ...process.env, HOME: home },
    stdio: 'pipe',
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (words += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the verifier ended with ${code}:\n${words}`)
  return performance.now() - begun
}

/** From the click to the answer, calls included, times four: a browser's slowed-down processor does not slow workers. */
async function measureBrowser(
  site: Site,
  { investors, checks }: ProofScale,
  closers: Closers,
): Promise<Figure[]> {
  const { postgres, folder, secret } = site
  const server = await startServer({
    script: [MAIN, 'web'],
    env: { ...serverEnvironment(postgres.appUrl, folder), DATA_DIR: folder, TOKEN_SECRET: secret },
    readyPath: '/api/ready',
    log: join(postgres.temporaryFolder, 'web.log'),
  })
  closers.push(server.stop)
  const browser = await chromium.launch({
    executablePath: findChromium() ?? (await installChromium()),
    args: chromiumFlags,
  })
  closers.push(() => browser.close())
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    baseURL: `http://127.0.0.1:${server.port}`,
  })
  const access = accessTokens({ tokenSecret: secret, formerSecrets: [] }, systemClock).sign({
    sub: await anInvestor(postgres),
    type: 'investor',
    sid: newId(new Date()),
  })
  await context.addInitScript(token => {
    localStorage.setItem('access', token)
    localStorage.setItem('refresh', 'none')
  }, access)
  const page = await context.newPage()
  const rounds: number[] = []
  for (let round = 0; round <= checks; round++) {
    // A device that has seen nothing checks most.
    await page.goto('/dashboard/statement')
    await page.evaluate(() => localStorage.removeItem('proof'))
    const check = page.getByRole('region', { name: 'Checked on your device' })
    await check.getByText('Holds').waitFor()
    const ms = await check.evaluate(async region => {
      const again = [...region.querySelectorAll('button')].find(
        ({ textContent }) => textContent === 'Check again',
      )
      const holds = () => region.textContent.includes('Holds')
      const begun = performance.now()
      again?.click()
      while (holds()) await new Promise(requestAnimationFrame)
      while (!holds()) await new Promise(requestAnimationFrame)
      return performance.now() - begun
    })
    if (round > 0) rounds.push(SLOWDOWN * ms)
  }
  const unit = 'milliseconds' as const
  return [
    figure(
      'checkInBrowser',
      { atMost: 1 },
      { what: `a check among ${investors} investors, four times its time here`, unit, rounds },
      { what: 'at most', unit, rounds: rounds.map(() => CHECK_LIMIT_MS) },
    ),
  ]
}

async function anInvestor({ appUrl }: TemporaryPostgres): Promise<string> {
  const client = new pg.Client({ connectionString: appUrl })
  await client.connect()
  const { rows } = await client.query('SELECT owner FROM ledger.epoch_parts LIMIT 1')
  await client.end()
  return rows[0].owner as string
}
