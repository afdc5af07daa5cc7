import { expect, type Page, test } from '@playwright/test'
import {
  asAdmin,
  dashboardOf,
  expectSound,
  figure,
  fund,
  invest,
  newInvestor,
  textOf,
  widths,
} from './support/investor.ts'
import { callApi, desktop, expectToast, phone } from './support/people.ts'

const path = '/dashboard/new-investment'
const choose = (page: Page, plan: string) => page.getByText(plan, { exact: true }).click()

const catalogue = [
  ['Beginner', '3%', '$500', '$1,999', '30 days', '$15.00'],
  ['Basic', '9%', '$100', '$999', '30 days', '$9.00'],
  ['Enthusiast', '10.5%', '$1,000', '$4,999', '30 days', '$105.00'],
  ['Business', '13%', '$5,000', '$9,999', '30 days', '$650.00'],
  ['Promo', '15%', '$10,000', '$49,999', '30 days', '$1,500.00'],
  ['Elite', '20%', '$20,000', '$9,999,999', '5 days', '$4,000.00'],
  ['Deluxe', '25%', '$50,000', 'Unlimited', '5 months', '$2,500.00'],
] as const

test('[D-11, K-01] step 1 shows the seven plans with range, duration, note and projection', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { path })
  await expect(page.getByRole('radio', { name: /Bitcoin|USDT|balance/ })).toHaveCount(3)
  for (const [name, percentage, minimum, maximum, duration, after] of catalogue) {
    const card = page.getByRole('radio', { name, exact: true })
    await expect(card).toHaveAccessibleDescription(new RegExp(`${percentage.replace('.', '\\.')}.*target`))
    const description = await card.evaluate(radio => {
      const facts = document.getElementById(radio.getAttribute('aria-describedby') ?? '')
      return facts?.textContent ?? ''
    })
    expect(description).toContain(`Minimum: ${minimum}`)
    expect(description).toContain(`Maximum: ${maximum}`)
    expect(description).toContain(`Duration: ${duration}`)
    expect(description).toContain(`After 30 days (target)${after}`)
    expect(description.includes('5 days active')).toBe(name === 'Elite')
  }
  await expect(
    page.getByText('Capital at risk. Returns are targets and are not guaranteed.').first(),
  ).toBeVisible()
  await expectSound(page, widths)
})

test('[D-12, D-13] step 2 opens with a plan, refuses what does not fit, and leads to confirm', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { path })
  const amount = page.getByLabel('Amount (USD)')
  const proceed = page.getByRole('button', { name: 'Proceed to confirm' })
  await expect(amount).toBeDisabled()
  await proceed.click()
  await expectToast(page, 'Amount, payment method and plans are requred fields', 'error')
  await expect(page.getByRole('radio', { name: 'Beginner' })).toBeFocused()

  await choose(page, 'Enthusiast')
  await expect(amount).toBeEnabled()
  await amount.fill('$1,500.5')
  await expect(page.getByRole('complementary', { name: 'Projection' })).toContainText('$157.55')
  await expect(page.getByRole('complementary', { name: 'Projection' })).toContainText(
    '$1,500.50 × 10.5% × 30 of 30 days',
  )
  await amount.fill('999.99')
  await page.getByRole('radio', { name: 'USDT TRC-20' }).check()
  await proceed.click()
  const words = 'Amount must be between $1,000 and $4,999 for the Enthusiast plan'
  await expectToast(page, words, 'error')
  await expect(amount).toBeFocused()
  await expect(amount).toHaveAccessibleDescription(new RegExp(words.replaceAll('$', '\\$')))
  await expect(amount).toHaveValue('999.99')
  await expectSound(page, widths)

  await amount.fill('1,500')
  await proceed.click()
  await expect(page).toHaveURL(/\/dashboard\/confirm-deposit\?method=usdt&amount=1500&plan=Enthusiast$/)
})

test('[D-11, D-12] a reload, Back and Change keep what was chosen', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { path })
  const amount = page.getByLabel('Amount (USD)')
  const expectChosen = async () => {
    await expect(page.getByRole('radio', { name: 'Enthusiast', exact: true })).toBeChecked()
    await expect(amount).toHaveValue(/^1,?500(\.00)?$/)
    await expect(page.getByRole('radio', { name: 'USDT TRC-20' })).toBeChecked()
  }
  await choose(page, 'Enthusiast')
  await amount.fill('1,500')
  await page.getByRole('radio', { name: 'USDT TRC-20' }).check()
  await page.reload()
  await expectChosen()
  await page.getByRole('button', { name: 'Proceed to confirm' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Make new investment' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'New investment' })).toBeVisible()
  await expectChosen()
  await page.getByRole('button', { name: 'Proceed to confirm' }).click()
  await page.getByRole('link', { name: 'Change', exact: true }).click()
  await expectChosen()
})

test('[D-11] the next page says its title, and takes a focus that was lost', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { path })
  const announced = page.locator('body > [role=status]')
  await expect(announced).toBeAttached()
  await choose(page, 'Enthusiast')
  await page.getByLabel('Amount (USD)').fill('1,500')
  await page.getByRole('radio', { name: 'USDT TRC-20' }).check()
  await page.getByRole('button', { name: 'Proceed to confirm' }).click()
  await expect(announced).toHaveText(/^Make new investment/)
  await expect(page.getByRole('main')).toBeFocused()
  const navigation = page.getByRole('navigation', { name: 'Dashboard' }).filter({ visible: true })
  const link = navigation.getByRole('link', { name: 'Statement' })
  await link.click()
  await expect(announced).toHaveText(/^Statement/)
  await expect(link).toBeFocused()
})

test('[D-12, D-18, D-24] an investment from the balance holds the money and shows no address', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  const page = await dashboardOf(browser, request, iris, { path })
  await choose(page, 'Enthusiast')
  await page.getByLabel('Amount (USD)').fill('1,500')
  await page.getByRole('radio', { name: /Available balance/ }).check()
  await page.getByRole('button', { name: 'Proceed to confirm' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Make new investment' })).toBeVisible()
  await expect(page.getByText('Balance after')).toBeVisible()
  // Also where a value takes a line of its own, as the one with its formula on a phone.
  for (const value of await page.getByRole('definition').all()) {
    const right = await value.evaluate(dd => {
      const edge = dd.closest('dl')!.getBoundingClientRect().right
      return edge - dd.getBoundingClientRect().right
    })
    expect(Math.abs(right), await textOf(value)).toBeLessThan(1)
  }
  await expect(page.getByText('$500.00', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy payment address' })).toHaveCount(0)
  await expectSound(page, widths)
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expectToast(page, 'Investment initiated successfully')
  await expect(page).toHaveURL(/\/dashboard\/home$/)
  await expect(figure(page, 'Balance')).toHaveText('$500.00')
  await expect(figure(page, 'On hold')).toHaveText('$1,500.00')
  await expect(figure(page, 'Total funds')).toHaveText('$2,000.00')
})

test('[D-07, S-01] the investments with balance and totals, and why one was declined', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 10_000)
  const running = await invest(request, iris, 'Enthusiast', 1500)
  const closed = await invest(request, iris, 'Basic', 300)
  const declined = await invest(request, iris, 'Beginner', 700)
  await invest(request, iris, 'Basic', 250)
  for (const { _id } of [running, closed]) await asAdmin(request, `/investment/approve/${_id}`)
  await asAdmin(request, `/investment/close/${closed._id}`, { reason: 'Closed early' })
  await asAdmin(request, `/investment/decline/${declined._id}`, { reason: 'The plan is full this month' })
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/investments' })
  await expect(figure(page, 'Balance')).toHaveText('$8,250.00')
  await expect(figure(page, 'In plans')).toHaveText('$1,500.00')
  await expect(figure(page, 'Total')).toHaveText('$1,800.00')
  await expect(page.getByText('All time. $250.00 pending')).toBeVisible()
  await expect(figure(page, 'Active')).toHaveText('$1,500.00')
  await expect(figure(page, 'Closed')).toHaveText('$300.00')
  const cards = page.getByRole('region', { name: 'All investments' }).getByRole('listitem')
  await expect(cards).toHaveCount(4)
  await expect(cards.nth(1)).toContainText('Declined: The plan is full this month')
  await expect(cards.nth(1).locator('[data-tone]')).toHaveText(['Declined'])
  await expect(cards.nth(2).locator('[data-tone=good]')).toHaveText('Approved')
  await expect(cards.nth(2)).toContainText('Inactive')
  await expect(cards.nth(3)).toContainText('Running')
  await expectSound(page, widths)
  await cards
    .nth(1)
    .getByRole('link', { name: /^Details/ })
    .click()
  await expect(page.getByRole('dialog')).toContainText('The plan is full this month')
  await expect(page.getByRole('dialog').locator('[data-tone]')).toHaveText(['Declined'])
  await page.keyboard.press('Escape')
  await page.getByRole('main').getByRole('link', { name: 'New investment' }).click()
  await expect(page).toHaveURL(/\/dashboard\/new-investment$/)
})

test('[D-11, D-12] on a phone a tap on a plan moves to step 2; the keyboard moves there on its own', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: phone, path })
  const step2 = page.getByRole('heading', { name: 'Step 2: amount and payment method' })
  const beginner = page.getByRole('radio', { name: 'Beginner' })
  await beginner.focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('radio', { name: 'Basic' })).toBeFocused()
  await expect(page.getByRole('radio', { name: 'Basic' })).toBeInViewport()
  await expect(step2).not.toBeInViewport()
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Amount (USD)')).toBeFocused()

  await beginner.scrollIntoViewIfNeeded()
  await choose(page, 'Beginner')
  await expect(step2).toBeInViewport()
  await expect(page.getByLabel('Amount (USD)')).toBeInViewport()
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Amount (USD)')).toBeFocused()
})

test('[D-12, B-06] Back from a confirmed investment returns to the plans; a new one is separate', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path })
  for (const times of [1, 2]) {
    await choose(page, 'Basic')
    await page.getByLabel('Amount (USD)').fill('250')
    await page.getByRole('radio', { name: /Available balance/ }).check()
    await page.getByRole('button', { name: 'Proceed to confirm' }).click()
    await page.getByRole('button', { name: 'Confirm payment' }).click()
    await expect(page).toHaveURL(/\/dashboard\/home$/)
    const made = await callApi<unknown[]>(request, 'GET', '/investment/get-all-user', { token: iris.token })
    expect(made).toHaveLength(times)
    await page.goBack()
    await expect(page).toHaveURL(/\/dashboard\/new-investment\?plan=Basic&amount=250&method=balance$/)
  }
})

test('[D-12, D-18] an investment by bitcoin comes with a payment that funds it', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), { viewport: desktop, path })
  await choose(page, 'Basic')
  await page.getByLabel('Amount (USD)').fill('250')
  await page.getByRole('radio', { name: 'Bitcoin' }).check()
  await page.getByRole('button', { name: 'Proceed to confirm' }).click()
  await expect(page.getByRole('heading', { name: 'Basic plan' })).toBeVisible()
  await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible()
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expectToast(page, 'Investment initiated successfully')
  await expect(page.getByRole('region', { name: 'Your payment' })).toContainText('$250.00')
  await page.getByRole('link', { name: /^Details of Basic/ }).click()
  await expect(page.getByRole('dialog').getByRole('heading', { name: 'Payment' })).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Copy payment address' })).toBeVisible()
})

test('[B-05] an investment is confirmed once however often it is pressed', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  const confirm = '/dashboard/confirm-deposit?method=balance&amount=600&plan=Basic'
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: confirm })
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/home-*.js', async route => {
    await promise
    await route.continue()
  })
  const button = page.getByRole('button', { name: 'Confirm payment' })
  await button.click()
  await expectToast(page, 'Investment initiated successfully')
  await button.press('Enter')
  await button.click({ force: true })
  resolve()
  await expect(page).toHaveURL('/dashboard/home')
  await expect(figure(page, 'On hold')).toHaveText('$600.00')
  await expect(figure(page, 'Balance')).toHaveText('$1,400.00')
})

test('[D-07] an investor has principal reinvested, and sees when it returns', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  const { _id, invoiceId } = await invest(request, iris, 'Enthusiast', 1500)
  await asAdmin(request, `/investment/approve/${_id}`)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/investments' })
  const endings = page.getByRole('table', { name: /^Principal of your active investments/ })
  await expect(endings.getByRole('row').nth(1)).toContainText(/\$1,500\.00\s*\$0\.00\s*\$1,500\.00$/)
  await page.getByRole('link', { name: `Details of Enthusiast, ${invoiceId}` }).click()
  const record = page.getByRole('dialog', { name: 'Enthusiast plan' })
  await expect(record).toContainText('Your principal returns to your balance.')
  await record.getByRole('button', { name: 'Reinvest at the end' }).press('Enter')
  const question = page.getByRole('dialog', { name: 'Reinvest at the end?' })
  await expect(question).toContainText('we put $1,500.00 on hold for a new investment in the Enthusiast plan')
  await expectSound(page, widths)
  await question.getByRole('button', { name: 'Reinvest at the end' }).press('Enter')
  await expect(question).toHaveCount(0)
  await expect(record).toContainText(
    'When we close this investment, we request a new one of your principal, as you asked.',
  )
  await expectSound(page, widths)
  await page.keyboard.press('Escape')
  await expect(endings.getByRole('row').nth(1)).toContainText(/\$1,500\.00\s*\$1,500\.00\s*\$0\.00$/)
  await expectSound(page, widths)

  await asAdmin(request, `/investment/close/${_id}`, { reason: 'Its fund was wound up' })
  await page.goto(`/dashboard/investments?investment=${_id}`)
  await expect(record).toContainText('We closed it before its ending date, so we did not reinvest it.')
  await expect(record.getByRole('button', { name: /einvest/ })).toHaveCount(0)
})

test('[D-07] an investor stops reinvesting with one press', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1000)
  const { _id } = await invest(request, iris, 'Enthusiast', 1000)
  await asAdmin(request, `/investment/approve/${_id}`)
  await callApi(request, 'POST', `/investment/reinvest/${_id}`, {
    token: iris.token,
    body: { reinvest: true },
  })
  const page = await dashboardOf(browser, request, iris, { path: `/dashboard/investments?investment=${_id}` })
  const record = page.getByRole('dialog', { name: 'Enthusiast plan' })
  await record.getByRole('button', { name: 'Stop reinvesting' }).click()
  await expect(record).toContainText('Your principal returns to your balance.')
  await expect(record.getByRole('button', { name: 'Reinvest at the end' })).toBeVisible()
})
