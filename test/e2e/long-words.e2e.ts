import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { countryNames } from '#shared/countries.ts'
import { payoutAddress, region } from './support/console.ts'
import { asAdmin, dashboardOf, fund, type Investor, invest, payEarning, widths } from './support/investor.ts'
import {
  browserOf,
  callApi,
  consoleOf,
  daysAgo,
  openAccount,
  type Person,
  phone,
  signIn,
  stranger,
} from './support/people.ts'

/** What people write may be one word without an end: a name, a hash, a link, a reason typed without a space. */

/** A word of its own, `length` letters long. */
function word(length: number): string {
  return `${crypto.randomUUID().replaceAll('-', '')}${'Unbreakable'.repeat(length)}`.slice(0, length)
}

const longestCountry = countryNames.reduce((longest, name) => (name.length > longest.length ? name : longest))

async function expectNoSidewaysScroll(page: Page) {
  await expect(page.getByText(/^Loading/)).toHaveCount(0)
  const wider = await page.evaluate(() => {
    const frames = [document.documentElement, ...document.querySelectorAll('main, [role=dialog]')]
    return frames
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ tagName, scrollWidth, clientWidth }) => `${tagName}: ${scrollWidth} in ${clientWidth}`)
  })
  expect(wider, page.url()).toEqual([])
}

type Made = { _id: string; invoiceId: string }

/** Somebody whose every text is as long as it may be, with something in every state. */
async function wordyInvestor(request: APIRequestContext): Promise<Investor & { investment: string }> {
  const { email, password } = stranger()
  const person: Person = { name: word(115), email: `${word(60).toLowerCase()}.${email}`, password }
  const token = await openAccount(request, person)
  const iris = { person, token }
  await callApi(request, 'PUT', '/auth/me/update', {
    token,
    body: {
      name: person.name,
      email: person.email,
      phone: '+49 1520 123456789',
      country: longestCountry,
    },
  })
  await fund(request, iris, 20_000)
  const ask = (path: string, body: unknown) => callApi<Made>(request, 'POST', path, { token, body })
  const declined = [
    ['deposit', await ask('/deposit/new', { method: 'ethereum', amount: 300 })],
    ['investment', await ask('/investment/new', { method: 'bitcoin', plan: 'Basic', amount: 300 })],
    ['withdrawal', await askWithdrawal(request, token, 100)],
  ] as const
  for (const [kind, { _id }] of declined) {
    await asAdmin(request, `/${kind}/decline/${_id}`, { reason: word(500) })
  }
  const paid = await askWithdrawal(request, token, 200)
  await asAdmin(request, `/withdrawal/approve/${paid._id}`)
  const transactionId = paid._id.replaceAll('-', '').repeat(2)
  await asAdmin(request, `/withdrawal/paid/${paid._id}`, { transactionId }, 'second administrator')
  const { _id: investment } = await invest(request, iris, 'Enthusiast', 1500)
  await asAdmin(request, `/investment/approve/${investment}`)
  await asAdmin(request, '/return/new', {
    amount: 100,
    source: word(200),
    realisedAt: daysAgo(21),
    evidence: `https://example.com/${word(470)}`,
  })
  const { _id } = await callApi<Made>(request, 'GET', '/auth/me', { token })
  await payEarning(request, _id, { amount: 20, note: word(300) })
  await ask('/deposit/new', { method: 'usdt', amount: 150 })
  await callApi(request, 'POST', '/contact/new', {
    body: { name: word(115), email: person.email, subject: word(150), message: word(600) },
  })
  return { ...iris, investment }
}

async function askWithdrawal(request: APIRequestContext, token: string, amount: number): Promise<Made> {
  const body = { amount, wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress }
  return callApi<Made>(request, 'POST', '/withdrawal/new', { token, body })
}

test('on a phone no page of the dashboard scrolls sideways with long texts', async ({ browser, request }) => {
  const iris = await wordyInvestor(request)
  const friend = { ...stranger(word(110)), password: iris.person.password }
  const { referralCode } = await callApi<{ referralCode: string }>(request, 'GET', '/auth/me', {
    token: iris.token,
  })
  await callApi(request, 'POST', '/auth/signup', {
    body: { ...friend, phone: '+61 400 123 456', country: longestCountry, referrer: referralCode },
  })
  const page = await dashboardOf(browser, request, iris, { viewport: phone })
  const confirm = 'confirm-deposit?method=bitcoin&amount=500'
  const pages = ['home', 'profile', 'investments', 'new-investment', 'withdrawals', 'history', 'statement']
  for (const path of [...pages, 'deposit', confirm, `${confirm}&plan=${word(300)}`]) {
    await page.goto(`/dashboard/${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectNoSidewaysScroll(page)
  }
  for (const path of ['investments', 'deposit']) {
    await page.goto(`/dashboard/${path}`)
    const openers = page.getByRole('main').locator(':is(a, button)', { hasText: /^(Details|Pay now)$/ })
    await expect(openers.first()).toBeVisible()
    for (const opener of await openers.all()) {
      await opener.click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectNoSidewaysScroll(page)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toBeHidden()
    }
  }

  const other = await browserOf(browser, phone)
  await signIn(request, other, friend)
  await other.goto('/dashboard/profile')
  await expect(other.getByText(iris.person.name)).toBeVisible()
  await expectNoSidewaysScroll(other)
})

test('no console page scrolls sideways, and no long column squeezes others', async ({ browser, request }) => {
  const { person, investment } = await wordyInvestor(request)
  const page = await consoleOf(browser)
  const pages = ['home', `investment?id=${investment}`, 'returns', 'plans', 'messages', 'audit', 'profile']
  for (const path of pages) {
    await page.goto(`/admin/${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    for (const [, viewport] of widths) {
      await page.setViewportSize(viewport)
      await expectNoSidewaysScroll(page)
    }
  }
  await page.goto('/admin/home')
  for (const [device, viewport] of widths) {
    await page.setViewportSize(viewport)
    for (const [table, columns] of [
      ['Users', ['Name', 'Email']],
      ['Withdrawals', ['User', 'Wallet address']],
      ['Investments', ['User']],
      ['Earnings', ['Investment', 'User']],
      ['Deposits', ['User']],
    ] as const) {
      const row = region(page, table).getByRole('row').filter({
        hasText: person.name,
      })
      for (const column of columns) {
        const box = await row.first().locator(`[data-label="${column}"]`).boundingBox()
        // Some ten letters beside each other at the least.
        expect(box?.width, `${table}, ${column}, ${device}`).toBeGreaterThan(90)
      }
    }
  }
})

test('[D-04, N-02, N-06] a name written from right to left turns no other words around', async ({
  browser,
  request,
}) => {
  const person: Person = { ...stranger(`\u0645\u0631\u064a\u0645 (${word(8)})`), password: 'green meadow 71' }
  const token = await openAccount(request, person)
  const { _id } = await callApi<Made>(request, 'GET', '/auth/me', { token })
  await callApi(request, 'POST', '/deposit/new', { token, body: { method: 'usdt', amount: 150 } })
  const dashboard = await dashboardOf(browser, request, { person, token })
  for (const path of ['home', 'profile']) {
    await dashboard.goto(`/dashboard/${path}`)
    await expectOwnDirection(dashboard, person.name)
  }
  const admin = await consoleOf(browser)
  for (const path of ['users', 'deposits', `user?id=${_id}`]) {
    await admin.goto(`/admin/${path}`)
    await expectOwnDirection(admin, person.name)
  }
  await admin.getByRole('button', { name: 'End all sessions' }).click()
  const named = admin.getByRole('dialog').getByText(person.name, { exact: true })
  await expect(named).toHaveCSS('direction', 'rtl')
})

/** Wherever the page shows the name, it alone runs from right to left. */
async function expectOwnDirection(page: Page, name: string) {
  const shown = page.getByText(name, { exact: true }).filter({ visible: true })
  await expect(shown.first()).toBeVisible()
  for (const one of await shown.all()) await expect(one).toHaveCSS('direction', 'rtl')
  await expect(page.getByRole('heading', { level: 1 }).first()).toHaveCSS('direction', 'ltr')
  await expect(page.getByRole('main')).toHaveCSS('direction', 'ltr')
}
