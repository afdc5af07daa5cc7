import { type APIRequestContext, type Browser, expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { openAct, payoutAddress, rowOf } from './support/console.ts'
import {
  asAdmin,
  dashboardOf,
  expectSound,
  figure,
  fund,
  type Investor,
  newInvestor,
  widths,
} from './support/investor.ts'
import { callApi, consoleOf, desktop, expectToast, logIn } from './support/people.ts'

/** What others do shows on open pages, and the bell tells of it. */

type Made = { _id: string; invoiceId: string }

function requestDeposit(request: APIRequestContext, { token }: Investor, amount = 250): Promise<Made> {
  return callApi<Made>(request, 'POST', '/deposit/new', { token, body: { method: 'usdt', amount } })
}

const bellOf = (page: Page) => page.getByRole('button', { name: /^Notifications/ })

/** The page that is open now stays open: a reload would lose this. */
async function mark(page: Page): Promise<void> {
  await page.evaluate(() => Object.assign(window, { marked: true }))
}
async function expectSamePage(page: Page): Promise<void> {
  expect(await page.evaluate(() => 'marked' in window)).toBe(true)
}

/** Waits until the page hears of changes; then what is done next is told to it. */
async function untilLive(page: Page, open: () => Promise<unknown>): Promise<void> {
  const stream = page.waitForResponse(response => response.url().endsWith('/api/live'))
  await open()
  expect((await stream).status()).toBe(200)
}

async function liveDashboard(
  browser: Browser,
  request: APIRequestContext,
  investor: Investor,
  path: string,
): Promise<Page> {
  const page = await dashboardOf(browser, request, investor, { path: '/login' })
  await untilLive(page, () => page.goto(path))
  return page
}

test("[L-01, L-06] an admin approves: the investor's page and bell change", async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const { _id, invoiceId } = await requestDeposit(request, iris)
  const page = await liveDashboard(browser, request, iris, '/dashboard/deposit')
  const row = page.getByRole('row').filter({ hasText: invoiceId })
  await expect(row).toContainText('Pending')
  await expect(bellOf(page)).toHaveAccessibleName('Notifications')
  await mark(page)

  const admin = await consoleOf(browser)
  const dialog = await openAct(admin, 'Deposits', 'Approve', invoiceId)
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()

  await expect(row).toContainText('Paid')
  await expect(page.getByLabel('Your account')).toContainText('$250.00')
  await expect(bellOf(page)).toHaveAccessibleName('Notifications, 1 unread')
  await expect(page.getByRole('status').filter({ hasText: '1 unread notification' })).toBeAttached()
  await expectSamePage(page)
  await expectSound(page, widths)

  await readTheNews(page, invoiceId, _id)
  await expectSamePage(page)
  await expect.poll(() => callApi(request, 'GET', '/notification/unread', iris)).toEqual({ unread: 0 })
})

test('[L-01] an investor asks: the open console shows it', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1_000)
  const page = await consoleOf(browser)
  await untilLive(page, () => page.reload())
  const waiting = figure(page, 'Withdrawals to approve')
  await expect(waiting).toHaveText(/\d/)
  const before = Number(await waiting.textContent())
  await mark(page)
  const asked = await callApi<Made>(request, 'POST', '/withdrawal/new', {
    token: iris.token,
    body: { amount: 100, wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress },
  })
  await expect(waiting).toHaveText(String(before + 1))
  await expect(rowOf(page, 'Withdrawals', iris.person.name)).toContainText('$100.00')
  await expectSamePage(page)
  await asAdmin(request, `/withdrawal/decline/${asked._id}`, { reason: 'Not now' })
  await expect(waiting).toHaveText(String(before))
})

/** The bell's list by keyboard: read it, follow it to the deposit. */
async function readTheNews(page: Page, invoiceId: string, id: string) {
  await bellOf(page).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Notifications' })
  const item = dialog.getByRole('listitem').filter({ hasText: invoiceId })
  await expect(item).toContainText(`Your deposit ${invoiceId} of $250.00 was received.`)
  await expect(item).toContainText('Paid in full and added to the balance.')
  await expectAccessible(page, 'notifications')
  await page.keyboard.press('Escape')
  await expect(bellOf(page)).toBeFocused()

  await page.keyboard.press('Enter')
  await dialog.getByRole('link', { name: 'View deposit' }).press('Enter')
  await expect(page).toHaveURL(new RegExp(`/dashboard/deposit\\?deposit=${id}$`))
  await expect(page.getByText(invoiceId).first()).toBeVisible()
}

test('[L-06] one is marked as read, then all of them, and the list goes on page by page', async ({
  browser,
  request,
}) => {
  test.slow() // 22 deposits
  const iris = await newInvestor(request)
  for (let n = 0; n < 22; n++) await fund(request, iris, 100)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop })
  await expect(bellOf(page)).toHaveAccessibleName('Notifications, 22 unread')
  await bellOf(page).click()
  const dialog = page.getByRole('dialog', { name: 'Notifications' })
  await expect(dialog.getByRole('listitem')).toHaveCount(20)
  await dialog.getByRole('button', { name: 'Load more' }).click()
  await expect(dialog.getByRole('listitem')).toHaveCount(22)
  await dialog.getByRole('button', { name: 'Mark as read' }).first().click()
  await expect(dialog.getByRole('button', { name: 'Mark as read' })).toHaveCount(21)
  await dialog.getByRole('button', { name: 'Mark all as read' }).click()
  await expectToast(page, 'All marked as read')
  await expect(dialog.getByRole('button', { name: 'Mark as read' })).toHaveCount(0)
  await expect(dialog.getByRole('button', { name: 'Mark all as read' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await expect(bellOf(page)).toHaveAccessibleName('Notifications')
})

test('[L-03] pages of one browser share a stream, taken over when its page closes', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const first = await liveDashboard(browser, request, iris, '/dashboard/home')
  let streams = 0
  first.context().on('request', asked => {
    if (asked.url().endsWith('/api/live')) streams += 1
  })
  const second = await first.context().newPage()
  await second.goto('/dashboard/deposit')
  await expect(second.getByText('You have not made any deposits yet.')).toBeVisible()
  const told = await requestDeposit(request, iris)
  await expect(second.getByRole('row').filter({ hasText: told.invoiceId })).toBeVisible()
  expect(streams).toBe(0)

  await untilLive(second, () => first.close())
  await asAdmin(request, `/deposit/approve/${told._id}`)
  await expect(second.getByRole('row').filter({ hasText: told.invoiceId })).toContainText('Paid')
  expect(streams).toBe(1)
})

test('[L-03] a session that is ended elsewhere leads its open page to the login', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await liveDashboard(browser, request, iris, '/dashboard/home')
  const authorization = `Bearer ${iris.token}`
  const sessions = await callApi<{ _id: string; current: boolean }[]>(request, 'GET', '/auth/sessions', {
    token: iris.token,
  })
  const told = expectToast(
    page,
    'Your session has expired, you will be redirected to the login page',
    'error',
  )
  for (const { _id } of sessions.filter(({ current }) => !current)) {
    await request.delete(`/api/auth/sessions/${_id}`, { headers: { authorization } })
  }
  await told
  await page.waitForURL('/login')
})

test('[L-04] what happens while the network is away shows when it is back', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const { _id, invoiceId } = await requestDeposit(request, iris)
  const page = await liveDashboard(browser, request, iris, '/dashboard/deposit')
  const row = page.getByRole('row').filter({ hasText: invoiceId })
  await expect(row).toContainText('Pending')
  await mark(page)
  await page.context().setOffline(true)
  await asAdmin(request, `/deposit/approve/${_id}`)
  await page.context().setOffline(false)
  await expect(row).toContainText('Paid')
  await expectSamePage(page)
})

test('[L-04] without a stream a visible page polls for changes', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const { _id, invoiceId } = await requestDeposit(request, iris)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: '/login' })
  await page.clock.install()
  await page.route('**/api/live', route => route.fulfill({ status: 503, json: {} }))
  const refused = page.waitForResponse(response => response.url().endsWith('/api/live'))
  await page.goto('/dashboard/deposit')
  const row = page.getByRole('row').filter({ hasText: invoiceId })
  await expect(row).toContainText('Pending')
  await refused
  await mark(page)
  await asAdmin(request, `/deposit/approve/${_id}`)
  await page.clock.fastForward('00:31')
  await expect(row).toContainText('Paid')
  await expectSamePage(page)
})

test('[L-07] which emails come is chosen in the profile, where each email leads', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 100)
  const page = await dashboardOf(browser, request, iris, { path: '/login' })
  await page.goto(await linkIn(request, iris, /https?:\S+#emails/))
  const section = page.getByRole('region', { name: 'Emails' })
  await expect(section).toBeFocused()
  const choice = section.getByRole('checkbox', { name: 'A deposit was received', exact: true })
  await expect(choice).toBeChecked()
  await choice.uncheck()
  await section.getByRole('button', { name: 'Save preferences' }).click()
  await expectToast(page, 'Email preferences saved')
  await page.reload()
  await expect(choice).not.toBeChecked()
  await expect(section.getByRole('checkbox', { name: 'A deposit was declined' })).toBeChecked()
  await expectSound(page, widths)

  await fund(request, iris, 100)
  await fund(request, iris, 100)
  const declined = await requestDeposit(request, iris)
  await asAdmin(request, `/deposit/decline/${declined._id}`, { reason: 'Not received' })
  await linkIn(request, iris, new RegExp(`https?:\\S+deposit=${declined._id}`))
  const received = (await mailsTo(request, iris)).filter(({ subject }) => subject.endsWith('was received'))
  expect(received).toHaveLength(1)
})

type Mail = { subject: string; text: string }

function mailsTo(request: APIRequestContext, { person }: Investor): Promise<Mail[]> {
  return callApi<Mail[]>(request, 'GET', `/demo/mailbox?to=${encodeURIComponent(person.email)}`)
}

/** The first link like this in an email, once it has arrived: its path on this server. */
async function linkIn(request: APIRequestContext, investor: Investor, pattern: RegExp): Promise<string> {
  let found: string | undefined
  await expect
    .poll(async () => {
      const mails = await mailsTo(request, investor)
      found = mails.map(({ text }) => pattern.exec(text)?.[0]).find(Boolean)
      return found
    })
    .toBeDefined()
  const { pathname, search, hash } = new URL(found!)
  return pathname + search + hash
}

test('[L-08] a login on a new device is told in the bell', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: '/login' })
  await page.evaluate(() => localStorage.clear())
  await logIn(page, iris.person)
  await expect(bellOf(page)).toHaveAccessibleName('Notifications, 1 unread')
  await bellOf(page).click()
  const dialog = page.getByRole('dialog', { name: 'Notifications' })
  await expect(dialog).toContainText('on a new device: Chrome on Linux')
  await dialog.getByRole('button', { name: 'Mark as read' }).click()
  await page.keyboard.press('Escape')
  await expect(bellOf(page)).toHaveAccessibleName('Notifications')

  // The browser is known again, also after a logout.
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('/')
  await logIn(page, iris.person)
  await expect(bellOf(page)).toHaveAccessibleName('Notifications')
  await bellOf(page).click()
  await expect(dialog.getByRole('listitem')).toHaveCount(1)
})
