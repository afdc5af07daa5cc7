import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from '@playwright/test'
import { sampleLogins } from '#server/demo/logins.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { startTemporaryProduct } from '#test/support/temporary-product.ts'
import { consolePaths } from '#web/console-paths.ts'
import { paths } from '#web/paths.ts'
import { serverPaths } from '#web/server/paths.ts'
import { chromiumFlags, findChromium, installChromium } from './chromium.ts'
import { createProgress } from './console.ts'
import { freePort } from './free-port.ts'
import { buildProduct, isBuildStale } from './product-build.ts'

/**
 * npm run screenshots [-- part of a page's name]: every page of the demonstration at three widths, light and dark, into
 * screenshots/<width>-<scheme>/<page>.png.
 */

const FOLDER = join(import.meta.dirname, '../screenshots')
const WIDTHS = [390, 820, 1440]
const HEIGHT = 900
const SCHEMES = ['light', 'dark'] as const

/** The viewer of a page: a visitor, or one of the sample accounts. */
type Viewer = 'visitor' | (typeof sampleLogins)[number]['who']

const { dashboard } = paths
const admin = { ...paths.admin, ...consolePaths }
const pages: Record<Viewer, Record<string, string>> = {
  visitor: {
    home: paths.home,
    about: paths.about,
    'investment-plans': paths.plans,
    services: paths.services,
    faq: paths.faq,
    contact: paths.contact,
    proof: paths.proof,
    'contact-thanks': serverPaths.contactThanks,
    login: paths.login,
    register: paths.register,
    verify: paths.verify('stranger@example.com'),
    'forgot-password': paths.forgotPassword,
    'reset-password': '/reset-password#token=token',
    invitation: '/invitation#token=token',
    mailbox: paths.mailbox(),
    'not-found': '/no-such-page',
  },
  investor: {
    'dashboard-home': dashboard.home,
    'dashboard-profile': dashboard.profile,
    'dashboard-investments': dashboard.investments,
    'dashboard-new-investment': dashboard.newInvestment,
    'dashboard-withdrawals': dashboard.withdrawals,
    'dashboard-history': dashboard.history,
    'dashboard-statement': dashboard.statement,
    'dashboard-referrals': dashboard.referrals,
    'dashboard-close-account': dashboard.closeAccount,
    'dashboard-announcements': dashboard.announcements,
    'dashboard-messages': dashboard.messages,
    'dashboard-new-message': dashboard.ask(),
    'dashboard-deposit': dashboard.deposit,
    'dashboard-confirm-deposit': dashboard.confirmDeposit({ method: 'bitcoin', amount: '250' }),
  },
  administrator: {
    'admin-home': admin.home,
    'admin-users': admin.users,
    'admin-deposits': admin.deposits,
    'admin-withdrawals': admin.withdrawals,
    'admin-investments': admin.investments,
    'admin-earnings': admin.earnings,
    'admin-payouts': admin.payouts,
    'admin-returns': admin.returns,
    'admin-prices': admin.prices,
    'admin-cash-flow': admin.cashFlow,
    'admin-journal': admin.journal,
    'admin-reserves': admin.reserves,
    'admin-plans': admin.plans,
    'admin-firm': admin.firm,
    'admin-statistics': admin.statistics,
    'admin-messages': admin.messages,
    'admin-answers': admin.answers,
    'admin-audit': admin.audit,
    'admin-staff': admin.staff,
    'admin-integrations': admin.integrations,
    'admin-brand': admin.brand,
    'admin-settings': admin.settings,
    'admin-profile': admin.profile,
  },
  'second administrator': {},
  finance: { 'finance-home': admin.home },
  support: { 'support-home': admin.home },
  auditor: { 'auditor-home': admin.home },
}

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
}

const progress = createProgress()
let origin = ''

async function main(filter: string): Promise<void> {
  if (isBuildStale())
    await progress.step('Building the product', 'Product built', () => buildProduct(progress.say))
  const browserPath =
    findChromium() ?? (await progress.step('Installing Chromium', 'Chromium installed', installChromium))
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  const product = await startTemporaryProduct('screenshots', port)
  const browser = await chromium.launch({ executablePath: browserPath, args: chromiumFlags })
  try {
    await addInvestmentPage()
    for (const width of WIDTHS) for (const scheme of SCHEMES) await shootAll(browser, width, scheme, filter)
  } finally {
    await browser.close()
    await product.stop()
  }
}

async function shootAll(
  browser: Browser,
  width: number,
  scheme: 'light' | 'dark',
  filter: string,
): Promise<void> {
  const folder = join(FOLDER, `${width}-${scheme}`)
  mkdirSync(folder, { recursive: true })
  await progress.step(`Pages at ${width} px, ${scheme}`, `Pages at ${width} px, ${scheme}`, async () => {
    for (const viewer of Object.keys(pages) as Viewer[]) {
      const wanted = Object.entries(pages[viewer]).filter(([name]) => name.includes(filter))
      if (wanted.length === 0) continue
      const context = await openContext(browser, viewer, width, scheme)
      for (const [name, path] of wanted) await shoot(context, path, join(folder, `${name}.png`))
      await context.close()
    }
  })
}

async function openContext(
  browser: Browser,
  viewer: Viewer,
  width: number,
  scheme: 'light' | 'dark',
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: scheme,
    // The start overlay disappears at once, and nothing is captured in motion.
    reducedMotion: 'reduce',
    baseURL: origin,
  })
  // A stream would keep the network from ever being idle, and nothing changes meanwhile.
  await context.route('**/api/live', route => route.abort())
  const tokens = await signIn(viewer)
  if (tokens !== null) {
    await context.addInitScript(({ accessToken, refreshToken }) => {
      localStorage.setItem('refresh', refreshToken)
      localStorage.setItem('access', accessToken)
    }, tokens)
  }
  return context
}

async function shoot(context: BrowserContext, path: string, file: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(path, { waitUntil: 'networkidle' })
  // What is below the window is drawn only once somebody scrolls to it.
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('* { content-visibility: visible !important }')
    document.adoptedStyleSheets.push(sheet)
  })
  await page.screenshot({ path: file, fullPage: true })
  await page.close()
}

async function signIn(viewer: Viewer): Promise<Tokens | null> {
  const login = sampleLogins.find(({ who }) => who === viewer)
  if (login === undefined) return null
  const response = await fetch(`${origin}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: login.email, password: login.password }),
  })
  const { data } = (await response.json()) as { data: { token: Tokens } }
  return data.token
}

/** The console's page of an investment needs an id. */
async function addInvestmentPage(): Promise<void> {
  const tokens = await signIn('administrator')
  const response = await fetch(`${origin}/api/investment/get-all?limit=1`, {
    headers: { authorization: `Bearer ${tokens?.accessToken}` },
  })
  const { data } = (await response.json()) as { data: { _id: string }[] }
  if (data[0] !== undefined) pages.administrator['admin-investment'] = admin.investment(data[0]._id)
}

await main(process.argv[2] ?? '').catch(reportEnd)
