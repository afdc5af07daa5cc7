import { expect, test } from '@playwright/test'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { consoleOf, expectToast } from './support/people.ts'

/** What the bell tells staff (L-09). Choices are the admin's own, so this product is its own. */
ownProduct('alerts')

test('[L-09] the bell says what waits, leads there, and tells only what was chosen', async ({ browser }) => {
  const page = await consoleOf(browser)
  const bell = page.getByRole('button', { name: /^Notifications, \d+ unread$/ })
  await expect(bell).toBeVisible({ timeout: 30_000 })
  await bell.click()
  const dialog = page.getByRole('dialog', { name: 'Notifications' })
  const waiting = dialog
    .getByRole('listitem')
    .filter({ hasText: /Withdrawal WDR-\S+ of .* waits for approval/ })
  await expect(waiting.first()).toBeVisible()
  await expectSound(page, widths)
  await waiting.first().getByRole('link', { name: 'View withdrawal' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Withdrawal')
  await expect(dialog).toHaveCount(0)
  await bell.click()
  await expect(waiting.first()).not.toContainText('Unread')

  await page.goto('/admin/profile#alerts')
  const alerts = page.getByRole('region', { name: 'Alerts' })
  const withdrawals = alerts.getByRole('group', { name: 'A withdrawal waits for approval' })
  await expect(withdrawals.getByLabel('Bell')).toBeChecked()
  await expect(withdrawals.getByLabel('Email')).not.toBeChecked()
  await expect(alerts).toBeFocused()
  await expectSound(page, widths)
  await withdrawals.getByLabel('Bell').uncheck()
  await alerts
    .getByRole('group', { name: 'A message waits for an answer' })
    .getByLabel('Only if assigned to me')
    .check()
  await alerts.getByRole('button', { name: 'Save alerts' }).click()
  await expectToast(page, 'Alerts saved')
  await page.reload()
  await expect(withdrawals.getByLabel('Bell')).not.toBeChecked()
  await expect(alerts.getByLabel('Only if assigned to me')).toBeChecked()
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await expect(dialog.getByRole('listitem').or(dialog.getByText('Nothing yet')).first()).toBeVisible()
  await expect(waiting).toHaveCount(0)
})
