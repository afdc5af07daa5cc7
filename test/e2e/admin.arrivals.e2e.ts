import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { type Invoice, investorWith, openAct, region, rowOf } from './support/console.ts'
import { widths } from './support/investor.ts'
import { browserOf, consoleOf, expectToast, signIn } from './support/people.ts'

test('[N-06, D-15, D5] an underpaid deposit is credited as received, as the investor reads', async ({
  browser,
  request,
}) => {
  const { person, ask, read } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 500 })
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  await expect(dialog.getByLabel('Amount received, in USDT')).toHaveValue('500')
  await expect(dialog).toContainText('None: as requested')
  await dialog.getByLabel('Amount received, in USDT').fill('480.5')
  await dialog.getByLabel('Transaction id').fill('5a'.repeat(16) + crypto.randomUUID().replaceAll('-', ''))
  await expect(dialog).toContainText('Underpaid')
  await expect(dialog).toContainText('$480.50')
  await expectAccessible(page, 'what arrived', widths)
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')
  await expect(rowOf(page, 'Deposits', invoiceId)).toContainText('Underpaid: $480.50 credited')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 480.5 })

  await page.getByRole('link', { name: 'Review: payments to review' }).click()
  const look = await openAct(page, 'Deposits', 'Mark reviewed', invoiceId)
  await expect(look).toContainText('Underpaid: received 480.5 USDT instead of 500 USDT')
  await look.getByRole('button', { name: 'Mark reviewed' }).click()
  await expectToast(page, 'Marked as reviewed')
  await expect(rowOf(page, 'Deposits', invoiceId)).toHaveCount(0)

  const own = await browserOf(browser)
  await signIn(request, own, person)
  const [deposit] = await read<Invoice[]>('/deposit/get-all-user')
  await own.goto(`/dashboard/deposit?deposit=${deposit!._id}`)
  const record = own.getByRole('dialog')
  const label =
    'Underpaid: received 480.5 USDT instead of 500 USDT, so we credited $480.50 instead of $500.00. Added to the balance.'
  await expect(record).toContainText(label)
  await expect(record).toContainText('Credited')
  await expectAccessible(own, 'an underpaid deposit', widths)
})

test('[N-06, D5] a payment for a declined deposit is credited once its arrival time is given', async ({
  browser,
  request,
}) => {
  const { ask, decide, read } = await investorWith(request, 0)
  const { _id, invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 300 })
  await decide(`/deposit/decline/${_id}`, { reason: 'Nothing has arrived' })
  const [{ createdAt }] = await read<[{ createdAt: string }]>('/deposit/get-all-user')
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  await expect(dialog).toContainText('It was declined. Approve it if the payment arrived after all')
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  const when = dialog.getByLabel('Arrival time (UTC)')
  await expect(when).toHaveAccessibleDescription(/Enter the date and time of its arrival/)
  await expect(dialog).toContainText(/The deadline was \d+ \w+ \d{4}, [\d:]{8} UTC\./)
  await expectAccessible(page, 'a payment after its deposit was declined')
  // The field knows whole seconds.
  const second = () => new Date().toISOString().slice(0, 19)
  await expect.poll(() => Date.parse(`${second()}Z`)).toBeGreaterThan(Date.parse(createdAt))
  await when.fill(second())
  await expect(dialog).toContainText('To the available balance')
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')
  await expect(rowOf(page, 'Deposits', invoiceId)).toContainText('Paid')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 300 })
})

test('[N-04, D6] an underpaid investment is declined and its deposit credited', async ({
  browser,
  request,
}) => {
  const { ask, read } = await investorWith(request, 0)
  const { invoiceId } = await ask('/investment/new', { method: 'usdt', plan: 'Basic', amount: 300 })
  const [deposit] = await read<Invoice[]>('/deposit/get-all-user')
  const page = await consoleOf(browser)
  const approve = await openAct(page, 'Investments', 'Approve', invoiceId)
  await approve.getByLabel('Amount received, in USDT').fill('299')
  await expect(approve).toContainText('This does not cover the investment of $300.00.')
  await expectAccessible(page, 'an investment that is not covered')
  await approve.getByRole('button', { name: 'Approve investment' }).click()
  const words = `Approve its deposit ${deposit!.invoiceId} instead: the money goes to the balance, and the investment is declined.`
  const refusal = `The payment is worth $299.00, less than the investment of $300.00. ${words}`
  await expectToast(page, refusal, 'error')
  await approve.getByRole('button', { name: 'Cancel' }).click()

  const settle = await openAct(page, 'Deposits', 'Approve', deposit!.invoiceId)
  await settle.getByLabel('Amount received, in USDT').fill('299')
  await expect(settle).toContainText('The investment is declined')
  await settle.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')
  await expect(rowOf(page, 'Investments', invoiceId)).toContainText('Declined')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 299, held: 0 })
  const [declined] = await read<{ declineReason: string }[]>('/investment/get-all-user')
  expect(declined?.declineReason).toBe(
    'The payment was underpaid: $299.00 of $300.00. The money is available on the balance.',
  )
})

test('[N-06, D5] an arrival in the future is refused in words; an overpayment is credited', async ({
  browser,
  request,
}) => {
  const { ask, read } = await investorWith(request, 0)
  const { invoiceId, _id } = await ask('/deposit/new', { method: 'bitcoin', amount: 500 })
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  // Nothing can be late within its window: what is said to have arrived in an hour is refused in words.
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16)
  await dialog.getByLabel('Arrival time (UTC)').fill(inAnHour)
  await expect(dialog).toContainText('The arrival time cannot be in the future')
  await dialog.getByLabel('Arrival time (UTC)').fill('')
  await dialog.getByLabel('Amount received, in BTC').fill('1')
  await expect(dialog).toContainText('Overpaid')
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')
  const [deposit] =
    await read<{ _id: string; deviation: string; received: string }[]>('/deposit/get-all-user')
  expect(deposit).toMatchObject({ _id, deviation: 'overpaid', received: '1.00000000' })
})

test('[N-06, D5] an incomplete arrival time is asked for, and nothing is approved', async ({
  browser,
  request,
}) => {
  const { ask, read } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 250 })
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  const arrivedAt = dialog.getByLabel('Arrival time (UTC)')
  await arrivedAt.focus()
  await page.keyboard.type('11')
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Complete this field', 'error')
  await expect(arrivedAt).toHaveAccessibleDescription(/Complete this field$/)
  await expect(arrivedAt).toBeFocused()
  await expectAccessible(page, 'half a moment')
  const [deposit] = await read<{ status: string }[]>('/deposit/get-all-user')
  expect(deposit?.status).toBe('pending')
})

test('[N-06, N-12] a deposit is not approved before it is known what it is credited with', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 500 })
  const page = await consoleOf(browser)
  const approvals: string[] = []
  page.on('request', sent => {
    if (sent.url().includes('/deposit/approve/')) approvals.push(sent.url())
  })
  const held = Promise.withResolvers<void>()
  await page.route('**/api/deposit/weigh/**', async route => {
    await held.promise
    await route.continue()
  })
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  const approve = dialog.getByRole('button', { name: 'Approve deposit' })
  await expect(dialog).toContainText('$500.00')
  await dialog.getByLabel('Amount received, in USDT').fill('480.5')
  // The figure of what was typed before is not shown for what is typed now.
  await expect(dialog).not.toContainText('$500.00')
  await expect(approve).toHaveAttribute('aria-busy', 'true')
  await expectAccessible(page, 'the payment is being valued')
  await approve.press('Enter')
  await dialog.getByLabel('Amount received, in USDT').press('Enter')
  expect(approvals).toEqual([])
  held.resolve()
  await expect(dialog).toContainText('$480.50')
  await approve.click()
  await expectToast(page, 'Deposit approved')
  expect(approvals).toHaveLength(1)
})

test('[N-06, D-23] the dialog says when the credit is unknown, and a press asks again', async ({
  browser,
  request,
}) => {
  const { ask, read } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 500 })
  const page = await consoleOf(browser)
  await page.route('**/api/deposit/weigh/**', route => route.abort())
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  await dialog.getByLabel('Amount received, in USDT').fill('480.5')
  const again = dialog.getByRole('button', { name: 'Try again' })
  // The page retries three times, with longer and longer pauses.
  await expect(again).toBeVisible({ timeout: 30_000 })
  await expect(dialog.getByRole('status')).toContainText('We cannot reach the server')
  await expectAccessible(page, 'what is credited is not known')
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'The credit is not known yet', 'error')
  const [deposit] = await read<{ status: string }[]>('/deposit/get-all-user')
  expect(deposit?.status).toBe('pending')
  await page.unroute('**/api/deposit/weigh/**')
  await again.click()
  await expect(dialog).toContainText('$480.50')
})

test("[N-04, N-12] the dialog waits for an investment's payment, and focus returns to the list", async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 0)
  const { invoiceId } = await ask('/investment/new', { method: 'usdt', plan: 'Basic', amount: 300 })
  const page = await consoleOf(browser)
  const held = Promise.withResolvers<void>()
  await page.route('**/api/investment/get-one/**', async route => {
    await held.promise
    await route.continue()
  })
  const dialog = await openAct(page, 'Investments', 'Approve', invoiceId)
  await expect(dialog.getByRole('status')).toContainText('Loading its payment')
  await expect(dialog.getByRole('button', { name: 'Approve investment' })).toHaveCount(0)
  await expectAccessible(page, 'an investment whose payment is being loaded')
  held.resolve()
  await expect(dialog.getByLabel('Amount received, in USDT')).toHaveValue('300')
  await dialog.getByRole('button', { name: 'Approve investment' }).click()
  await expectToast(page, 'Investment approved')
  await expect(dialog).toBeHidden()
  await expect(region(page, 'Investments').locator('[data-focus-home]')).toBeFocused()
})
