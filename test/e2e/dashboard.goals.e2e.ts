import { expect, test } from '@playwright/test'
import { dayAfter } from '#shared/moments.ts'
import { dashboardOf, expectSound, newInvestor, widths } from './support/investor.ts'
import { expectToast } from './support/people.ts'

/** What an investor saves for, and the alerts that they set (D-31). */
test('[D-31] an investor sets a goal, reads what is missing, and chooses an alert', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), {
    path: '/dashboard/investments',
  })
  await page.getByRole('link', { name: 'Goals and alerts' }).click()
  await expect(page.getByText('You have no goals yet.')).toBeVisible()
  await expectSound(page, widths)

  await page.getByRole('textbox', { name: 'Name' }).fill('A house')
  await page.getByRole('button', { name: 'Save goal' }).click()
  await expectToast(page, 'Name and amount are required', 'error')
  await page.getByRole('textbox', { name: 'Amount' }).fill('12,000')
  await page.getByLabel(/^Day/).fill(dayAfter(new Date(), 0))
  await page.getByRole('button', { name: 'Save goal' }).click()
  await expect(page.getByText('Choose a day after today (UTC)').first()).toBeVisible()
  await page.getByLabel(/^Day/).fill(dayAfter(new Date(), 366))
  await page.getByRole('button', { name: 'Save goal' }).click()
  await expectToast(page, 'Goal saved')
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused()
  const goal = page.getByRole('listitem').filter({ hasText: 'A house' })
  await expect(goal).toContainText('0% now, $12,000.00 to go.')
  await expect(goal).toContainText(
    'Without any earnings, you would reach it by paying in $1,000.00 each month.',
  )
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('')
  await expectSound(page, widths)

  await page.getByLabel('Tell me before an investment ends').selectOption('7 days before')
  await page.getByRole('button', { name: 'Save alert' }).click()
  await expectToast(page, 'Alert saved')
  await page.reload()
  await expect(page.getByLabel('Tell me before an investment ends')).toHaveValue('7')
  await goal.getByRole('button', { name: 'Remove A house' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove goal' }).click()
  await expectToast(page, 'Goal removed')
  await expect(page.getByText('You have no goals yet.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Your goals' })).toBeFocused()
})
