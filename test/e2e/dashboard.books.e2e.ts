import {
  type APIRequestContext,
  type Browser,
  expect,
  type Locator,
  test,
  type ViewportSize,
} from '@playwright/test'
import {
  asAdmin,
  dashboardOf,
  earn,
  expectSound,
  figure,
  fund,
  invest,
  newInvestor,
  widths,
} from './support/investor.ts'
import { callApi, sample, tokenOf } from './support/people.ts'

test('[D-10, S-03, D-23] earnings with amount, date, status and what they were earned on', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/history' })
  await expect(page.getByText('No earnings yet.')).toBeVisible()
  await expectSound(page, widths)

  await fund(request, iris, 1000)
  const { _id } = await invest(request, iris, 'Enthusiast', 1000)
  await asAdmin(request, `/investment/approve/${_id}`)
  await earn(request, iris, 42.1)
  await page.reload()
  const row = page.getByRole('table', { name: 'Your earnings, newest first' }).getByRole('row').nth(1)
  await expect(row).toContainText('$42.10')
  await expect(row.locator('time')).toBeVisible()
  await expect(row.locator('[data-tone=good]')).toHaveText('Paid')
  await expectSound(page, widths)
})

test('[B-03, D-24] the statement adds up to the balances, account by account', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/statement' })
  await expect(page.getByText('No money has moved in your account yet.')).toBeVisible()

  await fund(request, iris, 2000)
  const { _id } = await invest(request, iris, 'Enthusiast', 1500.5)
  await asAdmin(request, `/investment/approve/${_id}`)
  await callApi(request, 'POST', '/withdrawal/new', {
    token: iris.token,
    body: {
      amount: 99.25,
      wallet: 'Bitcoin (BTC)',
      walletAddress: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
    },
  })
  await page.reload()
  await expect(figure(page, 'Balance')).toHaveText('$400.25')
  for (const [account, balance] of [
    ['Available', '$400.25'],
    ['In plans', '$1,500.50'],
    ['On hold', '$99.25'],
  ] as const) {
    await page.getByRole('combobox', { name: 'Account' }).selectOption({ label: account })
    const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
    const accounts = () =>
      rows.evaluateAll(all => [...new Set(all.map(row => row.querySelector('td:nth-child(3)')?.textContent))])
    await expect.poll(accounts).toEqual([account])
    const amounts = await rows.evaluateAll(all =>
      all.map(row => Number(row.querySelector('td:nth-child(4)')?.textContent?.replace(/[$,+]/g, ''))),
    )
    await expect(rows.first().getByRole('cell').last()).toHaveText(balance)
    const sum = amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0)
    expect(sum).toBe(Math.round(Number(balance.replace(/[$,]/g, '')) * 100))
  }
  await expectSound(page, widths)
})

/** The statement of the sample investor, who has some fifty movements. */
async function sampleStatement(browser: Browser, request: APIRequestContext, viewport: ViewportSize) {
  const person = sample('investor')
  const investor = { person, token: await tokenOf(request, person) }
  return dashboardOf(browser, request, investor, { viewport, path: '/dashboard/statement' })
}

test('[D-24] distant rows of a statement are laid out without scrolling, below their columns', async ({
  browser,
  request,
}) => {
  const page = await sampleStatement(browser, request, { width: 1440, height: 900 })
  const table = page.getByRole('table', { name: 'Movements of your money, newest first' })
  const last = table.getByRole('row').last()
  const isLaidOut = () =>
    last.locator('time').evaluate(at => at.checkVisibility({ contentVisibilityAuto: true }))
  await expect(table.getByRole('row').nth(22)).toBeAttached()
  await expect.poll(isLaidOut).toBe(true)
  const endOf = async (cells: Locator) =>
    await cells.evaluateAll(all => all.map(cell => cell.getBoundingClientRect().right))
  expect(await endOf(last.getByRole('cell'))).toEqual(await endOf(table.getByRole('columnheader')))
})

test('[D-24] on a phone, the amount of a movement stands beside what moved it', async ({
  browser,
  request,
}) => {
  const page = await sampleStatement(browser, request, { width: 390, height: 844 })
  const row = page
    .getByRole('table', { name: /^Movements/ })
    .getByRole('row')
    .nth(1)
  const cells = row.getByRole('cell')
  await expect(cells).toHaveCount(5)
  const [when, what, account, amount, balance] = await cells.evaluateAll(all =>
    all.map(cell => cell.getBoundingClientRect()),
  )
  expect(amount!.top).toBe(what!.top)
  expect(amount!.left).toBeGreaterThanOrEqual(what!.right)
  expect(when!.top).toBeGreaterThanOrEqual(what!.bottom)
  expect([account!.top, balance!.top]).toEqual([when!.top, when!.top])
})

test('the sample investor finds every page filled and sound', async ({ browser, request }) => {
  const person = sample('investor')
  const page = await dashboardOf(
    browser,
    request,
    { person, token: await tokenOf(request, person) },
    { viewport: { width: 390, height: 844 } },
  )
  for (const path of ['home', 'profile', 'investments', 'withdrawals', 'history', 'statement', 'deposit']) {
    await page.goto(`/dashboard/${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('main').getByText(/^Loading/)).toHaveCount(0)
    await expectSound(page)
  }
})
