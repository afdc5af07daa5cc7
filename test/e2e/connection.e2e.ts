import { expect, test } from '@playwright/test'
import { dashboardOf, newInvestor, widths } from './support/investor.ts'
import { browserOf, consoleOf, desktop, expectToast, phone, sample } from './support/people.ts'
import { preloaded } from './support/preloaded.ts'

/** What a lost connection, a session that is over and a refusal leave on the pages. */

const stays = 'You are offline. This page stays until you are connected again'

for (const [width, viewport] of widths) {
  test(`${width}: without a connection a click in the menu says so, and what is on the page stays`, async ({
    browser,
    request,
  }) => {
    const page = await dashboardOf(browser, request, await newInvestor(request), { viewport })
    await page.getByRole('link', { name: 'Withdraw', exact: true }).click()
    await page.getByLabel('Amount (USD)').fill('123')
    await page.context().setOffline(true)
    const entry = page.getByRole('navigation').getByRole('link', { name: 'Earnings History' })
    if (viewport === phone) await page.getByRole('button', { name: 'Menu' }).click()
    await entry.filter({ visible: true }).click()
    await expectToast(page, stays, 'error')
    await expect(page).toHaveURL(/\/dashboard\/withdrawals$/)
    await expect(page.getByLabel('Amount (USD)')).toHaveValue('123.00')
    await expect(page.locator('[data-toast]')).toHaveCount(0)
    await page.evaluate(() => history.back())
    await expectToast(page, stays, 'error')
    await expect(page).toHaveURL(/\/dashboard\/withdrawals$/)
    await expect(page.getByLabel('Amount (USD)')).toHaveValue('123.00')

    await page.context().setOffline(false)
    await entry.filter({ visible: true }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Earnings history' })).toBeVisible()
  })
}

test('a page whose script could not be fetched at first opens once it can be', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  const script = '**/earnings-*.js'
  await page.route(script, route => route.abort('internetdisconnected'))
  const refused = page.waitForEvent('requestfailed', asked => asked.url().includes('/earnings-'))
  await Promise.all([refused, page.goto('/dashboard/profile')])
  await page.unroute(script)
  await page.getByRole('navigation').getByRole('link', { name: 'Earnings History' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Earnings history' })).toBeVisible()
})

test('while the server cannot be reached every page of the menu opens, and says what it cannot read', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  await preloaded(page, 'profile')
  await page.context().route('**/*', route => route.abort('connectionrefused'))
  // The token's time is over, too: it cannot be renewed now, and may still be good for that.
  await page.evaluate(() => {
    const claims = btoa(JSON.stringify({ sub: 'x', exp: 1 })).replaceAll('=', '')
    localStorage.setItem('access', `x.${claims}.x`)
  })
  for (const [entry, heading] of [
    ['Profile', 'Profile'],
    ['New Investment', 'New investment'],
    ['Statement', 'Statement'],
  ] as const) {
    await page.getByRole('navigation').getByRole('link', { name: entry, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
  }
  await expectToast(page, 'The server cannot be reached. Check your connection and try again', 'error')
  await page.getByRole('navigation').getByRole('link', { name: 'Manage deposits' }).click()
  await page.getByRole('button', { name: 'Fund now by Bitcoin' }).click()
  await expect(page.getByRole('dialog', { name: 'Payment by Bitcoin' })).toBeVisible()
})

test('while the server cannot be reached the pages of the console open, too', async ({ browser }) => {
  const page = await consoleOf(browser)
  await preloaded(page, 'audit')
  await page.context().route('**/*', route => route.abort('connectionrefused'))
  const menu = page.getByRole('navigation', { name: 'Admin console' })
  for (const name of ['Audit log', 'Plans', 'Console']) {
    await menu.getByRole('link', { name, exact: true }).click()
    await expect(menu.getByRole('link', { name, exact: true })).toHaveAttribute('aria-current', 'page')
  }
})

test('[A-12] without a connection logging out forgets the session, too', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  await preloaded(page, 'login')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Log in' })).toBeVisible()
  expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({})
})

test('[X-02] a session that is over says so once, however many reads find out', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  await page.route('**/api/**', route =>
    route.fulfill({
      status: 401,
      json: { status: 'error', message: 'The token has expired', code: 'token_expired' },
    }),
  )
  // At once: the toast may be gone by the time the page has been loaded.
  await Promise.all([
    expect(page.locator('[data-toast]')).toHaveText(
      'Your session has expired, you will be redirected to the login page',
    ),
    page.goto('/dashboard/withdrawals'),
  ])
  await page.waitForURL('**/login')
})

test('[X-03] what was refused on one page does not follow to the next', async ({ browser }) => {
  const page = await browserOf(browser)
  await page.goto('/login')
  await page.getByLabel('Email').fill('nobody@example.com')
  await page.getByLabel('Password', { exact: true }).fill('not-the-password')
  await page.getByRole('button', { name: 'Log in' }).click()
  const toast = page.locator('[data-toast=error]')
  await expect(toast).toBeVisible()
  // It would go by itself after four seconds: the clock stands still.
  await page.clock.install()
  await page.getByRole('link', { name: 'Sign up' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Open an account' })).toBeVisible()
  await expect(toast).toHaveCount(0)
})

test('[X-03] what was refused goes when the next try succeeds', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: '/dashboard/profile' })
  await page.clock.install()
  await page.getByLabel('Phone').fill('')
  await page.getByRole('button', { name: 'Update profile' }).click()
  await expectToast(page, 'All fields are required', 'error')
  await page.getByLabel('Phone').fill('+61 400 000 111')
  await page.getByRole('button', { name: 'Update profile' }).click()
  await expectToast(page, 'Profile updated successfully')
  await expect(page.locator('[data-toast=error]')).toHaveCount(0)
})

test('a new page begins at its top; the way back leads to where one was', async ({ browser, request }) => {
  const investor = { person: sample('investor'), token: '' }
  const page = await dashboardOf(browser, request, investor, {
    viewport: desktop,
    path: '/dashboard/statement',
  })
  const rows = page.getByRole('table', { name: /^Movements/ }).getByRole('row')
  await expect(rows.nth(12)).toBeVisible()
  const top = () => page.evaluate(() => scrollY)
  await page.evaluate(() => scrollTo(0, 500))
  await expect.poll(top).toBe(500)
  const link = page.getByRole('navigation').getByRole('link', { name: 'Investments', exact: true })
  await link.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Investments' })).toBeVisible()
  await expect.poll(top).toBe(0)
  await page.goBack()
  await expect(rows.nth(12)).toBeVisible()
  await expect.poll(top).toBe(500)
  await rows.getByRole('link').nth(10).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  const before = await top()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect.poll(top).toBe(before)
})
