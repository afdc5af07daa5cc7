import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import lighthouse from 'lighthouse'
import { newReferralCode } from '#server/accounts/signup.ts'
import { loadPolicies } from '#server/demo/policies.ts'
import { newId } from '#server/platform/id.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { policyPaths } from '#shared/policies.ts'
import { startLiveProduct } from '#test/support/live-product.ts'
import { startTemporaryProduct } from '#test/support/temporary-product.ts'
import { paths } from '#web/paths.ts'
import { chromiumFlags, findChromium, installChromium } from './chromium.ts'
import { createProgress } from './console.ts'
import { freePort } from './free-port.ts'
import { type Category, defectsOf, fullScore, type PageReport, reportText } from './lighthouse-report.ts'
import { buildProduct, isBuildStale } from './product-build.ts'

/**
 * npm run lighthouse [-- --json] [path …]: the pages that strangers see, measured by Lighthouse on a slow phone (its
 * mobile preset and throttling), each at a first visit of a fresh browser. A demonstration is closed to search engines,
 * so SEO is measured on a live product. Exits with 1 if a page has a defect. Times depend on this machine, so leave it
 * idle.
 */

const PUBLIC: string[] = [
  paths.home,
  paths.about,
  paths.plans,
  paths.services,
  paths.contact,
  paths.proof,
  paths.faq,
  policyPaths.terms,
]
const ACCOUNT: string[] = [paths.login, paths.register]
const MISSING = '/no/such/page'
/** A slow page may be due to a busy machine, so it is measured again, and the median counts. */
const TRIES = 3

type Product = { origin: string; stop: () => Promise<void> }
type Result = NonNullable<Awaited<ReturnType<typeof lighthouse>>>['lhr']

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true })
const progress = createProgress(values.json ? process.stderr : process.stdout)

async function main(): Promise<void> {
  if (isBuildStale())
    await progress.step('Building the product', 'Product built', () => buildProduct(progress.say))
  const browser =
    findChromium() ?? (await progress.step('Installing Chromium', 'Chromium installed', installChromium))
  const demonstration = await start(startTemporaryProduct)
  const live = await startLive().catch(error => demonstration.stop().then(() => Promise.reject(error)))
  try {
    const all = [...PUBLIC, MISSING, ...ACCOUNT]
    const pages = positionals.length > 0 ? all.filter(path => positionals.includes(path)) : all
    const reports: PageReport[] = []
    for (const path of pages) {
      reports.push(await progress.step(path, path, () => measure(browser, demonstration, live, path)))
    }
    console.log(values.json ? JSON.stringify({ pages: reports }) : `\n${reportText(reports)}`)
    if (reports.some(report => defectsOf(report).length > 0)) process.exitCode = 1
  } finally {
    await Promise.all([demonstration.stop(), live.stop()])
  }
}

async function start(product: typeof startLiveProduct) {
  const port = await freePort()
  return { origin: `http://127.0.0.1:${port}`, ...(await product('lighthouse', port)) }
}

/** A live product whose two admins have published its terms: a fresh one has none. */
async function startLive(): Promise<Product> {
  const live = await start(startLiveProduct)
  const { db, clock } = live.services
  const at = clock.now()
  const admins = ['ada', 'ben'].map(name => ({
    id: newId(at),
    name,
    email: `${name}@example.com`,
    type: 'admin' as const,
    role: 'admin' as const,
    country: 'Australia',
    phone: '+61 2 5550 0101',
    password_hash: 'none',
    referral_code: newReferralCode(),
    email_verified_at: at,
    created_at: at,
  }))
  const [admin, admin2] = [admins[0]!, admins[1]!]
  try {
    await db.transaction().execute(async tx => {
      await tx.insertInto('app.users').values(admins).execute()
      await loadPolicies(tx, { admin, admin2 }, at)
    })
    return live
  } catch (error) {
    await live.stop()
    throw error
  }
}

async function measure(
  browser: string,
  demonstration: Product,
  live: Product,
  path: string,
): Promise<PageReport> {
  const page = demonstration.origin + path
  // Its status 404 is an error for Lighthouse, in the console and for search engines.
  const exists = path !== MISSING
  const once = exists ? (['accessibility', 'best-practices'] as const) : (['accessibility'] as const)
  const results = [await audit(browser, page, ['performance', ...once])]
  while (results.length < TRIES && score(results[0]!, 'performance') < fullScore)
    results.push(await audit(browser, page, ['performance']))
  const [first] = results
  const seo = exists ? await audit(browser, live.origin + path, ['seo']) : undefined
  const median = results.sort((a, b) => score(a, 'performance') - score(b, 'performance'))[
    results.length >> 1
  ]!
  return {
    path,
    isPublic: !ACCOUNT.includes(path),
    scores: {
      performance: score(median, 'performance'),
      ...Object.fromEntries(once.map(category => [category, score(first!, category)])),
      ...(seo ? { seo: score(seo, 'seo') } : {}),
    },
    ...weightOf(first!),
    cls: Math.max(...results.map(result => number(result, 'cumulative-layout-shift'))),
    lcp: number(median, 'largest-contentful-paint'),
    lost: { ...lostIn(first!), ...lostIn(median), ...(seo && lostIn(seo)) },
  }
}

/** One visit, repeated if the browser was too busy to record it. */
async function audit(browser: string, url: string, onlyCategories: Category[]): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const result = await visit(browser, url, onlyCategories)
    if (!result.runtimeError) return result
    if (tries === TRIES) throw new Error(`${url}: ${result.runtimeError.message}`)
  }
}

/** In a fresh browser. */
async function visit(executablePath: string, url: string, onlyCategories: Category[]): Promise<Result> {
  const port = await freePort()
  const browser = await chromium.launch({
    executablePath,
    args: [...chromiumFlags, `--remote-debugging-port=${port}`],
  })
  try {
    const flags = { port, onlyCategories, logLevel: 'error', ignoreStatusCode: true } as const
    const result = await lighthouse(url, flags)
    if (result === undefined) throw new Error(`${url}: no result`)
    return result.lhr
  } finally {
    await browser.close()
  }
}

function score(result: Result, category: Category): number {
  return Math.round((result.categories[category]?.score ?? 0) * fullScore)
}

function number(result: Result, audit: string): number {
  return result.audits[audit]?.numericValue ?? Number.NaN
}

/** Bytes on the wire, headers included. */
function weightOf(result: Result): { bytes: number; scriptBytes: number } {
  const { details } = result.audits['network-requests']!
  const requests = (details as unknown as { items: { resourceType: string; transferSize: number }[] }).items
  const sum = (all: typeof requests) => all.reduce((bytes, { transferSize }) => bytes + transferSize, 0)
  return {
    bytes: sum(requests),
    scriptBytes: sum(requests.filter(({ resourceType }) => resourceType === 'Script')),
  }
}

/** The audits that count towards a score and are not perfect. */
function lostIn({ categories, audits }: Result): PageReport['lost'] {
  const lost = Object.values(categories).map(({ id, auditRefs }) => {
    const imperfect = auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
    return [id, imperfect.map(({ id }) => `${id} ${audits[id]?.displayValue ?? ''}`.trim())]
  })
  return Object.fromEntries(lost)
}

await main().catch(reportEnd)
