import { type APIRequestContext, expect, type Locator, test } from '@playwright/test'
import { bulkStep } from '#shared/limits.ts'
import { expectAccessible } from './support/accessible.ts'
import { type Invoice, investorWith, payoutAddress, region, rowOf } from './support/console.ts'
import { widths } from './support/investor.ts'
import {
  browserOf,
  callApi,
  consoleOf,
  deafConsoleOf,
  expectToast,
  logIn,
  openAccount,
  sample,
  stranger,
  tokenOf,
} from './support/people.ts'
import { rowsOf, savedBy } from './support/saved.ts'

/** Deposits of one new person that wait, of these amounts. */
async function waitingDeposits(request: APIRequestContext, amounts: readonly number[], name: string) {
  const person = stranger(name)
  const token = await openAccount(request, person)
  const deposits: Invoice[] = []
  for (const amount of amounts) {
    const body = { method: amount % 2 === 0 ? 'usdt' : 'bitcoin', amount }
    deposits.push(await callApi<Invoice>(request, 'POST', '/deposit/new', { token, body }))
  }
  return { person, token, deposits }
}

test('[N-02] a name from the right to the left reads so, for staff and for its owner', async ({
  browser,
  request,
}) => {
  const { person } = await investorWith(request, 0, 'سارة الأحمد')
  const staff = await consoleOf(browser)
  await region(staff, 'Users').getByRole('searchbox').fill(person.email)
  const link = rowOf(staff, 'Users', person.email).getByRole('link', { name: person.name })
  await expect(link).toHaveCSS('direction', 'rtl')
  const own = await browserOf(browser)
  await logIn(own, person)
  const name = own.getByRole('region', { name: 'Your account' }).getByText(person.name, { exact: true })
  await expect(name).toHaveCSS('direction', 'rtl')
})

test('[N-13] a link to a table shows it at the top, whatever loads above it later', async ({ browser }) => {
  const page = await consoleOf(browser)
  const top = () => page.locator('#deposits').evaluate(part => Math.round(part.getBoundingClientRect().top))
  const expectAtTop = async () => {
    await expect(region(page, 'Deposits').getByRole('row').nth(1)).toBeVisible()
    await expect(page.getByText(/^Loading/)).toHaveCount(0)
    // The page scrolls a frame after it has grown.
    await expect.poll(async () => Math.abs((await top()) - 75)).toBeLessThanOrEqual(75)
  }
  await page.goto('/admin/home#deposits')
  await expectAtTop()
  await page.reload()
  await expectAtTop()
})

test('[N-13] a page that has not grown for ten seconds scrolls no more', async ({ browser }) => {
  const page = await consoleOf(browser)
  await page.clock.install()
  await page.goto('/admin/home#deposits')
  await expect(region(page, 'Deposits').getByRole('row').nth(1)).toBeVisible()
  await expect(page.getByText(/^Loading/)).toHaveCount(0)
  // At the very top the browser holds no content in place itself.
  const growFromTop = () =>
    page.evaluate(async () => {
      scrollTo(0, 0)
      const more = document.createElement('div')
      more.style.height = '50px'
      document.querySelector('main')!.append(more)
      const observed = new Promise(resolve => new ResizeObserver(resolve).observe(more))
      await observed
      return scrollY
    })
  await expect.poll(growFromTop).toBeGreaterThan(0)
  await page.clock.fastForward(10_000)
  await expect.poll(growFromTop).toBe(0)
})

test('[N-13] a column sorts its table, the address keeps it, and the next page continues', async ({
  browser,
  request,
}) => {
  const amounts = [300, 100, 200, 200, 200, 200, 200, 200, 200, 200, 200, 150, 900]
  // One person alone may not have that many open deposits.
  const family = crypto.randomUUID().slice(0, 8)
  await waitingDeposits(request, amounts.slice(0, 7), `Sorted Sam ${family}`)
  await waitingDeposits(request, amounts.slice(7), `Sorted Sue ${family}`)
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  await section.getByRole('searchbox').fill(family)
  await expect(section.getByText('10 of 13')).toBeVisible()
  await section.getByRole('button', { name: 'Amount', exact: true }).click()
  const table = section.getByRole('table', { name: 'Deposits, Amount, largest first' })
  const shown = () =>
    table
      .getByRole('row')
      .evaluateAll(rows => rows.slice(1).map(row => Number(/\$([\d.]+)/.exec(row.textContent)?.[1])))
  await expect.poll(async () => (await shown())[0]).toBe(900)
  await expect(table.getByRole('columnheader', { name: 'Amount' })).toHaveAttribute('aria-sort', 'descending')
  await section.getByRole('button', { name: 'Load more' }).click()
  await expect(section.getByText('13 of 13')).toBeVisible()
  expect(await shown()).toEqual(amounts.toSorted((a, b) => b - a))

  await section.getByRole('button', { name: 'Amount', exact: true }).press('Enter')
  await expect(section.getByRole('table', { name: 'Deposits, Amount, smallest first' })).toBeVisible()
  await expect(page).toHaveURL(url => url.searchParams.get('deposits-sort') === 'amount')
  await page.reload()
  await expect(section.getByRole('row').nth(1)).toContainText('$100.00')
  await section.getByRole('button', { name: 'Amount', exact: true }).click()
  await expect(section.getByRole('table', { name: 'Deposits, newest first' })).toBeVisible()
  await expect(section.getByRole('row').nth(1)).toContainText('$900.00')
})

test('[N-13] a table is narrowed by amount, days and method, and shows all of it again', async ({
  browser,
  request,
}) => {
  const { person, deposits } = await waitingDeposits(request, [250, 251, 400, 1000], 'Narrow Nora')
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  await section.getByRole('searchbox').fill(person.email)
  await section.getByRole('button', { name: 'Filter and sort deposits' }).click()
  await section.getByLabel('Amount from').fill('much')
  await expect(section.getByLabel('Amount from')).toHaveAccessibleDescription(
    'Enter an amount in dollars, above 0',
  )
  await section.getByLabel('Amount from').fill('$251')
  await expect(section.getByLabel('Amount from')).toHaveAccessibleDescription('')
  await section.getByLabel('Amount to').fill('1,000.00')
  await expect(section.getByText('3 of 3')).toBeVisible()
  await section.getByRole('combobox', { name: 'Payment method' }).selectOption('USDT TRC-20')
  await expect(section.getByText('2 of 2')).toBeVisible()
  await section.getByLabel('Sort by').selectOption('Amount, smallest first')
  await expect(section.getByRole('row').nth(1)).toContainText(deposits[2]!.invoiceId)
  await expectAccessible(page, 'filters', widths)
  await section.getByLabel('Requested from').fill('2026-01-01')
  await section.getByLabel('Requested to').fill('2025-12-31')
  await expect(section.getByRole('alert')).toHaveText(/^The last day cannot be before the first/)
  await page.reload()
  await expect(section.getByText('2 of 2')).toBeVisible()
  await section.getByRole('button', { name: 'Filter and sort deposits: 3 set' }).click()
  await expect(section.getByLabel('Amount from')).toHaveValue('251.00')
  await section.getByRole('button', { name: 'Clear filters' }).click()
  await expect(section.getByText('4 of 4')).toBeVisible()
  await section.getByLabel('Amount from').fill('5000')
  await section.getByRole('button', { name: 'Show all deposits' }).click()
  await expect(section.getByRole('searchbox')).toHaveValue('')
  await expect(section.getByLabel('Amount from')).toHaveValue('')
  await expect(section.getByRole('row').nth(1)).toBeVisible()
})

test('[N-03, N-13] chosen columns are kept in the browser, and a press resets them', async ({ browser }) => {
  const specified = ['Amount', 'User', 'Status', 'Wallet', 'Wallet address', 'Action']
  const page = await consoleOf(browser)
  const section = region(page, 'Withdrawals')
  const headers = section.getByRole('columnheader')
  await expect(headers).toHaveText(specified)
  await section.getByRole('button', { name: 'Columns of withdrawals' }).click()
  await section.getByRole('checkbox', { name: 'Transaction id' }).check()
  await section.getByRole('checkbox', { name: 'Wallet', exact: true }).uncheck()
  await expectAccessible(page, 'columns')
  const own = ['Amount', 'User', 'Status', 'Wallet address', 'Transaction id', 'Action']
  await expect(headers).toHaveText(own)
  await page.reload()
  await expect(headers).toHaveText(own)
  await expect(region(page, 'Deposits').getByRole('columnheader')).toHaveCount(5)
  await section.getByRole('button', { name: 'Columns of withdrawals' }).click()
  await section.getByRole('button', { name: 'Reset columns' }).click()
  await expect(headers).toHaveText(specified)
})

test('[N-13] what is filtered, and nothing else, is saved as CSV in the order on show', async ({
  browser,
  request,
}) => {
  const { person, deposits } = await waitingDeposits(request, [500, 700, 600], '=Formula Fred')
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  await section.getByRole('searchbox').fill(person.email)
  await expect(section.getByText('3 of 3')).toBeVisible()
  await section.getByRole('button', { name: 'Amount', exact: true }).click()
  const file = await savedBy(page, section.getByRole('button', { name: 'Export deposits as CSV' }))
  expect(file.name).toMatch(/^deposits-\d{4}-\d\d-\d\d\.csv$/)
  const [header, ...rows] = rowsOf(file.content)
  expect(header?.slice(0, 5)).toEqual(['Number', 'Requested', 'User', 'User id', 'Amount'])
  expect(rows.map(row => row[0])).toEqual([1, 2, 0].map(place => deposits[place]!.invoiceId))
  expect(rows[0]?.[2]).toBe(`'${person.name}`)
})

test('[N-06, N-08, B-06] deposits are approved together; a refused one says why and blocks none', async ({
  browser,
  request,
}) => {
  const { person, token, deposits } = await waitingDeposits(request, [110, 220, 330], 'Bulk Bella')
  const page = await deafConsoleOf(browser)
  const section = region(page, 'Deposits')
  await section.getByRole('searchbox').fill(person.email)
  await expect(section.getByText('3 of 3')).toBeVisible()
  const approve = section.getByRole('button', { name: /^Approve (selected|\d+ deposit)/ })
  await expect(approve).toBeDisabled()
  await section.getByRole('checkbox', { name: `Select ${deposits[0]!.invoiceId}` }).press('Space')
  await expect(approve).toHaveText('Approve 1 deposit')
  await section.getByRole('checkbox', { name: 'Select all pending (3)' }).check()
  await approve.click()
  const dialog = page.getByRole('dialog', { name: 'Approve 3 deposits?' })
  await expect(dialog.getByRole('listitem')).toHaveCount(3)
  await expect(dialog).toContainText('$660.00')
  await expectAccessible(page, 'approve several', widths)

  // Another admin has declined one of them meanwhile, and the list has not told this one yet.
  const admin = await tokenOf(request, sample('second administrator'))
  const path = `/deposit/decline/${deposits[1]!._id}`
  await callApi(request, 'POST', path, { token: admin, body: { reason: 'Nothing has arrived' } })
  const reason = 'Compared with the bank statement'
  await dialog.getByLabel('Reason (optional)').fill(reason)
  await dialog.getByRole('button', { name: 'Approve 3 deposits' }).click()
  await expectToast(page, '2 deposits approved, 1 refused')
  const over = page.getByRole('dialog', { name: '2 deposits approved, 1 refused' })
  const line = over.getByRole('listitem').filter({ hasText: deposits[1]!.invoiceId })
  await expect(line).toContainText('Refused')
  await expect(line).toContainText('declined')
  await expect(over.getByText('Done', { exact: true })).toHaveCount(2)
  await expectAccessible(page, 'several approved', widths)
  await over.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(section.getByRole('row').filter({ hasText: 'Paid' })).toHaveCount(2)
  await expect(section.getByRole('checkbox')).toHaveCount(0)
  const { balance } = await callApi<{ balance: number }>(request, 'GET', '/auth/me', { token })
  expect(balance).toBe(440)
  const one = `/deposit/get-one/${deposits[0]!._id}`
  const { history } = await callApi<{ history: { reason: string }[] }>(request, 'GET', one, { token })
  expect(history.at(-1)?.reason).toBe(reason)
})

test('[N-06, N-13] deposits are declined together, with a reason that each investor reads', async ({
  browser,
  request,
}) => {
  const { person, token } = await waitingDeposits(request, [110, 220], 'Declined Dora')
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  await section.getByRole('searchbox').fill(person.email)
  await expect(section.getByText('2 of 2')).toBeVisible()
  await section.getByRole('checkbox', { name: 'Select all pending (2)' }).check()
  await section.getByRole('button', { name: 'Decline 2 deposits' }).click()
  const dialog = page.getByRole('dialog', { name: 'Decline 2 deposits?' })
  await expect(dialog).toContainText('Decline only those whose payment has not arrived.')
  const decline = dialog.getByRole('button', { name: 'Decline 2 deposits' })
  await decline.click()
  await expectToast(page, 'Enter a reason. The investor will see it', 'error')
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await dialog.getByLabel('Reason').fill('Nothing has arrived')
  await expectAccessible(page, 'decline several', widths)
  await decline.click()
  await expectToast(page, '2 deposits declined')
  const own = await callApi(request, 'GET', '/deposit/get-all-user', { token })
  const declined = { status: 'declined', declineReason: 'Nothing has arrived' }
  expect(own).toMatchObject([declined, declined])
})

test('[N-06, N-13] several are approved by keyboard alone, and the focus never gets lost', async ({
  browser,
  request,
}) => {
  const { person, token } = await waitingDeposits(request, [110, 220], 'Keyboard Kim')
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  const tabTo = async (stop: Locator) => {
    await expect(async () => {
      await page.keyboard.press('Tab')
      await expect(stop).toBeFocused({ timeout: 250 })
    }).toPass()
  }
  await section.getByRole('searchbox').focus()
  await page.keyboard.type(person.email)
  await expect(section.getByText('2 of 2')).toBeVisible()
  await tabTo(section.getByRole('checkbox', { name: 'Select all pending (2)' }))
  await page.keyboard.press('Space')
  await tabTo(section.getByRole('button', { name: 'Approve 2 deposits' }))
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('$330.00')
  await tabTo(dialog.getByRole('button', { name: 'Approve 2 deposits' }))
  await page.keyboard.press('Enter')
  await expectToast(page, '2 deposits approved')
  await expect(dialog.getByText('Done', { exact: true })).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(section.locator('[data-focus-home]')).toBeFocused()
  expect(await callApi(request, 'GET', '/auth/me', { token })).toMatchObject({ balance: 330 })
})

test('[B-06] a row whose answer was lost is approved once, however often it is tried again', async ({
  browser,
  request,
}) => {
  const { ask, read, person } = await investorWith(request, 1000, 'Lost Lars')
  const withdrawal = await ask('/withdrawal/new', {
    amount: 150,
    wallet: 'Bitcoin (BTC)',
    walletAddress: payoutAddress,
  })
  const page = await consoleOf(browser)
  const keys: string[] = []
  await page.route('**/api/withdrawal/approve-many', async route => {
    keys.push(route.request().headers()['idempotency-key'] ?? '')
    if (keys.length > 1) return route.continue()
    await route.fetch()
    await route.abort()
  })
  const section = region(page, 'Withdrawals')
  await section.getByRole('searchbox').fill(person.email)
  await section.getByRole('checkbox', { name: `Select ${withdrawal.invoiceId}` }).check()
  await section.getByRole('button', { name: 'Approve 1 withdrawal' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('listitem')).toContainText(`Bitcoin (BTC): ${payoutAddress}`)
  await expectAccessible(page, 'approve several withdrawals')
  await dialog.getByRole('button', { name: 'Approve 1 withdrawal' }).click()
  await expect(dialog.getByText('No answer', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Retry those without an answer' }).click()
  await expectToast(page, 'Withdrawal approved')
  await expect(dialog.getByText('Done', { exact: true })).toBeVisible()
  expect(new Set(keys).size).toBe(1)
  expect(keys.length).toBeGreaterThan(1)
  const [mine] = await read<{ approvals: number; status: string }[]>('/withdrawal/get-all-user')
  expect(mine).toMatchObject({ approvals: 1, status: 'approved' })
})

test('[N-13] all that match are approved in steps, which can be stopped and continued', async ({
  browser,
  request,
}) => {
  const { ask, person } = await investorWith(request, 1000, 'Many Mona')
  const body = { amount: 1, wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress }
  for (let n = 0; n < bulkStep + 5; n += 1) await ask('/withdrawal/new', body)
  const page = await consoleOf(browser)
  const steps: (() => Promise<void>)[] = []
  await page.route('**/api/withdrawal/approve-many', route => void steps.push(() => route.continue()))
  const section = region(page, 'Withdrawals')
  await section.getByRole('searchbox').fill(person.email)
  await expect(section.getByText(`of ${bulkStep + 5}`)).toBeVisible()
  await section.getByRole('button', { name: 'Mark all that match as paid' }).click()
  await expectToast(page, 'No matching withdrawals can be marked as paid', 'error')
  await section.getByRole('button', { name: 'Approve all that match' }).click()
  const dialog = page.getByRole('dialog', { name: `Approve ${bulkStep + 5} withdrawals?` })
  await expect(dialog).toContainText(`$${bulkStep + 5}.00`)
  await dialog.getByRole('button', { name: `Approve ${bulkStep + 5} withdrawals` }).click()
  await expect(dialog.getByRole('progressbar')).toHaveAccessibleName(`0 of ${bulkStep + 5} processed`)
  await expectAccessible(page, 'approving all that match', widths)
  await dialog.getByRole('button', { name: 'Stop' }).click()
  await expect.poll(() => steps.length).toBe(1)
  await steps[0]!()
  await expectToast(page, `${bulkStep} withdrawals approved, 5 not sent`)
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await expect.poll(() => steps.length).toBe(2)
  await steps[1]!()
  await expectToast(page, `${bulkStep + 5} withdrawals approved`)
})

test('[N-03, N-13] several are marked as paid together, each with its transaction', async ({
  browser,
  request,
}) => {
  const { ask, decide, read, person } = await investorWith(request, 1000, 'Paid Petra')
  const body = { amount: 150, wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress }
  const withdrawals = [await ask('/withdrawal/new', body), await ask('/withdrawal/new', body)]
  for (const { _id } of withdrawals) await decide(`/withdrawal/approve/${_id}`)
  const [first, second] = withdrawals.map(({ invoiceId }) => invoiceId)
  const page = await browserOf(browser)
  await logIn(page, sample('second administrator'))
  const section = region(page, 'Withdrawals')
  await section.getByRole('searchbox').fill(person.email)
  await section.getByRole('checkbox', { name: 'Select all approved (2)' }).check()
  await section.getByRole('button', { name: 'Mark 2 withdrawals as paid' }).click()
  const dialog = page.getByRole('dialog', { name: 'Mark 2 withdrawals as paid?' })
  const ids = dialog.getByLabel('Transaction ids')
  await expect(ids).toHaveValue(new RegExp(`${first} $`, 'm'))
  await expectAccessible(page, 'mark several as paid', widths)
  const pay = dialog.getByRole('button', { name: 'Mark 2 withdrawals as paid' })
  await ids.fill(`${first} ${'a'.repeat(64)}\n${second} 12`)
  await pay.click()
  await expectToast(page, new RegExp(`^${second}: This is not a valid Bitcoin`), 'error')
  await expect(ids).toBeFocused()
  await expectAccessible(page, 'a wrong transaction id of several')
  await ids.fill(`${second}\t${'b'.repeat(64)}\n${first}\t${'a'.repeat(64)}`)
  await pay.click()
  await expectToast(page, '2 withdrawals marked as paid')
  const own = await read<{ invoiceId: string; transactionId: string }[]>('/withdrawal/get-all-user')
  expect(Object.fromEntries(own.map(one => [one.invoiceId, one.transactionId]))).toEqual({
    [first!]: 'a'.repeat(64),
    [second!]: 'b'.repeat(64),
  })
})

test('[R-07, N-13] who may not decide chooses no rows, and filters, sorts and exports all the same', async ({
  browser,
  request,
}) => {
  const { person } = await waitingDeposits(request, [120], 'Quiet Quentin')
  const page = await browserOf(browser)
  await logIn(page, sample('auditor'))
  const section = region(page, 'Deposits')
  await section.getByRole('searchbox').fill(person.email)
  await expect(section.getByText('1 of 1')).toBeVisible()
  await expect(section.getByRole('checkbox')).toHaveCount(0)
  const { name } = await savedBy(page, section.getByRole('button', { name: 'Export deposits as CSV' }))
  expect(name).toMatch(/^deposits-/)
})
