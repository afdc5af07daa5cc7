import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { investorWith, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import {
  browserOf,
  callApi,
  consoleOf,
  deafConsoleOf,
  logIn,
  openAccount,
  sample,
  stranger,
  tokenOf,
} from './support/people.ts'

/** A deposit that waits for its payment. */
async function askForDeposit(request: APIRequestContext, token: string, amount: number) {
  return callApi<{ _id: string; invoiceId: string }>(request, 'POST', '/deposit/new', {
    token,
    body: { method: 'usdt', amount },
  })
}

/** Answers a list of the API with these rows, whatever the database holds. */
async function answerWith(page: Page, path: string, rows: unknown[]) {
  await page.route(`**/api${path}?*`, route =>
    route.fulfill({
      json: {
        status: 'success',
        message: '',
        data: rows,
        page: { nextCursor: null, total: rows.length },
      },
    }),
  )
}

const tables = {
  Users: ['Name', 'Email', 'Country', 'Referrer', 'Referral code', 'Balance', 'Phone', 'Action'],
  Withdrawals: ['Amount', 'User', 'Status', 'Wallet', 'Wallet address', 'Action'],
  Investments: ['Plan', 'User', 'Status', 'Amount', 'Ending date', 'Action'],
  Earnings: ['Amount', 'Investment', 'Status', 'User'],
  Deposits: ['Amount', 'Payment method', 'Status', 'User', 'Action'],
}

test('[N-01, N-02, N-03, N-04, N-05, N-06] the console is headed by the product and has five tables with their columns', async ({
  browser,
}) => {
  const page = await consoleOf(browser)
  await expect(page.getByRole('heading', { level: 1, name: 'Probity' })).toBeVisible()
  for (const [name, columns] of Object.entries(tables)) {
    const table = page.getByRole('table', { name: `${name}, newest first` })
    await expect(table.getByRole('columnheader')).toHaveText(columns)
  }
  await expect(page.getByRole('heading', { level: 2, name: 'Waiting for you' })).toBeVisible()
})

test('[T-06] without a watched network the ledger is compared with nothing, in words', async ({
  browser,
}) => {
  const page = await consoleOf(browser)
  const chains = region(page, 'On the chains')
  const coins = chains.getByRole('table', { name: 'Coins in the ledger' })
  await expect(coins.getByRole('row').filter({ hasText: 'BTC' })).toContainText('received')
  await expect(coins.getByRole('columnheader', { name: 'Difference' })).toHaveCount(0)
  await expect(chains).toContainText('This demonstration watches no network')
})

test('[N-01] a table without a row says so in words', async ({ browser }) => {
  const page = await browserOf(browser)
  const empty = {
    '/auth/users': 'No user yet',
    '/withdrawal/get-all': 'No withdrawals made yet',
    '/investment/get-all': 'No investments made yet',
    '/earning/get-all': 'No earnings made yet',
    '/deposit/get-all': 'No deposits made yet',
  }
  for (const path of Object.keys(empty)) await answerWith(page, path, [])
  await logIn(page, sample('administrator'))
  for (const words of Object.values(empty)) await expect(page.getByText(words, { exact: true })).toBeVisible()
})

test('[N-01, D-23] figures that could not be read say so in words, and are read again at a press', async ({
  browser,
}) => {
  const page = await deafConsoleOf(browser)
  const figures = [
    ['console/summary', 'Waiting for you', 'The tasks could not be loaded.', 'Deposits to check'],
    ['return/summary', 'Recorded returns', 'The recorded returns could not be loaded.', 'Left to pay out'],
  ] as const
  for (const [path] of figures) await refuse(page, `**/api/${path}`)
  await page.reload()
  for (const [path, title, words, figure] of figures) {
    const part = region(page, title)
    await expect(part).toContainText(words)
    await expect(part.getByText('Loading')).toHaveCount(0)
    await page.unroute(`**/api/${path}`)
    await part.getByRole('button', { name: 'Try again' }).click()
    await expect(part).toContainText(figure)
    await expect(part).not.toContainText(words)
  }
})

test('[W-06] a change can be proposed although pending changes cannot be read', async ({ browser }) => {
  const page = await consoleOf(browser)
  await refuse(page, '**/api/proposal/get-all?*')
  await page.goto('/admin/settings')
  const proposals = region(page, 'Proposals')
  await expect(proposals).toContainText('The proposals could not be loaded.')
  await expect(page.getByRole('button', { name: 'Propose a change' })).toBeEnabled()
})

/** Answers a read as the server does that cannot make anything of it. */
async function refuse(page: Page, path: string) {
  await page.route(path, route =>
    route.fulfill({ status: 400, json: { status: 'error', code: 'invalid_input', message: 'Not now' } }),
  )
}

test('[N-04, N-13] investments are sorted by the states that they show', async ({ browser, request }) => {
  const { person, ask, decide } = await investorWith(request, 1000, 'Stan Stated')
  const invest = () => ask('/investment/new', { method: 'balance', plan: 'Basic', amount: 500 })
  const [running, pending] = [await invest(), await invest()]
  await decide(`/investment/approve/${running._id}`)
  const page = await consoleOf(browser)
  const section = region(page, 'Investments')
  await section.getByRole('searchbox').fill(person.email)
  await section.getByRole('button', { name: 'Filter and sort investments' }).click()
  for (const [words, first, state] of [
    ['Status, running first', running, 'Running'],
    ['Status, pending first', pending, 'Pending'],
  ] as const) {
    await section.getByLabel('Sort by').selectOption(words)
    await expect(section.getByRole('table', { name: `Investments, ${words}` })).toBeVisible()
    await expect(section.getByRole('row').nth(1)).toContainText(first.invoiceId)
    await expect(section.getByRole('row').nth(1)).toContainText(state)
  }
})

test('[N-07] a user shows by name if known, else by id', async ({ browser, request }) => {
  const token = await tokenOf(request, sample('administrator'))
  const [known] = await callApi<Record<string, unknown>[]>(request, 'GET', '/deposit/get-all?limit=1', {
    token,
  })
  const unknown = { ...known, _id: crypto.randomUUID(), invoiceId: 'DEP-2026-999999', userName: null }
  const page = await browserOf(browser)
  await answerWith(page, '/deposit/get-all', [known, unknown])
  await logIn(page, sample('administrator'))
  const rows = page.getByRole('table', { name: /^Deposits/ }).getByRole('row')
  await expect(rows.nth(1)).toContainText(String(known?.userName))
  await expect(rows.nth(2)).toContainText(String(known?.user))
})

test('[R-03, R-07] an investor who opens a console page lands on the dashboard, a visitor on login', async ({
  browser,
  request,
}) => {
  const person = stranger()
  await openAccount(request, person)
  const page = await browserOf(browser)
  for (const path of ['/admin/home', '/admin/returns', '/admin/audit']) {
    await page.goto(path)
    await page.waitForURL('**/login')
  }
  await logIn(page, person)
  for (const path of ['/admin/home', '/admin/investment?id=1', '/admin/returns', '/admin/plans']) {
    await page.goto(path)
    await page.waitForURL('**/dashboard/home')
  }
  await expect(page.getByText('Waiting for you')).toHaveCount(0)
})

test('[N-13] the server searches, filters and pages a table, and the address keeps the filter', async ({
  browser,
  request,
}) => {
  const family = crypto.randomUUID().slice(0, 8)
  for (const person of [stranger(`Paula ${family}`), stranger(`Peter ${family}`)]) {
    const token = await openAccount(request, person)
    for (let cents = 1; cents <= 6; cents++) await askForDeposit(request, token, 100 + cents / 100)
  }
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  const rows = section.getByRole('table').getByRole('row')

  await section.getByRole('searchbox', { name: 'Search deposits' }).fill(family)
  await expect(section.getByText('10 of 12')).toBeVisible()
  await expect(rows).toHaveCount(11)
  await section.getByRole('button', { name: 'Load more' }).click()
  await expect(section.getByText('12 of 12')).toBeVisible()
  await expect(rows).toHaveCount(13)
  await expect(section.getByRole('button', { name: 'Load more' })).toHaveCount(0)

  await section.getByRole('combobox', { name: 'Filter deposits' }).selectOption('Paid')
  await expect(section.getByText('No deposits match this search.')).toBeVisible()
  await page.reload()
  await expect(section.getByText('No deposits match this search.')).toBeVisible()
  await expect(section.getByRole('searchbox')).toHaveValue(family)
  await section.getByRole('button', { name: 'Show all deposits' }).click()
  await expect(section.getByRole('searchbox')).toHaveValue('')
  await expect(rows.nth(1)).toBeVisible()
})

test('[N-01] what waits is counted above the tables and leads to its rows', async ({ browser, request }) => {
  const token = await openAccount(request, stranger('Walter Waiting'))
  const { invoiceId } = await askForDeposit(request, token, 123.45)
  const page = await consoleOf(browser)
  await page.getByRole('link', { name: /Review: deposits to check/ }).click()
  const section = region(page, 'Deposits')
  await expect(section.getByRole('combobox')).toHaveValue('pending')
  await expect(section.getByText(invoiceId)).toBeVisible()
  await expect(section).toBeFocused()
  await expect(section.getByText('Paid', { exact: true })).toHaveCount(1) // the filter's option only
})

test('[N-01, N-10, N-11, N-12, N-14] every page of the console is accessible', async ({
  browser,
  request,
}) => {
  test.slow() // axe checks every page, at both widths and in the dark
  const admin = await tokenOf(request, sample('administrator'))
  const [investment] = await callApi<{ _id: string }[]>(request, 'GET', '/investment/get-all?limit=1', {
    token: admin,
  })
  const page = await consoleOf(browser)
  const pages = [
    '/admin/home',
    `/admin/investment?id=${investment?._id}`,
    '/admin/returns',
    '/admin/prices',
    '/admin/cash-flow',
    '/admin/integrations',
    '/admin/brand',
    '/admin/journal',
    '/admin/reserves',
    '/admin/public-proof',
    '/admin/plans',
    '/admin/plan-earnings',
    '/admin/firm',
    '/admin/statistics',
    '/admin/messages',
    '/admin/answers',
    '/admin/audit',
    '/admin/profile',
  ]
  for (const path of pages) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText(/^Loading .*…$/)).toHaveCount(0)
    await expectSound(page, widths)
  }
})
