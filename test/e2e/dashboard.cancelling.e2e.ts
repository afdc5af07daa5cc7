import { expect, type Page, test } from '@playwright/test'
import { region } from './support/console.ts'
import {
  asAdmin,
  dashboardOf,
  expectSound,
  figure,
  fund,
  invest,
  newInvestor,
  widths,
} from './support/investor.ts'
import { callApi, consoleOf, expectToast, phone } from './support/people.ts'

const walletAddress = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const wallet = 'Bitcoin (BTC)'
type Made = { _id: string; invoiceId: string }

const rowOf = (page: Page, { invoiceId }: Made) => page.getByRole('row').filter({ hasText: invoiceId })

test('[D-08, S-02, S-04] a pending withdrawal is cancelled by keyboard alone', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1000)
  const asked = { amount: 250, wallet, walletAddress }
  const made = await callApi<Made>(request, 'POST', '/withdrawal/new', { token: iris.token, body: asked })
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/withdrawals' })
  const row = rowOf(page, made)
  const button = row.getByRole('button', { name: `Cancel withdrawal ${made.invoiceId}` })
  await button.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: `Cancel withdrawal ${made.invoiceId}?` })
  await expect(dialog).toContainText('$250.00 goes from hold back to your available balance.')
  await expectSound(page, widths)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(button).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(dialog.getByRole('button', { name: 'Keep withdrawal' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Withdrawal cancelled')
  await expect(dialog).toBeHidden()
  await expect(row.getByRole('link', { name: 'Details' })).toBeFocused()
  await expect(row.locator('[data-tone=bad]')).toHaveText('Cancelled')
  await expect(button).toHaveCount(0)
  await expect(figure(page, 'Balance')).toHaveText('$1,000.00')
  await expect(figure(page, 'On hold')).toHaveText('$0.00')
  await page.keyboard.press('Enter')
  const record = page.getByRole('dialog', { name: 'Withdrawal to Bitcoin (BTC)' })
  await expect(record).toContainText('You cancelled it. The money is available again.')
  await expect(record).toContainText('Withdrawal cancelled by Iris Investor')
  await expectSound(page, widths)
})

test('[D-15, D5] a pending deposit is cancelled, and one that was just paid is not', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const ask = (amount: number) =>
    callApi<Made>(request, 'POST', '/deposit/new', {
      token: iris.token,
      body: { method: 'usdt', amount },
    })
  const [unwanted, sent] = [await ask(150), await ask(300)]
  const page = await dashboardOf(browser, request, iris, { viewport: phone, path: '/dashboard/deposit' })
  await rowOf(page, unwanted)
    .getByRole('button', { name: `Cancel deposit ${unwanted.invoiceId}` })
    .click()
  const dialog = page.getByRole('dialog', { name: `Cancel deposit ${unwanted.invoiceId}?` })
  await expect(dialog).toContainText('If you have already sent the payment, do not cancel.')
  await expectSound(page, widths)
  await dialog.getByRole('button', { name: 'Cancel deposit' }).click()
  await expectToast(page, 'Deposit cancelled')
  await expect(rowOf(page, unwanted)).toContainText(
    'Cancelled. If your payment still arrives, we will credit it.',
  )

  // The payment arrives while the question is open.
  await rowOf(page, sent)
    .getByRole('link', { name: /^Pay now/ })
    .click()
  const record = page.getByRole('dialog', { name: 'Payment by USDT TRC-20' })
  await record.getByRole('button', { name: `Cancel deposit ${sent.invoiceId}` }).click()
  const again = page.getByRole('dialog', { name: `Cancel deposit ${sent.invoiceId}?` })
  await asAdmin(request, `/deposit/approve/${sent._id}`)
  await again.getByRole('button', { name: 'Cancel deposit' }).click()
  await expect(again).toContainText('This deposit is already paid. Only pending deposits can be cancelled.')
  await again.getByRole('button', { name: 'Keep deposit' }).click()
  await expect(record.getByRole('button', { name: /^Cancel deposit/ })).toHaveCount(0)
  await expectSound(page, widths)
})

test('[D-07, S-01] a pending investment is cancelled from its card and from its record', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  const [one, two] = [
    await invest(request, iris, 'Basic', 500),
    await invest(request, iris, 'Basic', 600),
  ] as [Made, Made]
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/investments' })
  await page.getByRole('button', { name: `Cancel investment ${one.invoiceId}` }).click()
  const dialog = page.getByRole('dialog', { name: `Cancel investment ${one.invoiceId}?` })
  await expect(dialog).toContainText('Nothing is invested in the Basic plan.')
  await expectSound(page, widths)
  await dialog.getByRole('button', { name: 'Cancel investment' }).click()
  await expectToast(page, 'Investment cancelled')
  await expect(page.getByRole('link', { name: `Details of Basic, ${one.invoiceId}` })).toBeFocused()
  await page.getByRole('link', { name: `Details of Basic, ${two.invoiceId}` }).click()
  const record = page.getByRole('dialog', { name: 'Basic plan' })
  await record.getByRole('button', { name: `Cancel investment ${two.invoiceId}` }).click()
  await page
    .getByRole('dialog', { name: /^Cancel investment/ })
    .getByRole('button', { name: 'Cancel investment' })
    .click()
  await expectToast(page, 'Investment cancelled')
  await expect(record.locator('[data-tone=bad]')).toHaveText('Cancelled')
  await expect(record).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('listitem').locator('[data-tone=bad]')).toHaveText(['Cancelled', 'Cancelled'])
  await expect(figure(page, 'Balance')).toHaveText('$2,000.00')
})

test('[N-03, N-12] the console shows who has cancelled, also as a filter', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1000)
  const body = { amount: 100, wallet, walletAddress }
  const ask = () => callApi<Made>(request, 'POST', '/withdrawal/new', { token: iris.token, body })
  const [cancelled, kept] = [await ask(), await ask()]
  await callApi(request, 'POST', `/withdrawal/cancel/${cancelled._id}`, { token: iris.token })
  const page = await consoleOf(browser)
  const section = region(page, 'Withdrawals')
  await section.getByRole('searchbox').fill(iris.person.email)
  await section
    .getByRole('combobox', { name: 'Filter withdrawals' })
    .selectOption('Cancelled by the investor')
  await expect(section.getByRole('row').filter({ hasText: kept.invoiceId })).toHaveCount(0)
  const row = section.getByRole('row').filter({ hasText: cancelled.invoiceId })
  await expect(row.locator('[data-tone=bad]')).toHaveText('Cancelled')
  await row.getByRole('link', { name: cancelled.invoiceId }).click()
  await expect(figure(page, 'Cancelled by')).toHaveText('The investor')
  await expect(page.getByRole('main')).toContainText('Withdrawal cancelled by Iris Investor')
  await expectSound(page, widths)
})
