import { expect, type Page, test } from '@playwright/test'
import type { Deposit } from '#shared/contract/entities.ts'
import {
  asAdmin,
  dashboardOf,
  expectSound,
  figure,
  fund,
  invest,
  newInvestor,
  unverifiedInvestor,
  widths,
} from './support/investor.ts'
import { callApi, desktop, phone } from './support/people.ts'

const coins = ['Bitcoin', 'Ethereum', 'EOS', 'Ripple', 'Litecoin', 'Dogecoin', 'Dash']

test('[D-02, D-23, D-24] a new account finds its home, and words where there is nothing yet', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome, ${iris.person.name}`)
  const steps = page.getByRole('region', { name: 'First steps' })
  await expect(steps.getByRole('heading')).toHaveText([
    'First steps',
    'Verify your email address (done)',
    'Make a deposit',
    'Choose a plan',
  ])
  await expect(steps.getByRole('link')).toHaveText(['Make a deposit'])
  await expect(figure(page, 'Balance')).toHaveText('$0.00')
  for (const name of ['Total Investments', 'Active Investments', 'Total Earnings', 'Total Withdrawals']) {
    await expect(figure(page, name)).toHaveText('$0.00')
  }
  await expect(page.getByText('You have no investments yet.')).toBeVisible()
  await expect(page.getByText('You have not made any withdrawals yet.')).toBeVisible()
  await expectSound(page, widths)
  await page.getByRole('link', { name: 'Withdraw', exact: true }).click()
  await expect(page).toHaveURL(/\/dashboard\/withdrawals$/)
  for (const name of ['Balance', 'In plans', 'On hold', 'Total funds']) {
    await expect(figure(page, name)).toHaveText('$0.00')
  }
})

test('[D-02] the ticker shows the seven coins in dollars and says that it is a sample', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request))
  const ticker = page.getByRole('region', { name: 'Coin prices' }).first()
  const items = ticker.getByRole('listitem')
  await expect(items).toHaveCount(coins.length)
  for (const [index, coin] of coins.entries()) {
    await expect(items.nth(index)).toContainText(coin)
    const { height } = (await items.nth(index).locator('span').first().boundingBox())!
    expect(height, `${coin} on one line`).toBeLessThan(30)
    await expect(items.nth(index)).toContainText(/\$[\d,]+\.\d{2,}/)
  }
  await expect(ticker).toContainText('Sample prices, not from a market')
})

test('[D-03, S-01] the three latest investments as cards, each with its detail', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 10_000)
  const made = []
  for (const plan of ['Beginner', 'Basic', 'Enthusiast', 'Business']) {
    made.push(
      await invest(request, iris, plan, plan === 'Business' ? 5000 : plan === 'Enthusiast' ? 1500 : 500),
    )
  }
  await asAdmin(request, `/investment/approve/${made[2]!._id}`)
  const page = await dashboardOf(browser, request, iris)
  const cards = page.getByRole('region', { name: 'Latest investments' }).getByRole('listitem')
  await expect(cards).toHaveCount(3)
  await expect(cards.nth(0)).toContainText('Business')
  await expect(cards.nth(0)).toContainText('Pending')
  await expect(cards.nth(0)).toContainText('Not approved')
  await expect(cards.nth(1)).toContainText('Running')
  await expect(cards.nth(1)).toContainText('Approved')

  const opener = cards.nth(1).getByRole('link', { name: /^Details/ })
  await opener.focus()
  await page.keyboard.press('Enter')
  const detail = page.getByRole('dialog', { name: 'Enthusiast plan' })
  await expect(detail).toContainText('$1,500.00 × 10.5% over 30 days')
  await expect(detail).toContainText('Capital at risk. Returns are targets and are not guaranteed.')
  await expect(detail.getByRole('table', { name: 'Postings of this investment' })).toBeVisible()
  await expectSound(page, widths)
  await page.keyboard.press('Escape')
  await expect(detail).toBeHidden()
  await expect(opener).toBeFocused()
})

test('[D-25, X-01] an unverified investor is told before and when money is about to move', async ({
  browser,
  request,
}) => {
  const uma = await unverifiedInvestor(request)
  const page = await dashboardOf(browser, request, uma)
  await expect(page.getByText('Your email address is not verified yet.')).toBeVisible()
  const step = page.getByRole('region', { name: 'First steps' }).getByRole('link')
  await expect(step).toHaveText(['Enter the code'])
  await expect(step).toHaveAttribute('href', `/verify/${uma.person.email}`)
  await page.goto('/dashboard/confirm-deposit?method=bitcoin&amount=500')
  await expect(
    page
      .getByRole('alert')
      .getByText('This action requires you to verify your email address. Please address that to continue'),
  ).toBeVisible()
  await page.getByRole('link', { name: /enter the code/ }).click()
  await expect(page).toHaveURL(new RegExp(`/verify/${uma.person.email}$`))
})

const entries = [
  'Dashboard',
  'Profile',
  'Investments',
  'New Investment',
  'Manage deposits',
  'Withdraw Funds',
  'Earnings History',
  'Statement',
  'Goals',
  'Messages',
  'Referrals',
  'Security',
  'Identity',
  'Terms',
]

test('[D-01] desktop: the sidebar leads everywhere and folds', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  const navigation = page.getByRole('navigation', { name: 'Dashboard' }).filter({ visible: true })
  await expect(navigation.getByRole('link')).toHaveText(entries)
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  for (const [entry, title] of [
    ['Goals', 'Goals and alerts'],
    ['Referrals', 'Referrals'],
    ['Identity', 'Identity'],
    ['Terms', 'Terms'],
  ] as const) {
    await navigation.getByRole('link', { name: entry }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
  }
  await page.getByRole('button', { name: 'Collapse sidebar' }).click()
  await expect(page.getByRole('button', { name: 'Expand sidebar' })).toHaveAttribute('aria-expanded', 'false')
  await navigation.getByRole('link', { name: 'Statement' }).click()
  await expect(page).toHaveURL(/\/dashboard\/statement$/)
  await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible()
})

test('[D-01] a link can open in another tab; to its own page it adds no history entry', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  const navigation = page.getByRole('navigation', { name: 'Dashboard' }).filter({ visible: true })
  const statement = navigation.getByRole('link', { name: 'Statement' })
  await expect(statement).toHaveAttribute('href', '/dashboard/statement')
  expect(await isLeftToBrowser(page, () => statement.click({ modifiers: ['ControlOrMeta'] }))).toBe(true)
  await expect(page).toHaveURL(/\/dashboard\/home$/)
  await navigation.getByRole('link', { name: 'Profile' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Profile')
  await navigation.getByRole('link', { name: 'Profile' }).click()
  await page.goBack()
  await expect(page).toHaveURL(/\/dashboard\/home$/)
})

/** True if the page leaves the click to the browser, which here does not get it: some of its new tabs never load. */
async function isLeftToBrowser(page: Page, click: () => Promise<void>): Promise<boolean> {
  const heard = await page.evaluateHandle(() => ({
    isLeft: new Promise<boolean>(resolve => {
      addEventListener(
        'click',
        event => {
          resolve(!event.defaultPrevented)
          event.preventDefault()
        },
        { once: true },
      )
    }),
  }))
  await click()
  return await heard.evaluate(({ isLeft }) => isLeft)
}

test('[D-01] phone: the menu at the top leads everywhere and closes behind', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: phone })
  const navigation = page.getByRole('navigation', { name: 'Dashboard' }).filter({ visible: true })
  await page.getByRole('button', { name: 'Menu' }).click()
  await expect(navigation.getByRole('link')).toHaveText(entries)
  await navigation.getByRole('link', { name: 'Earnings History' }).click()
  await expect(page).toHaveURL(/\/dashboard\/history$/)
  await expect(navigation.getByRole('link')).toHaveCount(0)
})

test('the zone of all times is said once, at the end of every page', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'Australia/Brisbane' })
  for (const path of ['home', 'statement']) {
    await page.goto(`/dashboard/${path}`)
    await expect(page.getByText('Times are in your time zone, UTC+10 (Australia/Brisbane).')).toHaveCount(1)
  }
})

test('[D-21] the newest payment stands first and open, the others open on demand', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const ask = (method: string, amount: number) =>
    callApi<Deposit>(request, 'POST', '/deposit/new', { token: iris.token, body: { method, amount } })
  const older = await ask('bitcoin', 500)
  const page = await dashboardOf(browser, request, iris, { viewport: phone })
  const first = page.getByRole('main').getByRole('region').first()
  await expect(first).toHaveAccessibleName('Your payment')
  await expect(first).toContainText(older.payment.address)
  await expect(first).toContainText('Our team checks this address and credits what arrives.')
  await expect(first.getByRole('timer')).toHaveText(/^1[34]:\d\d$/)

  const newest = await ask('usdt', 200)
  await expect(first).toHaveAccessibleName('Your payments')
  await expect(first.getByRole('heading', { level: 3 })).toHaveText('$200.00 as 200.00 USDT')
  await expect(first.getByText(newest.payment.address)).toBeVisible()
  await expect(first.getByRole('link', { name: 'Open in wallet' })).toHaveCount(0)
  await expect(first.getByText(older.payment.address)).toHaveCount(0)
  await first.locator('summary').focus()
  await page.keyboard.press('Enter')
  await expect(first.getByText(older.payment.address)).toBeVisible()
  await expect(first.getByRole('link', { name: 'Open in wallet' })).toHaveCount(1)
  await expectSound(page, widths)

  await first.getByRole('link', { name: `Details: ${newest.invoiceId}` }).click()
  await expect(page.getByRole('dialog', { name: 'Payment by USDT TRC-20' })).toContainText(newest.invoiceId)
})

test('[D-21, D-22] when the time is over, the page says so without a reload', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await callApi(request, 'POST', '/deposit/new', {
    token: iris.token,
    body: { method: 'bitcoin', amount: 500 },
  })
  const page = await dashboardOf(browser, request, iris)
  const payment = page.getByRole('region', { name: 'Your payment' })
  await expect(payment.getByRole('timer')).toBeVisible()
  await page.route('**/api/deposit/get-all-user*', async route => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: Deposit[] }
    const label = 'This quote has expired.'
    await route.fulfill({
      response,
      json: { ...body, data: body.data.map(row => ({ ...row, stage: 'expired', label })) },
    })
  })
  await page.clock.install()
  await page.clock.fastForward('15:00')
  await expect(payment.getByRole('status')).toHaveText('This quote has expired.')
  await expect(payment.getByRole('timer')).toHaveCount(0)
  await payment.getByText('Payment address and QR code').click()
  const late = 'Over. Later payments are credited at the rate when they arrive.'
  await expect(payment.getByText(late)).toBeVisible()
  await payment.getByRole('link', { name: 'New deposit' }).click()
  await expect(page).toHaveURL(/\/dashboard\/deposit$/)
  await page.unrouteAll({ behavior: 'wait' })
})

test('[D-02] the first steps go with the first deposit, and the balance shows its parts', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 500)
  await invest(request, iris, 'Basic', 150)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop })
  await expect(figure(page, 'Total funds')).toHaveText('$500.00')
  await expect(figure(page, 'On hold')).toHaveText('$150.00')
  await expect(page.getByRole('region', { name: 'First steps' })).toHaveCount(0)
  await expect(figure(page, 'Total Investments')).toHaveText('$0.00')
  await expect(page.getByText('All time. $150.00 pending')).toBeVisible()
})
