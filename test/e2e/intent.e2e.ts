import { expect, type Page, test } from '@playwright/test'
import { withoutEarlierCaches } from './support/contexts.ts'
import { dashboardOf, type Investor } from './support/investor.ts'
import { consoleOf, desktop, phone, sample, tokenOf } from './support/people.ts'
import { preloaded } from './support/preloaded.ts'

withoutEarlierCaches()

/** What a page needs is on its way before the link to it is pressed. */

const link = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).filter({ visible: true })

const answerOf = (page: Page, path: string) =>
  page.waitForResponse(response => new URL(response.url()).pathname === `/api${path}`)

/** From now on nothing can be read any more. */
const cutOff = (page: Page) => page.context().route('**/*', route => route.abort('connectionrefused'))

test('a page whose link is pointed at shows its rows without the server', async ({ browser, request }) => {
  const investor: Investor = { person: sample('investor'), token: await tokenOf(request, sample('investor')) }
  const page = await dashboardOf(browser, request, investor, { viewport: desktop })
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const answer = answerOf(page, '/earning/get-all-user')
  await link(page, 'Earnings History').hover()
  await (await answer).finished()
  await preloaded(page, 'earnings')
  await preloaded(page, 'charts-plots')
  await cutOff(page)
  await link(page, 'Earnings History').click()
  await expect(page.getByRole('heading', { level: 1, name: 'Earnings history' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Your earnings, newest first' })).toBeVisible()
})

test('so does one that has the focus, or that a finger touches', async ({ browser, request }) => {
  const investor: Investor = { person: sample('investor'), token: await tokenOf(request, sample('investor')) }
  const page = await dashboardOf(browser, request, investor, { viewport: desktop })
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const statement = answerOf(page, '/ledger/statement')
  await link(page, 'Statement').focus()
  await statement

  await page.setViewportSize(phone)
  await page.getByRole('button', { name: 'Menu' }).click()
  const plans = answerOf(page, '/plan/get-all')
  await link(page, 'New Investment').dispatchEvent('touchstart')
  await plans
})

test('so does one that had the focus before prefetching had loaded', async ({ browser, request }) => {
  const investor: Investor = { person: sample('investor'), token: await tokenOf(request, sample('investor')) }
  const page = await dashboardOf(browser, request, investor, {
    viewport: desktop,
    path: '/dashboard/profile',
  })
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/prefetch-*.js', async route => {
    await held.promise
    await route.continue()
  })
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await link(page, 'Statement').focus()
  const statement = answerOf(page, '/ledger/statement')
  held.resolve()
  await statement
})

test('a browser that saves data loads no page that nobody points at', async ({ browser, request }) => {
  const investor: Investor = { person: sample('investor'), token: await tokenOf(request, sample('investor')) }
  const page = await dashboardOf(browser, request, investor, { savesData: true })
  await link(page, 'Earnings History').hover()
  await preloaded(page, 'earnings')
  // What waits for an idle browser has had its turn.
  await page.evaluate(() => new Promise<void>(done => requestIdleCallback(() => done())))
  await expect(page.locator('link[rel=modulepreload][href*="/profile-"]')).toHaveCount(0)
})

test('a page of the console whose link is pointed at shows its rows without the server', async ({
  browser,
}) => {
  const page = await consoleOf(browser)
  const answer = answerOf(page, '/return/get-all')
  await link(page, 'Recorded returns').hover()
  await (await answer).finished()
  await preloaded(page, 'returns')
  await cutOff(page)
  await link(page, 'Recorded returns').click()
  await expect(page.getByRole('table', { name: /^Returns/ })).toBeVisible()
})
