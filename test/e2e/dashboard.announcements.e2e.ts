import { expect, test } from '@playwright/test'
import { dayAfter } from '#shared/moments.ts'
import { dashboardOf, expectSound, newInvestor, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { consoleOf, expectToast } from './support/people.ts'

/** What the firm tells all investors (N-15). Everybody would see it, so this product is its own. */
ownProduct('announcements')

test('[N-15] staff announce something; an investor reads it, and it is withdrawn', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/announcements' })
  await expect(page.getByText('No announcements yet')).toBeVisible()
  await expectSound(page, widths)
  await page.goto('/dashboard/withdrawals')

  const staff = await consoleOf(browser, { path: '/admin/announcements' })
  await expect(staff.getByText('No announcements yet')).toBeVisible()
  await staff.getByRole('button', { name: 'New announcement' }).click()
  const dialog = staff.getByRole('dialog')
  await dialog.getByLabel('Title').fill('No payouts on Sunday')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await expectToast(staff, 'All fields are required', 'error')
  await dialog.getByLabel('Text').fill('Our wallets are moved on Sunday.\n\nWe pay again on Monday.')
  await dialog.getByLabel('Last day').fill(dayAfter(new Date(), 30))
  await expectSound(staff, widths)
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await expectToast(staff, 'Announcement published')
  await expect(staff.getByText('Marked as read by 0 investors')).toBeVisible()
  await expectSound(staff, widths)

  const banner = page.getByRole('region', { name: 'Announcements' })
  await expect(banner).toContainText('We pay again on Monday.')
  await expectSound(page, widths)
  await page.goto('/dashboard/announcements')
  await expect(page.getByRole('button', { name: /^Mark as read/ })).toBeVisible()
  await staff.reload()
  await expect(staff.getByText('Marked as read by 0 investors')).toBeVisible()
  await page.goto('/dashboard/withdrawals')
  await banner.getByRole('button', { name: /^Mark as read/ }).press('Enter')
  await expect(banner).toHaveCount(0)
  await expect(page.locator('#content')).toBeFocused()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.goto('/dashboard/messages')
  await page.getByRole('link', { name: 'Announcements to all investors' }).click()
  await expect(page.getByText('We pay again on Monday.')).toBeVisible()
  await expectSound(page, widths)

  await staff.reload()
  await expect(staff.getByText('Marked as read by 1 investor')).toBeVisible()
  await staff.getByRole('button', { name: "Withdraw 'No payouts on Sunday'" }).click()
  await dialog.getByLabel('Reason').fill('It is postponed')
  await expectSound(staff)
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await expectToast(staff, 'Announcement withdrawn')
  const said = page.getByText('We pay again on Monday.')
  await expect(said).toBeHidden()
  await page.getByText(/^We withdrew it on/).click()
  await expect(said).toBeVisible()
  await expectSound(page, widths)
})
