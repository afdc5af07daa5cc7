import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { withdrawalWallets } from '#shared/coins.ts'
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
import { callApi, desktop, expectToast } from './support/people.ts'

const path = '/dashboard/withdrawals'
const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

const withdrawals = (request: APIRequestContext, { token }: Investor) =>
  callApi<unknown[]>(request, 'GET', '/withdrawal/get-all-user', { token })

/** Fills the form in, and goes on to the review. */
async function ask(page: Page, amount: string, to = address) {
  await page.getByLabel('Amount (USD)').fill(amount)
  await page.getByLabel('Wallet address').fill(to)
  await page.getByRole('button', { name: 'Request withdrawal' }).click()
  return page.getByRole('dialog', { name: 'Confirm this withdrawal?' })
}

test('[D-08, D-09, D-24] a withdrawal is asked for by keyboard alone, and held at once', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1000)
  const page = await dashboardOf(browser, request, iris, { path })
  await expect(figure(page, 'Balance')).toHaveText('$1,000.00')
  const amount = page.getByLabel('Amount (USD)')
  await amount.focus()
  await page.keyboard.type('$250.5')
  await page.keyboard.press('Tab')
  await expect(amount).toHaveValue('250.50')
  await expect(page.getByText('Leaves $749.50 available.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Max/ })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Wallet', { exact: true })).toBeFocused()
  await expect(page.getByLabel('Wallet', { exact: true })).toHaveValue('Bitcoin (BTC)')
  await page.keyboard.press('Tab')
  await page.keyboard.type(address)
  await expect(page.getByText('Valid Bitcoin (BTC) address')).toBeVisible()
  await expectSound(page, widths)

  await page.keyboard.press('Enter')
  const review = page.getByRole('dialog', { name: 'Confirm this withdrawal?' })
  await expect(review.getByRole('definition')).toHaveText([
    '$250.50',
    'None',
    'Bitcoin (BTC)',
    '$250.50',
    '$749.50',
  ])
  await expect(review).toContainText(address)
  await expect(review).toContainText('New address. We may ask for your password.')
  await expect(review).toContainText('Crypto payments can’t be reversed.')
  await expect(review.getByText(/^About 0\.00\d+ BTC at the rate of /)).toBeVisible()
  await expectSound(page, widths)
  // Pressed once too often, or held down, Enter confirms nothing.
  await page.keyboard.press('Enter')
  await expect(review).toBeVisible()
  expect(await withdrawals(request, iris)).toHaveLength(0)
  await page.keyboard.press('Tab')
  await expect(review.getByRole('button', { name: 'Change' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(review.getByRole('button', { name: 'Confirm withdrawal' })).toBeFocused()
  const asked = page.waitForRequest('**/api/withdrawal/new')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Withdrawal initiated successfully')
  const body = { amount: 250.5, wallet: 'Bitcoin (BTC)', address, walletAddress: address }
  expect((await asked).postDataJSON()).toEqual(body)
  await expect(review).toBeHidden()
  await expect(amount).toHaveValue('')
  await expect(amount).toBeFocused()
  await expect(figure(page, 'Balance')).toHaveText('$749.50')
  await expect(figure(page, 'On hold')).toHaveText('$250.50')
  await expect(figure(page, 'Total')).toHaveText('$250.50')
  await expect(figure(page, 'Pending')).toHaveText('$250.50')
  await expect(figure(page, 'Approved')).toHaveText('$0.00')
  await expect(figure(page, 'Requests')).toHaveText('1')
  await expect(page.getByRole('row').nth(1)).toContainText(address)
})

test('[D-08] Max takes the whole balance, with about how much of the coin that is', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path })
  const max = page.getByRole('button', { name: /^Max/ })
  const amount = page.getByLabel('Amount (USD)')
  await expect(max).toBeDisabled()
  await expect(amount).toHaveAccessibleDescription('Nothing is available to withdraw.')
  await expect(page.getByText('Our team reviews each withdrawal before we pay it.')).toBeVisible()
  await expectSound(page, widths)
  await fund(request, iris, 1234.56)
  await expect(max).toBeEnabled()
  await max.focus()
  await page.keyboard.press('Enter')
  await expect(amount).toBeFocused()
  await expect(amount).toHaveValue('1,234.56')
  await expect(page.getByText('Leaves $0.00 available.')).toBeVisible()
  await expect(page.getByText(/^About 0\.0\d+ BTC at the rate of \$[\d,.]+ \(/)).toBeVisible()
  await page.getByLabel('Wallet', { exact: true }).selectOption('USDT TRC-20')
  await expect(page.getByText('About 1,234.56 USDT, one for each dollar.')).toBeVisible()
  await expectSound(page, widths)
  await page.getByLabel('Wallet', { exact: true }).selectOption('Litecoin (LTC)')
  await expect(page.getByText(/^About /)).toHaveCount(0)
})

test('[D-09, K-03] what is missing or wrong is told at its field, and what was typed stays', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1000)
  const page = await dashboardOf(browser, request, iris, { path })
  await expect(page.getByLabel('Wallet', { exact: true }).getByRole('option')).toHaveText([
    ...withdrawalWallets,
  ])
  const send = page.getByRole('button', { name: 'Request withdrawal' })
  const amount = page.getByLabel('Amount (USD)')
  const to = page.getByLabel('Wallet address')
  await send.click()
  await expectToast(page, 'All fields are requred fields', 'error')
  await expect(amount).toBeFocused()
  await expectSound(page, widths)

  await amount.fill('1,000.01')
  await to.fill(`${address}x`)
  await expect(page.getByText('This is not a valid Bitcoin (BTC) address').first()).toBeVisible()
  await send.click()
  await expectToast(page, 'Your available balance is $1,000.00', 'error')
  await expect(amount).toHaveValue('1,000.01')

  await amount.fill('10')
  await to.fill(address)
  await page.getByLabel('Wallet', { exact: true }).selectOption('Litecoin (LTC)')
  await expect(to).toHaveAccessibleDescription('This is not a valid Litecoin (LTC) address')
  await send.click()
  await expectToast(page, 'This is not a valid Litecoin (LTC) address', 'error')
  await expect(to).toBeFocused()
  expect(await withdrawals(request, iris)).toHaveLength(0)
})

test('[D-08] Escape, Change and Back leave the review and keep the entries', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1000)
  const page = await dashboardOf(browser, request, iris)
  await page.goto(path)
  const send = page.getByRole('button', { name: 'Request withdrawal' })
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('button', { name: 'Change' }).click(),
    () => page.goBack(),
  ]) {
    const review = await ask(page, '100')
    await expect(review).toBeVisible()
    await leave()
    await expect(review).toBeHidden()
    await expect(send).toBeFocused()
    await expect(page.getByLabel('Amount (USD)')).toHaveValue('100.00')
    await expect(page.getByLabel('Wallet address')).toHaveValue(address)
    await expect(page).toHaveURL(/\/dashboard\/withdrawals$/)
  }
  expect(await withdrawals(request, iris)).toHaveLength(0)
  // Each look left nothing behind: one step back is the page before.
  await page.goBack()
  await expect(page).toHaveURL(/\/dashboard\/home$/)
})

test('[D-09] pasted text is cleaned as intended or refused with a helpful message', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path })
  const paste = async (label: string, text: string) => {
    await page.getByLabel(label, { exact: true }).fill('')
    await page.evaluate(words => navigator.clipboard.writeText(words), text)
    await page.keyboard.press('Control+V')
  }
  await paste('Wallet address', `  ${address.replaceAll(/(.{4})/g, '$1 ')}\u200b\n`)
  await expect(page.getByText('Valid Bitcoin (BTC) address')).toBeVisible()
  for (const amount of ['1.000,50', '1 000.50', '1,00', 'USD 1000']) {
    await paste('Amount (USD)', amount)
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Amount (USD)')).toHaveAccessibleDescription(
      /Enter an amount in dollars, such as 1,000\.50/,
    )
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await paste('Amount (USD)', ' $1000.5 ')
  // Twice, as by a hand that is in doubt whether the first has been heard.
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  const review = page.getByRole('dialog', { name: 'Confirm this withdrawal?' })
  await expect(review).toContainText('$1,000.50')
  await expect(review).toContainText(address)
  await page.goBack()
  await expect(review).toHaveCount(0)
  await expect(page.getByLabel('Amount (USD)')).toHaveValue('1,000.50')
  expect(await withdrawals(request, iris)).toHaveLength(0)
})

test('[D-08] an address that the server refuses shows at its field, behind the review', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1000)
  const { payment } = await callApi<{ payment: { address: string } }>(request, 'POST', '/deposit/new', {
    token: iris.token,
    body: { method: 'bitcoin', amount: 500 },
  })
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path })
  const review = await ask(page, '100', payment.address)
  await review.getByRole('button', { name: 'Confirm withdrawal' }).click()
  const words = "That's our address. Enter one from your own wallet."
  await expectToast(page, words, 'error')
  await expect(review).toBeHidden()
  await expect(page.getByLabel('Wallet address')).toBeFocused()
  await expect(page.getByLabel('Wallet address')).toHaveAccessibleDescription(words)
  expect(await withdrawals(request, iris)).toHaveLength(0)
})

test('[D-08, S-02] every state has its badge, a decline its reason, a payment its transaction', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 20_000)
  const ask = (amount: number) =>
    callApi<{ _id: string; invoiceId: string }>(request, 'POST', '/withdrawal/new', {
      token: iris.token,
      body: { amount, wallet: 'Bitcoin (BTC)', walletAddress: address },
    })
  const declined = await ask(10)
  const paid = await ask(20)
  const approved = await ask(30)
  const large = await ask(12_000)
  await asAdmin(request, `/withdrawal/decline/${declined._id}`, { reason: 'The wallet is not yours' })
  await asAdmin(request, `/withdrawal/approve/${paid._id}`)
  const transactionId = 'a1b2c3d4'.repeat(8)
  await asAdmin(request, `/withdrawal/paid/${paid._id}`, { transactionId }, 'second administrator')
  await asAdmin(request, `/withdrawal/approve/${approved._id}`)
  await asAdmin(request, `/withdrawal/approve/${large._id}`)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path })
  const row = ({ invoiceId }: { invoiceId: string }) => page.getByRole('row').filter({ hasText: invoiceId })
  await expect(row(declined).locator('[data-tone=bad]')).toHaveText('Declined')
  await expect(row(declined)).toContainText('The wallet is not yours')
  await expect(row(paid).locator('[data-tone=good]')).toHaveText('Paid')
  await expect(row(paid)).toContainText('Transaction a1b2c3d4…a1b2c3d4')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await row(paid).getByRole('button', { name: 'Copy transaction id' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(transactionId)
  await expect(row(approved).locator('[data-tone=wait]')).toHaveText('Approved')
  await expect(row(large).locator('[data-tone=wait]')).toHaveText('Pending')
  await expect(row(large)).toContainText('1 of 2 approvals')
  await expect(figure(page, 'Total')).toHaveText('$12,050.00')
  await expect(figure(page, 'Approved')).toHaveText('$50.00')
  await expect(figure(page, 'Pending')).toHaveText('$12,000.00')
  await expectSound(page)
})

test('[B-06] the same press sent again after a lost answer asks for one withdrawal', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1000)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path })
  let lost = 0
  await page.route('**/api/withdrawal/new', async route => {
    await route.fetch()
    if (lost++ === 0) await route.abort()
    else await route.continue()
  })
  const review = await ask(page, '100')
  await review.getByRole('button', { name: 'Confirm withdrawal' }).click()
  const words = 'We cannot reach the server. Check your connection and try again'
  await expectToast(page, words, 'error')
  await expect(review).toContainText(words)
  await review.getByRole('button', { name: 'Confirm withdrawal' }).click()
  await expectToast(page, 'Withdrawal initiated successfully')
  expect(await withdrawals(request, iris)).toHaveLength(1)
})
