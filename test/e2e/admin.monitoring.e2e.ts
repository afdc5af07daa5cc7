import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { investorWith, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { expectSoundInArabic } from './support/languages.ts'
import { ownProduct } from './support/own-product.ts'
import { consoleOf, expectToast } from './support/people.ts'

/** Its worker looks at movements at its start and each minute. */
ownProduct('monitoring')

test('[N-03, N-07] staff look into movements, download the report and close the case', async ({
  browser,
  request,
}) => {
  // The worker finds movements within a minute.
  test.setTimeout(180_000)
  const { person } = await investorWith(request, 60_000, 'Mona Moved')
  const page = await consoleOf(browser)
  const cases = region(page, 'Cases')
  const row = cases.getByRole('row', { name: new RegExp(person.name) })
  await expect(async () => {
    await page.goto('/admin/monitoring')
    await expect(row).toHaveCount(1, { timeout: 2_000 })
  }).toPass({ timeout: 100_000 })
  await expect(row).toContainText('High volume in a short time')
  await expect(row).toContainText('$60,000.00')
  await expectSound(page, widths)

  await row.getByRole('link', { name: 'High volume in a short time' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('High volume in a short time')
  await expect(region(page, 'What was found')).toContainText('of $50,000 or more in 7 days')
  await expect(region(page, 'Movements')).toContainText('$60,000.00')
  await expectSound(page, widths)
  await expectSoundInArabic(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download report' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/case-.*\.csv$/)

  await page.getByRole('button', { name: /^Nothing unusual/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Close as explained' }).click()
  await expect(dialog.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Reason').fill('Sold a house, contract seen')
  await expectAccessible(page, 'closing a case', widths)
  await dialog.getByRole('button', { name: 'Close as explained' }).click()
  await expectToast(page, 'Closed: explained')
  await expect(region(page, 'The decision')).toContainText('contract seen')
})
