import { expect, test } from '@playwright/test'
import { investorInPlan } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { consoleOf, desktop, phone } from './support/people.ts'

/** Staff see what falls due, what is held, and what is not known. */

test('[N-01, N-10] the cash flow names what is due and what is not known', async ({ browser, request }) => {
  await investorInPlan(request)
  const page = await consoleOf(browser)
  await page.getByRole('navigation').getByRole('link', { name: 'Cash flow' }).first().click()
  await expect(page.getByRole('heading', { name: 'Cash flow', level: 1 })).toBeVisible()
  const due = page.getByRole('region', { name: 'Due in the next 26 weeks' })
  // No network is synced in this demonstration, so nothing may pass for known.
  await expect(due).toContainText(
    /We do not know how much of these coins we hold: BTC.* \(no balance has been read\)/,
  )
  await expect(due).toContainText('exceeds the coins we know we hold by $')
  await expect(due.getByRole('table').getByRole('row').nth(1)).toContainText('$')
  await expect(page.getByRole('table', { name: /^Money in and out/ }).getByRole('row')).toHaveCount(13)
  await expect(
    page
      .getByRole('table', { name: /^Money in and out/ })
      .getByRole('row')
      .nth(1),
  ).toContainText('(so far)')
  await expect(page.getByRole('table', { name: /^Investors by the month/ })).toContainText('$')
  await expect(page.getByRole('table', { name: /^Money in plans/ })).toContainText('Beginner')
  await expectSound(page, widths)

  // A phone shows the first rows of each table, so that the next heading is near.
  const months = page.getByRole('table', { name: /^Money in and out/ }).getByRole('row')
  await page.setViewportSize(phone)
  await expect(months).toHaveCount(4)
  await page.getByRole('button', { name: 'Show all months (12)' }).first().click()
  await expect(months).toHaveCount(13)
  await page.getByRole('button', { name: 'Show fewer months' }).click()
  await expect(months).toHaveCount(4)
  await expect(page.getByRole('button', { name: 'Show all months (12)' }).first()).toBeInViewport()
  await expectSound(page)
  await page.setViewportSize(desktop)
  await expect(months).toHaveCount(13)

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^cash-flow-\d{4}-\d\d-\d\d\.csv$/)
})

test('[N-14] an auditor reads the cash flow too', async ({ browser }) => {
  const page = await consoleOf(browser, { who: 'auditor', path: '/admin/cash-flow' })
  await expect(page.getByRole('heading', { name: 'Concentration' })).toBeVisible()
})
