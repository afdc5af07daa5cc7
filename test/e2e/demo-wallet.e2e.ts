import { expect, type Locator, test } from '@playwright/test'
import { anvilProgram } from '#server/demo/anvil.ts'
import { investorWith, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, consoleOf, logIn } from './support/people.ts'

/** The demonstration with a local chain, from asking for a deposit to the balance, with nobody of the firm in between. */

test.skip(anvilProgram() === undefined, 'no anvil for this machine')
ownProduct('demo-wallet', { settings: { DEMO_CHAIN: 'anvil' } })

/** Blocks come every two seconds, and each look reads some of them. */
const blocks = { timeout: 60_000 }

async function pay(payment: Locator, how: string): Promise<void> {
  await payment.getByRole('button', { name: how, exact: true }).click()
}

test('[T-06] the console names the simulated chain, which began with what the ledger has', async ({
  browser,
}) => {
  const page = await consoleOf(browser)
  const chains = region(page, 'On the chains')
  const ether = chains.getByRole('row').filter({ has: page.getByText('ETH', { exact: true }) })
  await expect(ether.getByRole('cell').nth(3)).toHaveText('0 ETH', blocks)
  await expect(chains).toContainText('This demonstration’s Ethereum network is simulated')
  await expect(chains.getByRole('row').filter({ hasText: 'BTC' }).first()).toContainText('Not compared')
  await expectSound(page, widths)
})

test('[D-18, D-21, D-22, T-07] the demo wallet pays a deposit in two halves, confirmed live', async ({
  browser,
  request,
}) => {
  test.setTimeout(240_000)
  const { person, read } = await investorWith(request, 0)
  const page = await browserOf(browser)
  await logIn(page, person)
  await page.goto('/dashboard/confirm-deposit?method=ethereum&amount=150')
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  const payment = region(page, 'Your payment')
  await expect(payment.getByText('Ethereum (local demonstration chain)')).toBeVisible()
  await expectSound(page, widths)
  const status = payment.getByRole('status')
  await pay(payment, 'Pay only half')
  await expect(status).toContainText('Underpaid', blocks)
  await expect(payment.getByText('Still to pay', { exact: true })).toBeVisible()
  await expect(payment.getByRole('button', { name: 'Credit what arrived' })).toHaveCount(0)
  await expectSound(page, widths)
  await pay(payment, 'Pay the rest from the demo wallet')
  await expect(payment).toContainText(
    /Another .* ETH arrived\. We will add it once it is confirmed\./,
    blocks,
  )
  await expect(status).toHaveText('Paid in full and added to the balance.', blocks)
  await expect(payment.getByRole('button', { name: /demo wallet/ })).toHaveCount(0)
  await expectSound(page, widths)
  await payment.getByRole('link', { name: /^Details/ }).click()
  const dialog = page.getByRole('dialog')
  await expect(
    region(dialog, 'Seen on the network').getByRole('row').filter({ hasText: '$75.00' }),
  ).toHaveCount(2)
  await expectSound(page, widths)
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 150 })
})

test('[D-18, T-07] half too much from the demo wallet is credited as it came', async ({
  browser,
  request,
}) => {
  test.setTimeout(180_000)
  const { person, ask, read } = await investorWith(request, 0)
  const { _id } = await ask('/deposit/new', { method: 'ethereum', amount: 200 })
  const page = await browserOf(browser)
  await logIn(page, person)
  await page.goto(`/dashboard/deposit?deposit=${_id}`)
  const dialog = page.getByRole('dialog')
  await pay(dialog, 'Pay half too much')
  await expect(dialog.getByRole('status').first()).toContainText(
    /Overpaid: .* so we credited \$300\.00/,
    blocks,
  )
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 300 })
})
