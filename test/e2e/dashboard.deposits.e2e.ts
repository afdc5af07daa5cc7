import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import {
  asAdmin,
  dashboardOf,
  expectSound,
  type Investor,
  newInvestor,
  textOf,
  widths,
} from './support/investor.ts'
import { callApi, desktop, expectCopied, expectToast } from './support/people.ts'

const path = '/dashboard/deposit'
const entry = (page: Page, name: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')

test('[D-14, D-15, K-02] three methods to fund by, and words where there is no deposit', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { path })
  await expect(page.getByRole('heading', { level: 1, name: 'Make deposit' })).toBeVisible()
  for (const name of ['Bitcoin', 'USDT TRC-20', 'Ethereum']) {
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
    await expect(card.locator('svg')).toBeVisible()
    await expect(card.getByRole('button')).toHaveText('Fund now')
  }
  await expect(page.getByRole('heading', { name: 'All deposits' })).toBeVisible()
  await expect(page.getByText('You have not made any deposits yet.')).toBeVisible()
  await expectSound(page, widths)
})

test('[D-16, D-17, K-04] the two steps of the dialog, by keyboard alone', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { path })
  const opener = page.getByRole('button', { name: 'Fund now by Bitcoin' })
  await opener.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Payment by Bitcoin' })
  await expect(dialog).toContainText('Deposit limit $100 - unlimited')
  await expect(dialog).toContainText('Charge: 0 USD')
  await expect(dialog.getByLabel('Amount (USD)')).toBeFocused()
  await expectSound(page, widths)

  await page.keyboard.type('99.99')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Minimum deposit is $100', 'error')
  await expect(dialog.getByLabel('Amount (USD)')).toBeFocused()
  await expect(dialog.getByLabel('Amount (USD)')).toHaveAccessibleDescription('Minimum deposit is $100')

  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('1,000.50')
  await page.keyboard.press('Enter')
  await expect(entry(page, 'Amount')).toHaveText('$1,000.50')
  await expect(entry(page, 'Charge')).toHaveText('$0')
  await expect(entry(page, 'Payable')).toHaveText('$1,000.50')
  await expect(entry(page, 'Conversion rate')).toHaveText(/^1 BTC = \$[\d,]+\.\d{2,}$/)
  await expect(entry(page, 'Amount in BTC')).toHaveText(
    /^≈ \d+\.\d{3} BTCThe exact amount is on the next page$/,
  )
  await expectSound(page, widths)

  // The first one warns, because an amount was typed.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(opener).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Amount (USD)')).toHaveValue('')
  await expect(dialog.getByLabel('Amount (USD)')).toBeFocused()
  await page.keyboard.type('1,000.50')
  await page.keyboard.press('Enter')
  const pay = dialog.getByRole('link', { name: 'Pay now' })
  await pay.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/dashboard\/confirm-deposit\?method=bitcoin&amount=1000\.5$/)
})

test('[D-20, D-22] the code for USDT on TRON holds the address alone, which the page says', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const address = '/dashboard/confirm-deposit?method=usdt&amount=500'
  const page = await dashboardOf(browser, request, iris, { path: address })
  await expect(page.getByRole('img', { name: 'QR code: the payment address' })).toBeVisible()
  await expect(
    page.getByText('The code holds the address alone. Enter the amount in your wallet.'),
  ).toBeVisible()
  await expect(page.getByRole('link', { name: 'Open in wallet' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Copy payment amount' }).click()
  await expectCopied(page, '500.00')
  await expectSound(page, widths)
})

const lowerRate =
  /confirms more than 60 minutes after .* this rate or the rate of its confirmation, whichever is lower/

test('[D-18, D-19, D-20, D-21, D-22] a deposit by bitcoin is confirmed at the figures that were shown', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const address = '/dashboard/confirm-deposit?method=bitcoin&amount=500'
  const page = await dashboardOf(browser, request, iris, { path: address })
  await expect(page.getByRole('heading', { level: 1, name: 'Make new investment' })).toBeVisible()
  await expect(page.getByText('Confirm your deposit of $500.00.')).toBeVisible()
  const rate = await textOf(entry(page, 'Current rate'))
  const amount = await textOf(entry(page, 'Amount to pay'))
  const perCoin = Number(/^1 BTC = \$([\d,.]+)$/.exec(rate)?.[1]?.replaceAll(',', ''))
  expect(amount).toBe(`${(500 / perCoin).toFixed(7)} BTC`)
  await expect(entry(page, 'In US dollars')).toHaveText('$500.00')
  await expect(page.getByRole('img', { name: `QR code: pay ${amount}` })).toBeVisible()
  await expect(
    page.getByText('Payments should be made within 15 minutes to avoid crypto value changes'),
  ).toBeVisible()
  await expect(page.getByRole('timer')).toHaveText(/^1[45]:\d\d$/)
  const first = await page.getByText('Confirm first, then pay').boundingBox()
  const code = await page.getByRole('img', { name: /^QR code/ }).boundingBox()
  expect(first!.y + first!.height).toBeLessThan(code!.y)
  await expectSound(page, widths)

  await expect(page.getByText('confirming does not restart them')).toBeVisible()
  await expect(page.getByText(lowerRate)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Open in wallet' })).toHaveCount(0)
  const shown = await page.getByText(/^bcrt1\w+$/).textContent()
  await page.getByRole('button', { name: 'Copy payment amount' }).click()
  await expectCopied(page, amount.replace(' BTC', ''))
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expectToast(page, 'Deposit plan created, your deposit is currently being processed')
  await expect(page).toHaveURL(/\/dashboard\/home$/)
  const payment = page.getByRole('region', { name: 'Your payment' })
  await expect(payment.getByRole('heading', { level: 3 })).toHaveText(`$500.00 as ${amount}`)
  await expect(payment.getByRole('heading', { level: 3 })).toBeFocused()
  await expect(payment.getByText(shown!, { exact: true })).toBeVisible()
  await expect(payment.getByRole('img', { name: `QR code: pay ${amount}` })).toBeVisible()
  await expect(payment.getByRole('link', { name: 'Open in wallet' })).toHaveAttribute(
    'href',
    new RegExp(`^bitcoin:${shown}\\?amount=${amount.replace(' BTC', '')}0&`),
  )

  const [made] = await callApi<{ payment: { rate: string } }[]>(request, 'GET', '/deposit/get-all-user', {
    token: iris.token,
  })
  expect(`1 BTC = $${made?.payment.rate}`).toBe(rate)
})

test('[D-17, D-20] usdt is taken one to one, at a rate of 1 USDT in the dialog and 0.99 on confirm', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop, path })
  await page.getByRole('button', { name: 'Fund now by USDT TRC-20' }).click()
  await expect(page.getByRole('dialog')).toHaveAccessibleName('Payment by USDT TRC-20')
  await page.getByLabel('Amount (USD)').fill('250')
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(entry(page, 'Conversion rate')).toHaveText('1 USDT')
  await expect(entry(page, 'Amount in USDT')).toHaveText('250.000 USDT')
  await page.getByRole('link', { name: 'Pay now' }).click()
  await expect(page).toHaveURL(/\/dashboard\/confirm-deposit\?method=usdt&amount=250$/)
  await expect(entry(page, 'Current rate')).toHaveText('1 USDT = $0.99')
  await expect(entry(page, 'Amount to pay')).toHaveText('250.00 USDT')
  await expect(page.getByText(lowerRate)).toHaveCount(0)
  await expect(
    page.getByText('You pay 1 USDT for each dollar, and we credit $1.00 for each USDT.'),
  ).toBeVisible()
})

test('[D-17, D-18, D-20] ethereum shows no rate, and asks for a real amount', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop, path })
  await page.getByRole('button', { name: 'Fund now by Ethereum' }).click()
  await page.getByLabel('Amount (USD)').fill('100')
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page.getByRole('link', { name: 'Pay now' })).toBeVisible()
  await expect(page.getByRole('dialog')).not.toContainText('ETH')
  await expect(page.getByRole('dialog')).not.toContainText('rate')
  await page.getByRole('link', { name: 'Pay now' }).click()
  await expect(entry(page, 'Amount to pay')).toHaveText(/^0\.0\d{6} ETH$/)
  await expect(entry(page, 'Current rate')).toHaveCount(0)
})

test('[D-18, D-21] confirming again says that a payment is open, and what became of it', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const address = '/dashboard/confirm-deposit?method=usdt&amount=300'
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: address })
  await expect(page.getByText('Confirm first, then pay')).toBeVisible()
  const words = page.getByText('You already have a payment by this method')
  await expect(words).toHaveCount(0)
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await page.waitForURL('**/dashboard/home')
  await page.goto(address)
  await expect(words).toBeVisible()
  const open = page.getByRole('status').filter({ has: words })
  await expect(open.getByRole('listitem')).toContainText('$300.00')
  await expectSound(page, widths)
  const [deposit] = await callApi<{ _id: string; invoiceId: string }[]>(
    request,
    'GET',
    '/deposit/get-all-user',
    { token: iris.token },
  )
  await asAdmin(request, `/deposit/approve/${deposit!._id}`)
  await expect(open.locator('[data-tone=good]')).toHaveText('Paid')
  await open.getByRole('link', { name: deposit!.invoiceId }).click()
  await expect(page.getByRole('dialog')).toContainText(deposit!.invoiceId)
})

test("[D-19] 'Copied' stays for 4 seconds", async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), {
    viewport: desktop,
    path: '/dashboard/confirm-deposit?method=bitcoin&amount=500',
  })
  const button = page.getByRole('button', { name: 'Copy payment address' })
  await expect(button).toBeVisible()
  await page.clock.install()
  // Later than the page's clock, however long the way there takes.
  await page.clock.pauseAt(Date.now() + 60_000)
  await button.click()
  const copied = page.getByRole('button', { name: 'Copied', exact: true })
  await expect(copied).toBeVisible()
  await page.clock.runFor(3900)
  await expect(copied).toBeVisible()
  await page.clock.runFor(200)
  await expect(copied).toHaveCount(0)
  await expect(button).toBeVisible()
})

test('[D-22] the countdown runs for 15 minutes; then a new quote takes the place of the old', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  await page.clock.install()
  await page.goto('/dashboard/confirm-deposit?method=bitcoin&amount=500')
  await expect(page.getByRole('timer')).toHaveText(/^1[45]:\d\d$/)
  await page.clock.fastForward('10:00')
  await expect(page.getByRole('timer')).toHaveText(/^[45]:\d\d$/)
  const again = page.waitForRequest(/\/api\/deposit\/quote/)
  await page.clock.fastForward('05:00')
  await again
  await expect(page.getByText('so we set a new rate and amount')).toBeVisible()
})

test('[D-15, S-02] the list tells amount, date and status; what is pending can still be paid', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const ask = (amount: number) =>
    callApi<{ _id: string; invoiceId: string }>(request, 'POST', '/deposit/new', {
      token: iris.token,
      body: { method: 'usdt', amount },
    })
  const paid = await ask(100)
  const declined = await ask(200)
  const pending = await ask(300)
  await asAdmin(request, `/deposit/approve/${paid._id}`)
  await asAdmin(request, `/deposit/decline/${declined._id}`, {
    reason: 'Sent from an account in another name',
  })
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path })
  const row = (deposit: { invoiceId: string }) => page.getByRole('row').filter({ hasText: deposit.invoiceId })
  await expect(row(paid)).toContainText('$100.00')
  await expect(row(paid).locator('time')).toBeVisible()
  await expect(row(paid).locator('[data-tone=good]')).toHaveText('Paid')
  await expect(row(declined).locator('[data-tone=wait]')).toHaveText('Declined')
  await expect(row(declined)).toContainText('Sent from an account in another name')
  await expect(row(pending).locator('[data-tone=wait]')).toHaveText('Pending')
  await row(pending)
    .getByRole('link', { name: /^Pay now/ })
    .click()
  await expect(page.getByRole('dialog')).toContainText('Waiting for your payment. Send 300 USDT by ')
  await expectSound(page)
})

test('a double press confirms once', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, {
    viewport: desktop,
    path: '/dashboard/confirm-deposit?method=usdt&amount=500',
  })
  await page.getByRole('button', { name: 'Confirm payment' }).dblclick()
  await expect(page).toHaveURL(/\/dashboard\/home$/)
  const made = await callApi<unknown[]>(request, 'GET', '/deposit/get-all-user', { token: iris.token })
  expect(made).toHaveLength(1)
})

const confirmPath = '/dashboard/confirm-deposit?method=usdt&amount=500'
const deposits = (request: APIRequestContext, { token }: Investor) =>
  callApi<{ invoiceId: string }[]>(request, 'GET', '/deposit/get-all-user', { token })

test('[D-21, B-06] Back from a confirmed deposit returns to its start; an equal new one is separate', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path })
  for (const times of [1, 2]) {
    await page.getByRole('button', { name: 'Fund now by USDT TRC-20' }).click()
    await page.getByLabel('Amount (USD)').fill('500')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('link', { name: 'Pay now' }).click()
    await page.getByRole('button', { name: 'Confirm payment' }).click()
    await expect(page).toHaveURL(/\/dashboard\/home$/)
    expect(await deposits(request, iris)).toHaveLength(times)
    await page.goBack()
    await expect(page).toHaveURL(/\/dashboard\/deposit$/)
  }
})

test('[D-21, B-06] leaving during confirmation keeps the new page; the request is found on return', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path })
  await page.getByRole('button', { name: 'Fund now by USDT TRC-20' }).click()
  await page.getByLabel('Amount (USD)').fill('500')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('link', { name: 'Pay now' }).click()
  const gone = Promise.withResolvers<void>()
  await page.route('**/api/deposit/new', async route => {
    const response = await route.fetch()
    await gone.promise
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await page.goBack()
  await expect(page).toHaveURL(/\/dashboard\/deposit$/)
  gone.resolve()
  await expectToast(page, 'Deposit plan created, your deposit is currently being processed')
  await page.goForward()
  await expect(page).toHaveURL(/confirm-deposit/)
  const [made] = await deposits(request, iris)
  await expect(page.getByText('You have already sent this request')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Confirm payment' })).toHaveCount(0)
  await page.getByRole('link', { name: `${made?.invoiceId} under Manage deposits` }).click()
  await expect(page.getByRole('row').filter({ hasText: made!.invoiceId })).toBeVisible()
})

test('[B-06] a lost answer and a reload with new figures make no second request', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: confirmPath })
  await page.route('**/api/deposit/new', async route => {
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expectToast(page, 'We cannot reach the server. Check your connection and try again', 'error')
  await page.unroute('**/api/deposit/new')
  await page.reload()
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expectToast(page, 'You have already sent this request', 'error')
  await expect(page.getByRole('main').getByText('You have already sent this request')).toBeInViewport()
  await expectSound(page)
  expect(await deposits(request, iris)).toHaveLength(1)
  await page.getByRole('main').getByRole('link', { name: 'Manage deposits' }).click()
  await expect(page.getByRole('row')).toHaveCount(2)
})

test('[B-06] a refusal makes nothing: with a new quote the same visit may confirm', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: confirmPath })
  const sent: (string | undefined)[] = []
  await page.route('**/api/deposit/new', async route => {
    sent.push(route.request().headers()['idempotency-key'])
    if (sent.length > 1) return route.continue()
    const json = {
      status: 'error',
      message: 'This quote has expired. Ask for a new one.',
      code: 'quote_expired',
    }
    await route.fulfill({ status: 409, json })
  })
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expectToast(page, 'This quote has expired. Ask for a new one.', 'error')
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expect(page).toHaveURL(/\/dashboard\/home$/)
  expect(new Set(sent).size).toBe(2)
})

test('a paused method says so at once and leads to the others', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop })
  const message = 'New payments by Bitcoin are paused while our team checks something.'
  let reads = 0
  await page.route('**/api/deposit/quote*', route => {
    reads += 1
    return route.fulfill({ status: 503, json: { status: 'error', message, code: 'method_paused' } })
  })
  await page.goto('/dashboard/confirm-deposit?method=bitcoin&amount=500')
  await expect(page.getByRole('main').getByText(message)).toBeVisible()
  await expect(page.getByText('Oops! Something went wrong')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Confirm payment' })).toHaveCount(0)
  await expectSound(page, widths)
  await page.getByRole('link', { name: 'Choose another method' }).click()
  await expect(page).toHaveURL(/\/dashboard\/deposit$/)
  expect(reads).toBe(1)
})

test('an address that asks for nothing sensible says so and leads on', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), {
    viewport: desktop,
    path: '/dashboard/confirm-deposit?method=bitcoin&amount=5',
  })
  await expect(page.getByText('Minimum deposit is $100.')).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Make deposit' }).click()
  await expect(page).toHaveURL(/\/dashboard\/deposit$/)
})
