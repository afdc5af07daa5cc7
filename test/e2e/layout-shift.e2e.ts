import { expect, type Page, test } from '@playwright/test'
import { expectExtras } from './support/console.ts'
import { withoutEarlierCaches } from './support/contexts.ts'
import { dashboardOf, newInvestor, widths } from './support/investor.ts'
import { callApi, consoleOf } from './support/people.ts'

withoutEarlierCaches()

/** Nothing that a page shows moves when the rest of it comes: what is known late has its room. */

/** A tenth of what counts as good (web.dev/cls). */
const most = 0.01

/** Chromium's sum of the shifts of a page that is opened anew. */
async function shiftOf(page: Page, path: string): Promise<number> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText(/^Loading /)).toHaveCount(0)
  await expectExtras(page)
  return page.evaluate(sumOfShifts)
}

/** Runs in the page. */
function sumOfShifts(): Promise<number> {
  type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean }
  return new Promise(resolve => {
    let sum = 0
    new PerformanceObserver(list => {
      for (const shift of list.getEntries() as Shift[]) if (!shift.hadRecentInput) sum += shift.value
    }).observe({ type: 'layout-shift', buffered: true })
    // What was buffered comes before the second frame from now.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
  })
}

for (const [device, viewport] of widths) {
  test(`the home page of a ${device} stays in place, with a payment and without`, async ({
    browser,
    request,
  }) => {
    const investor = await newInvestor(request)
    const page = await dashboardOf(browser, request, investor, { viewport })
    // From now on the browser knows the name, as after a login.
    await expect(page.getByRole('heading', { level: 1, name: investor.person.name })).toBeVisible()
    expect(await shiftOf(page, '/dashboard/home')).toBeLessThanOrEqual(most)
    const body = { method: 'usdt', amount: 150 }
    await callApi(request, 'POST', '/deposit/new', { token: investor.token, body })
    expect(await shiftOf(page, '/dashboard/home')).toBeLessThanOrEqual(most)
    await expect(page.getByRole('region', { name: 'Your payment' })).toBeVisible()
  })

  test(`the console's brand and integrations on a ${device} stay in place`, async ({ browser }) => {
    const page = await consoleOf(browser, { viewport })
    for (const path of ['/admin/brand', '/admin/integrations'])
      expect(await shiftOf(page, path)).toBeLessThanOrEqual(most)
  })
}
