import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import {
  type Invoice,
  investorWith,
  listCalls,
  openAct,
  payoutAddress,
  region,
  rowOf,
} from './support/console.ts'
import { payEarning, widths } from './support/investor.ts'
import { consoleOf, daysAgo, expectToast } from './support/people.ts'

test('[N-06, N-08] a deposit is approved: figures first, one toast, its list read again', async ({
  browser,
  request,
}) => {
  const { person, ask, read } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 1234.5 })
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  await expect(dialog).toContainText(person.name)
  await expect(dialog).toContainText('To the available balance')
  await expect(dialog).toContainText('$1,234.50')
  await expectAccessible(page, 'approve deposit', widths)

  const hasRead = listCalls(page)
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, 'Deposits', invoiceId)).toContainText('Paid')
  await hasRead('/deposit/get-all')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 1234.5 })
})

test('[N-03, N-08, S-02] a withdrawal is declined with a required reason shown to the investor', async ({
  browser,
  request,
}) => {
  const { ask, read } = await investorWith(request, 500)
  const { invoiceId } = await ask('/withdrawal/new', {
    amount: 200,
    wallet: 'Bitcoin (BTC)',
    walletAddress: payoutAddress,
  })
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Withdrawals', 'Decline', invoiceId)
  // Only of an approved one it has to be said that nobody has paid it.
  await expect(dialog.getByRole('checkbox')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Decline withdrawal' }).click()
  await expectToast(page, 'Enter a reason. The investor will see it', 'error')
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await expectAccessible(page, 'decline withdrawal', widths)

  await dialog.getByLabel('Reason').fill('The address belongs to an exchange that we cannot pay')
  await dialog.getByRole('button', { name: 'Decline withdrawal' }).click()
  await expectToast(page, 'Withdrawal declined')
  await expect(rowOf(page, 'Withdrawals', invoiceId)).toContainText('Declined')
  const [withdrawal] = await read<{ declineReason: string }[]>('/withdrawal/get-all-user')
  expect(withdrawal?.declineReason).toBe('The address belongs to an exchange that we cannot pay')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 500 })
})

test('[N-03, N-08, N-12] a withdrawal is approved and paid, each with a reason', async ({
  browser,
  request,
}) => {
  const { ask, read } = await investorWith(request, 500)
  const { invoiceId } = await ask('/withdrawal/new', {
    amount: 125.25,
    wallet: 'Bitcoin (BTC)',
    walletAddress: payoutAddress,
  })
  const page = await consoleOf(browser)
  const hasRead = listCalls(page)
  const approve = await openAct(page, 'Withdrawals', 'Approve', invoiceId)
  await expect(approve).toContainText(payoutAddress)
  await approve.getByLabel('Reason (optional)').fill('The address was confirmed by telephone')
  await approve.getByRole('button', { name: 'Approve withdrawal' }).click()
  await expectToast(page, 'Withdrawal approved')
  await expect(rowOf(page, 'Withdrawals', invoiceId)).toContainText('Approved')
  await hasRead('/withdrawal/get-all')

  const transaction = '9f0c1e5b'.repeat(8)
  const payer = await consoleOf(browser, { who: 'second administrator' })
  const pay = await openAct(payer, 'Withdrawals', 'Mark paid', invoiceId)
  await expectAccessible(payer, 'mark paid')
  await pay.getByRole('button', { name: 'Mark as paid' }).click()
  await expect(pay.getByText('Enter the id of the transaction that paid it')).toBeVisible()
  await pay.getByLabel('Transaction id').fill('9f0c1e5b7a')
  await pay.getByRole('button', { name: 'Mark as paid' }).click()
  await expect(pay.getByLabel('Transaction id')).toHaveAccessibleDescription(
    /This is not a valid Bitcoin \(BTC\) transaction id\. It has 64 characters, 0 to 9 and a to f\.$/,
  )
  await pay.getByLabel('Transaction id').fill(transaction.toUpperCase())
  await pay.getByLabel('Reason (optional)').fill('Paid from the reserve wallet')
  await pay.getByRole('button', { name: 'Mark as paid' }).click()
  await expectToast(payer, 'Withdrawal marked as paid')
  await expect(rowOf(payer, 'Withdrawals', invoiceId)).toContainText('Paid')
  await expect(rowOf(payer, 'Withdrawals', invoiceId).getByRole('button')).toHaveCount(0)
  const [withdrawal] = await read<{ transactionId: string }[]>('/withdrawal/get-all-user')
  expect(withdrawal?.transactionId).toBe(transaction)
  await rowOf(page, 'Withdrawals', invoiceId).getByRole('link', { name: invoiceId }).click()
  await expect(region(page, 'History')).toContainText('The address was confirmed by telephone')
  await expect(region(page, 'History')).toContainText('Paid from the reserve wallet')
})

test('[N-03, N-12] a large withdrawal shows 1 of 2 approvals and needs a second admin', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 20_000)
  const { invoiceId } = await ask('/withdrawal/new', {
    amount: 10_000.01,
    wallet: 'Bitcoin (BTC)',
    walletAddress: payoutAddress,
  })
  const first = await consoleOf(browser)
  const dialog = await openAct(first, 'Withdrawals', 'Approve', invoiceId)
  await expect(dialog).toContainText(
    'Above $10,000, two people must approve a withdrawal. After you, another person',
  )
  await dialog.getByRole('button', { name: 'Approve withdrawal' }).click()
  await expectToast(first, 'First approval recorded')
  await expect(rowOf(first, 'Withdrawals', invoiceId)).toContainText('1 of 2 approvals')
  await expect(rowOf(first, 'Withdrawals', invoiceId)).toContainText('Pending')

  const again = await openAct(first, 'Withdrawals', 'Approve', invoiceId)
  await again.getByRole('button', { name: 'Approve withdrawal' }).click()
  await expectToast(first, /Another person with the role Admin or Finance must approve it too/, 'error')
  await expect(again).toBeVisible()
  await first.keyboard.press('Escape')

  const second = await consoleOf(browser, { who: 'second administrator' })
  const last = await openAct(second, 'Withdrawals', 'Approve', invoiceId)
  await expect(last).toContainText('1 of 2 approvals')
  await last.getByRole('button', { name: 'Approve withdrawal' }).click()
  await expectToast(second, 'Withdrawal approved')
  await expect(rowOf(second, 'Withdrawals', invoiceId)).toContainText('Approved')
})

test('[N-04, N-08, N-10, S-01] an investment is approved and closed; lists and its own page are updated', async ({
  browser,
  request,
}) => {
  const { person, ask, decide, read } = await investorWith(request, 2000)
  const investment = await ask('/investment/new', { method: 'balance', plan: 'Beginner', amount: 750 })
  const { invoiceId } = investment
  const page = await consoleOf(browser)
  const hasRead = listCalls(page)
  const approve = await openAct(page, 'Investments', 'Approve', invoiceId)
  await expect(approve).toContainText('From hold into the plan')
  await expect(approve).toContainText('$750.00')
  await approve.getByRole('button', { name: 'Approve investment' }).click()
  await expectToast(page, 'Investment approved')
  await expect(rowOf(page, 'Investments', invoiceId)).toContainText('Running')
  await hasRead('/investment/get-all', '/earning/get-all')

  await decide('/return/new', {
    amount: 10,
    source: 'Coupon of a note',
    realisedAt: daysAgo(21),
    evidence: 'TX-2026-0001',
  })
  await payEarning(request, (await read<{ _id: string }>('/auth/me'))._id, { amount: 7.25 })
  await rowOf(page, 'Investments', invoiceId)
    .getByRole('link', { name: `Beginner, ${invoiceId}` })
    .click()
  await page.waitForURL(`**/admin/investment?id=${investment._id}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Beginner, ${invoiceId}`)
  await expect(region(page, 'Investor')).toContainText(person.email)
  await expect(region(page, 'Payment')).toContainText('Available balance')
  await expect(region(page, 'Earnings')).toContainText('$7.25')
  const postings = region(page, 'Postings')
  await expect(postings).toContainText('Held for an investment')
  await expect(postings).toContainText(`On hold, ${person.name}`)
  await expect(postings).toContainText(`In plans, ${person.name}`)
  await expect(postings.getByRole('row').filter({ hasText: 'Recorded returns' })).toContainText('$7.25')
  await expect(region(page, 'History')).toContainText(`Investment requested by ${person.name}`)
  await expect(region(page, 'History')).toContainText('Investment approved by')

  // What was said of the approval would lie over the corner of the dialog.
  await expect(page.locator('[data-toast]')).toHaveCount(0)
  await page.getByRole('button', { name: `Close ${invoiceId}` }).click()
  const close = page.getByRole('dialog')
  await expect(close).toContainText('ends it early')
  await expectAccessible(page, 'close investment')
  await close.getByRole('button', { name: 'Close investment' }).click()
  await expectToast(page, 'Enter a reason. The investor will see it', 'error')
  await expect(close.getByLabel('Reason')).toBeFocused()
  await close.getByLabel('Reason').fill('Its fund was wound up')
  await close.getByRole('button', { name: 'Close investment' }).click()
  await expectToast(page, 'Investment closed')
  await expect(region(page, 'Terms')).toContainText('Its fund was wound up')
  await expect(page.getByText('Inactive', { exact: true })).toBeVisible()
  await expect(region(page, 'History')).toContainText('Investment closed')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 2007.25, invested: 0 })
  const [closed] = await read<{ closeReason: string }[]>('/investment/get-all-user')
  expect(closed?.closeReason).toBe('Its fund was wound up')
})

test("[N-04, N-06] an investment's payment is approved and the investment declined with a reason", async ({
  browser,
  request,
}) => {
  const { ask, read } = await investorWith(request, 0)
  const investment = await ask('/investment/new', { method: 'usdt', plan: 'Basic', amount: 300 })
  const [deposit] = await read<Invoice[]>('/deposit/get-all-user')
  const page = await consoleOf(browser)
  const approve = await openAct(page, 'Deposits', 'Approve', deposit!.invoiceId)
  await expect(approve).toContainText('Kept for the investment')
  await approve.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')

  const decline = await openAct(page, 'Investments', 'Decline', investment.invoiceId)
  await decline.getByLabel('Reason').fill('This plan is full')
  await decline.getByRole('button', { name: 'Decline investment' }).click()
  await expectToast(page, 'Investment declined')
  await expect(rowOf(page, 'Investments', investment.invoiceId)).toContainText('Declined')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 300, held: 0 })
})
