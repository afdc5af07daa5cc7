import { expect, type Page, type Route, test } from '@playwright/test'
import { withoutEarlierCaches } from './support/contexts.ts'
import { dashboardOf, newInvestor, widths } from './support/investor.ts'
import { browserOf, consoleOf, desktop, expectToast, phone, sample } from './support/people.ts'
import { preloaded } from './support/preloaded.ts'

withoutEarlierCaches()

/** What a lost connection, a session that is over and a refusal leave on the pages. */

const stays = 'You are offline. You can open other pages once you are connected again'

for (const [width, viewport] of widths) {
  test(`${width}: without a connection a menu click says so, and the page stays`, async ({
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
    await expectToast(page, stays, 'blank')
    await expect(page).toHaveURL(/\/dashboard\/withdrawals$/)
    await expect(page.getByLabel('Amount (USD)')).toHaveValue('123.00')
    await expect(page.locator('[data-toast]')).toHaveCount(0)
    await page.evaluate(() => history.back())
    await expectToast(page, stays, 'blank')
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
  const page = await dashboardOf(browser, request, await newInvestor(request), { savesData: false })
  const script = '**/earnings-*.js'
  await page.route(script, route => route.abort('internetdisconnected'))
  const refused = page.waitForEvent('requestfailed', asked => asked.url().includes('/earnings-'))
  await Promise.all([refused, page.goto('/dashboard/profile')])
  await page.unroute(script)
  await page.getByRole('navigation').getByRole('link', { name: 'Earnings History' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Earnings history' })).toBeVisible()
})

test('without the server every page of the menu opens and says what it cannot read', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { savesData: false })
  await preloaded(page, 'profile')
  await preloaded(page, 'deposits-fund-dialog')
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
  await expectToast(page, 'We cannot reach the server. Check your connection and try again', 'error')
  await page.getByRole('navigation').getByRole('link', { name: 'Manage deposits' }).click()
  await page.getByRole('button', { name: 'Fund now by Bitcoin' }).click()
  await expect(page.getByRole('dialog', { name: 'Payment by Bitcoin' })).toBeVisible()
})

test('while the server cannot be reached the pages of the console open, too', async ({ browser }) => {
  const page = await consoleOf(browser, { savesData: false })
  await preloaded(page, 'audit')
  await page.context().route('**/*', route => route.abort('connectionrefused'))
  const menu = page.getByRole('navigation', { name: 'Admin console' })
  for (const name of ['Audit log', 'Plans', 'Console']) {
    await menu.getByRole('link', { name, exact: true }).click()
    await expect(menu.getByRole('link', { name, exact: true })).toHaveAttribute('aria-current', 'page')
  }
})

test('[A-12] without a connection logging out forgets the session, too', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { savesData: false })
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
  // The reads of the page that is left must not find out first.
  await page.goto('about:blank')
  await page.route('**/api/**', route =>
    route.fulfill({
      status: 401,
      json: { status: 'error', message: 'The token has expired', code: 'token_expired' },
    }),
  )
  await page.goto('/dashboard/withdrawals', { waitUntil: 'commit' })
  await expect(page.locator('[data-toast]')).toHaveText(
    'Your session has expired, you will be redirected to the login page',
  )
  await page.waitForURL('**/login')
})

test('[X-02] a session found over by a prefetch says so, too', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  await page.route('**/api/earning/get-all-user*', route =>
    route.fulfill({
      status: 401,
      json: { status: 'error', message: 'The token has expired', code: 'token_expired' },
    }),
  )
  await page.getByRole('navigation').getByRole('link', { name: 'Earnings' }).hover()
  await expectToast(page, 'Your session has expired, you will be redirected to the login page', 'error')
  await expect(page).toHaveURL(/\/login$/)
})

test('[X-02] a payment confirmed after the session has ended says so once', async ({ browser, request }) => {
  const path = '/dashboard/confirm-deposit?method=usdt&amount=500'
  const page = await dashboardOf(browser, request, await newInvestor(request), { path })
  await page.route('**/api/deposit/new', route =>
    route.fulfill({
      status: 401,
      json: { status: 'error', message: 'The token has expired', code: 'token_expired' },
    }),
  )
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await page.waitForURL('**/login')
  const sentence = page.locator('[data-toast]').filter({ hasText: 'Your session has expired' })
  await expect(sentence.first()).toBeVisible()
  expect(await sentence.count()).toBe(1)
})

for (const [id, message, words, address] of [
  [
    'X-01',
    'Please verify email address to go on',
    'This action requires you to verify your email address. Please address that to continue',
    /\/dashboard\/withdrawals$/,
  ],
  ['X-02', 'jwt expired', 'Your session has expired, you will be redirected to the login page', /\/login$/],
] as const) {
  test(`[${id}] a 401 without a code is known by its message`, async ({ browser, request }) => {
    const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
    const answer = { status: 401, json: { status: 'error', message } }
    await page.route('**/api/withdrawal/get-all-user*', route => route.fulfill(answer))
    const link = page.getByRole('navigation').getByRole('link', { name: 'Withdraw Funds' })
    // Without a pointer, whose hover would find out first and leave the page before the press.
    await link.evaluate((element: HTMLElement) => element.click())
    await expectToast(page, words, 'error')
    await expect(page).toHaveURL(address)
  })
}

test('[X-06] every refusal stays its own four seconds, and at most 20 show at once', async ({ browser }) => {
  const page = await browserOf(browser)
  await page.clock.install()
  let refusals = 0
  await page.route('**/api/auth/login', route => {
    refusals += 1
    return route.fulfill({ status: 409, json: { status: 'error', message: `Refusal ${refusals}.` } })
  })
  await page.goto('/login')
  await page.getByLabel('Email').fill('nobody@example.com')
  await page.getByLabel('Password', { exact: true }).fill('not-the-password')
  await page.clock.pauseAt(Date.now() + 60_000)
  const toasts = page.locator('[data-toast=error]')
  const tryAgain = async () => {
    const next = refusals + 1
    await page.getByRole('button', { name: 'Log in' }).press('Enter')
    await expect(toasts.first()).toHaveText(`Refusal ${next}.`)
  }
  await tryAgain()
  await page.clock.runFor(3_000)
  await tryAgain()
  await expect(toasts).toHaveText(['Refusal 2.', 'Refusal 1.'])
  await page.clock.runFor(1_000)
  await expect(toasts).toHaveText(['Refusal 2.'])
  for (let press = 0; press < 20; press += 1) await tryAgain()
  await expect(toasts).toHaveCount(20)
  await expect(toasts.last()).toHaveText('Refusal 3.')
  await page.getByRole('link', { name: 'Register' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Register' })).toBeVisible()
  await expect(toasts).toHaveCount(20)
  await page.clock.runFor(4_000)
  // The page draws itself between two timers.
  await expect.poll(() => page.clock.runFor(1).then(() => toasts.count())).toBe(0)
})

test('[X-06] a slow file and a slow payment show a loading toast until they end', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), {
    viewport: desktop,
    path: '/dashboard/statement',
  })
  const loading = page.locator('[data-toast=loading]')
  const held = async (address: string) => {
    const released = Promise.withResolvers<void>()
    await page.route(address, async route => {
      await released.promise
      await route.continue()
    })
    return released.resolve
  }
  for (const kind of ['CSV', 'PDF']) {
    const release = await held(`**/api/ledger/statement.${kind.toLowerCase()}*`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: `Download ${kind}` }).click()
    await expect(loading).toHaveText('Preparing your file')
    release()
    await expectToast(page, `${(await download).suggestedFilename()} saved`)
    await expect(loading).toHaveCount(0)
  }
  await page.goto('/dashboard/confirm-deposit?method=usdt&amount=150')
  const release = await held('**/api/deposit/new')
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expect(loading).toHaveText('Confirming your payment')
  release()
  await expectToast(page, 'Deposit plan created, your deposit is currently being processed')
  await expect(loading).toHaveCount(0)
})

/** Answers a read of the earnings as told, and counts how often it is sent; nothing else has the page read it again. */
async function countedEarnings(page: Page, answer: (route: Route, count: number) => Promise<void>) {
  const sent = { count: 0 }
  await page.route('**/api/live', route => route.abort())
  await page.route('**/api/earning/get-all-user*', route => {
    sent.count += 1
    return answer(route, sent.count)
  })
  return sent
}

/** Lets the page's own clock run on, second by second, until the condition holds. */
async function runUntil(page: Page, isTrue: () => Promise<boolean>): Promise<void> {
  const look = () => page.clock.runFor(1_000).then(isTrue)
  await expect.poll(look, { intervals: [50], timeout: 60_000 }).toBe(true)
}

for (const [status, tries] of [
  [403, 1],
  [503, 4],
] as const) {
  test(`[C-29] a read that is answered with ${status} is sent ${tries} times in all`, async ({
    browser,
    request,
  }) => {
    const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
    await page.clock.install()
    const answer = { status, json: { status: 'error', message: 'Not now' } }
    const sent = await countedEarnings(page, route => route.fulfill(answer))
    await page.goto('/dashboard/history')
    const failed = page.getByRole('button', { name: 'Try again' })
    await runUntil(page, () => failed.isVisible())
    expect(sent.count).toBe(tries)
  })
}

test('[C-29] a read that is refused with 429 is sent again after Retry-After', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  await page.clock.install()
  const limited = {
    status: 429,
    headers: { 'Retry-After': '9' },
    json: { status: 'error', message: 'Too many requests' },
  }
  const sent = await countedEarnings(page, (route, count) =>
    count === 1 ? route.fulfill(limited) : route.continue(),
  )
  await page.goto('/dashboard/history')
  await expect.poll(() => sent.count).toBe(1)
  const start = await page.evaluate(() => Date.now())
  const failed = page.getByRole('button', { name: 'Try again' })
  await runUntil(page, async () => sent.count > 1 || failed.isVisible())
  expect(sent.count).toBe(2)
  expect((await page.evaluate(() => Date.now())) - start).toBeGreaterThanOrEqual(8_000)
  await expect(page.getByText('No earnings yet.')).toBeVisible()
})

test('[C-29] what was read is fresh for 300 ms and kept for 5 minutes', async ({ browser, request }) => {
  const investor = { person: sample('investor'), token: '' }
  const page = await dashboardOf(browser, request, investor, {
    viewport: desktop,
    path: '/dashboard/profile',
  })
  await page.clock.install()
  let hold = Promise.resolve()
  const sent = await countedEarnings(page, async route => {
    await hold
    await route.continue()
  })
  const visit = async (entry: string, heading: string) => {
    // By keyboard: a pointer on its way passes over other entries, and their pages would be read beforehand.
    await page.getByRole('navigation').getByRole('link', { name: entry, exact: true }).press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
  }
  const rows = page.getByRole('table', { name: /^Your earnings/ }).getByRole('row')
  await page.goto('/dashboard/profile')
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible()
  const readAt = Date.now() + 60_000
  const after = (milliseconds: number) => page.clock.setFixedTime(readAt + milliseconds)
  await after(0)
  await visit('Earnings History', 'Earnings history')
  await expect(rows.nth(1)).toBeVisible()
  const first = sent.count
  await visit('Profile', 'Profile')
  await after(299)
  await visit('Earnings History', 'Earnings history')
  await expect(rows.nth(1)).toBeVisible()
  expect(sent.count).toBe(first)
  await visit('Profile', 'Profile')
  await after(300)
  await visit('Earnings History', 'Earnings history')
  await expect.poll(() => sent.count).toBe(first + 1)

  await visit('Profile', 'Profile')
  await page.clock.runFor(290_000)
  hold = new Promise(() => {})
  await visit('Earnings History', 'Earnings history')
  await expect(rows.nth(1)).toBeVisible()
  await visit('Profile', 'Profile')
  await page.clock.runFor(301_000)
  await visit('Earnings History', 'Earnings history')
  await expect(rows).toHaveCount(0)
})

test('a new page begins at its top; the way back leads to where one was', async ({ browser, request }) => {
  const investor = { person: sample('investor'), token: '' }
  const page = await dashboardOf(browser, request, investor, {
    viewport: desktop,
    path: '/dashboard/statement',
  })
  const rows = page.getByRole('table', { name: /^Movements/ }).getByRole('row')
  await expect(rows.nth(12)).toBeVisible()
  await expect(page.getByText('Checked on your device in')).toBeVisible()
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
