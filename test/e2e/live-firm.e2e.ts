import { expect, type Page, test } from '@playwright/test'
import type { Running } from '#server/process/serve.ts'
import { liveSettings, startLiveProduct } from '#test/support/live-product.ts'
import { appCode } from '#test/support/totp.ts'
import { freePort } from '#tools/free-port.ts'
import { consolePaths } from '#web/console-paths.ts'
import { paths } from '#web/paths.ts'
import { expectSound, widths } from './support/investor.ts'
import { browserOf, desktop, type Person, stranger } from './support/people.ts'

/** A live firm that takes Bitcoin only and has written nothing about itself, as everybody meets it. */

let product: Running | undefined
let origin: string
test.beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  product = await startLiveProduct('e2e-bitcoin', port, { PUBLIC_URL: origin, WITHDRAWAL_COINS: 'BTC' })
})
test.afterAll(() => product?.stop())

type Tokens = { accessToken: string; refreshToken: string }

async function call<T>(page: Page, path: string, data: object, token?: string): Promise<T> {
  const headers = {
    'Idempotency-Key': crypto.randomUUID(),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  }
  const answer = await page.request.post(`${origin}/api${path}`, { data, headers })
  const body = await answer.json()
  expect(answer.ok(), `${path}: ${body.message}`).toBe(true)
  return body.data as T
}

/** Signs somebody up whose address counts as verified; the tokens lie where the pages look for them. */
async function enter(page: Page, person: Person, type: 'admin' | 'investor'): Promise<string> {
  const { name, email, password } = person
  const account = { name, email, password, phone: '+61 400 123 456', country: 'Australia' }
  await call(page, '/auth/signup', account)
  const role = type === 'admin' ? { type, role: 'admin' as const } : {}
  await product!.services.db
    .updateTable('app.users')
    .set({ ...role, email_verified_at: new Date() })
    .where('email', '=', email)
    .execute()
  let { token } = await call<{ token: Tokens }>(page, '/auth/login', { email, password })
  if (type === 'admin') {
    const { secret } = await call<{ secret: string }>(
      page,
      '/auth/second-factor/begin',
      {},
      token.accessToken,
    )
    const code = appCode(secret, new Date())
    await call(page, '/auth/second-factor/confirm', { code }, token.accessToken)
    const { refreshToken } = token
    token = (await call<{ token: Tokens }>(page, '/auth/refresh', { refreshToken })).token
  }
  await page.context().addInitScript(({ accessToken, refreshToken }) => {
    if (localStorage.getItem('access')) return
    localStorage.setItem('access', accessToken)
    localStorage.setItem('refresh', refreshToken)
  }, token)
  return token.accessToken
}

/** All that a page says to people and machines, but the market prices of the ticker (D-02). */
async function wordsOf(page: Page): Promise<string> {
  await expect(page.getByText(/^Loading/)).toHaveCount(0)
  return page.evaluate(() => {
    const copy = document.documentElement.cloneNode(true) as HTMLElement
    for (const part of copy.querySelectorAll('script, style, [aria-label="Coin prices"]')) part.remove()
    const attributes = [...copy.querySelectorAll('*')].flatMap(({ attributes: all }) =>
      [...all]
        .filter(({ name }) => /^(content|aria-label|title|alt|placeholder)$/.test(name))
        .map(of => of.value),
    )
    return [copy.textContent, ...attributes].join('\n')
  })
}

const otherCoins = /.{0,30}(usdt|trc-?20|tether|ethereum|litecoin|dogecoin).{0,30}/i

async function expectBitcoinOnly(page: Page) {
  expect(otherCoins.exec(await wordsOf(page))?.[0], page.url()).toBeUndefined()
}

test('[K-02, K-03] a visitor and an investor of a Bitcoin-only firm meet no other coin', async ({
  browser,
}) => {
  const page = await browserOf(browser)
  const open = async (path: string) => {
    await page.goto(origin + path)
    await expectBitcoinOnly(page)
  }
  for (const path of [paths.home, paths.about, paths.plans, paths.services, paths.contact, paths.faq])
    await open(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  for (const path of [paths.login, paths.register, paths.forgotPassword]) await open(path)

  const admin = await browserOf(browser)
  const token = await enter(admin, stranger('Alma Admin'), 'admin')
  await call(admin, '/plan/new', { ...plan, reason: 'The first' }, token)
  await enter(page, stranger('Iris Investor'), 'investor')
  const { dashboard } = paths
  await open(dashboard.home)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await open(dashboard.newInvestment)
  await expect(page.getByRole('radio', { name: /Bitcoin|balance/ })).toHaveCount(2)
  await open(dashboard.deposit)
  await expect(page.getByRole('button', { name: /^Fund now/ })).toHaveCount(1)
  await page.getByRole('button', { name: 'Fund now by Bitcoin' }).click()
  await expect(page.getByRole('dialog', { name: 'Payment by Bitcoin' })).toBeVisible()
  await expectBitcoinOnly(page)
  await open(dashboard.confirmDeposit({ method: 'bitcoin', amount: '250' }))
  await open(dashboard.confirmDeposit({ method: 'bitcoin', amount: '600', plan: plan.name }))
  await open(dashboard.withdrawals)
  await expect(page.getByLabel('Wallet', { exact: true }).locator('option')).toHaveText(['Bitcoin (BTC)'])
  await page.getByRole('button', { name: 'Add an address' }).click()
  await expect(page.getByRole('dialog').locator('option')).toHaveText(['Bitcoin (BTC)'])
  await expectBitcoinOnly(page)
  for (const path of [dashboard.investments, dashboard.history, dashboard.statement, dashboard.profile])
    await open(path)

  for (const path of [
    paths.admin.home,
    consolePaths.payouts,
    consolePaths.returns,
    consolePaths.plans,
    consolePaths.firm,
    consolePaths.audit,
  ]) {
    await admin.goto(origin + path)
    await expect(admin.getByRole('heading', { level: 1 })).toBeVisible()
    await expectBitcoinOnly(admin)
  }
})

const plan = {
  name: 'Steady',
  percentage: 5,
  minimum: 500,
  maximum: null,
  duration: '30 days',
  durationDays: 30,
  note: null,
}

test("[P-03, P-05, P-07] pages without the firm's texts are whole and sound", async ({ browser }) => {
  const page = await browserOf(browser)
  for (const path of [paths.home, paths.about, paths.services, paths.plans, paths.contact, paths.faq]) {
    await page.goto(origin + path)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expect(page.getByRole('main').getByRole('heading', { level: 2 }).first()).toBeVisible()
    const empty = await page
      .getByRole('main')
      .locator('p, h1, h2, h3, li, dl, ul, ol')
      .evaluateAll(all => all.filter(({ textContent }) => textContent?.trim() === '').length)
    expect(empty, path).toBe(0)
    await expectSound(page, widths)
  }
  await page.goto(origin + paths.about)
  await expect(page.getByRole('main')).toContainText(liveSettings.FIRM_LEGAL_NAME)
  await expect(page).toHaveTitle(`About us · ${liveSettings.FIRM_PRODUCT_NAME}`)
})

test('[P-03, P-06] what a firm writes of itself is shown as text, never as HTML', async ({ browser }) => {
  const page = await browserOf(browser, desktop)
  const token = await enter(page, stranger('Tessa Texts'), 'admin')
  const headers = { Authorization: `Bearer ${token}` }
  const versions = await (await page.request.get(`${origin}/api/firm/get-all`, { headers })).json()
  const [{ version, profile }] = versions.data
  const script = '<script>document.title = "x"</script>'
  const texts = {
    ...profile.texts,
    heading: `Houses ${script}`,
    description: `Houses "quoted" ${script}`,
    values: [{ title: `Care ${script}`, text: `First ${script}\n\nSecond` }],
  }
  const data = { ...profile, texts, version, reason: 'First texts' }
  expect((await page.request.put(`${origin}/api/firm/update`, { data, headers })).ok()).toBe(true)
  await page.goto(origin)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(texts.heading)
  await expect(page).toHaveTitle(`${texts.heading} · ${liveSettings.FIRM_PRODUCT_NAME}`)
  await page.goto(`${origin}/about`)
  await expect(page.getByText(`Care ${script}`)).toBeVisible()
})
