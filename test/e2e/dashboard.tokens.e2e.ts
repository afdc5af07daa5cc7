import { expect, test } from '@playwright/test'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import pino from 'pino'
import { loadConfig } from '#server/config.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { scriptedChain } from '#test/support/scripted-chain.ts'
import { region } from './support/console.ts'
import { dashboardOf, expectSound, newInvestor, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { expectCopied } from './support/people.ts'

/** The phrase of everybody's tests: nobody has anything at its keys. */
const seed = mnemonicToSeedSync('test test test test test test test test test test test junk')
/** Circle has a contract on the demonstration's network. */
const settings = {
  ETHEREUM_XPUB: HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'").publicExtendedKey,
  PAYMENT_TOKENS: 'USDC-ERC20',
}
const product = ownProduct('tokens', { settings })
/** The next blocks' times; without one, now. The first is older than anything that the sample asked for. */
const times = [new Date('2020-01-01')]
const network = scriptedChain({ token: 'USDC', confirmations: 3, now: () => times.pop() ?? new Date() })

/** What the product's worker does, once. */
async function syncOnce(): Promise<void> {
  const pool = openPool({ url: product().ownerUrl, as: 'owner', name: 'journey' })
  const config = loadConfig({ TOKEN_SECRET: 'x'.repeat(32), ...settings })
  const services = { pool, db: openDatabase(pool), clock: systemClock, log: pino({ level: 'error' }), config }
  try {
    await syncNetwork(services, 'ethereum', network.chain)
  } finally {
    await pool.end()
  }
}

test('[K-02, D-14, D-18] a deposit in USDC, from the card to the credit', async ({ browser, request }) => {
  await syncOnce()
  const page = await dashboardOf(browser, request, await newInvestor(request), { path: '/dashboard/deposit' })
  await expect(page.getByRole('button', { name: /^Fund now by/ })).toHaveCount(4)
  await expectSound(page, widths)

  await page.getByRole('button', { name: 'Fund now by USDC ERC-20' }).click()
  const dialog = page.getByRole('dialog', { name: 'Payment by USDC ERC-20' })
  await dialog.getByLabel('Amount (USD)').fill('150.25')
  await dialog.getByRole('button', { name: 'Next' }).click()
  await expect(dialog).toContainText('150.250 USDC')
  await dialog.getByRole('link', { name: 'Pay now' }).click()

  await expect(page).toHaveURL(/\/dashboard\/confirm-deposit\?method=usdc-erc20&amount=150\.25$/)
  const main = page.getByRole('main')
  await expect(main).toContainText('150.25 USDC')
  await expect(main).toContainText('Send USDC on the Ethereum network only.')
  await expect(main.getByRole('img', { name: 'QR code: the payment address' })).toBeVisible()
  await expectSound(page, widths)
  await page.getByRole('button', { name: 'Copy payment amount' }).click()
  await expectCopied(page, '150.25')
  await page.getByRole('button', { name: 'Confirm payment' }).click()

  await expect(page).toHaveURL(/\/dashboard\/home/)
  const payment = region(page, 'Your payment')
  const address = (await payment.getByText(/^0x[0-9a-fA-F]{40}$/).textContent())!
  await expect(payment).toContainText('Waiting for your payment.')
  await expectSound(page, widths)

  network.send({ to: address, units: 150_250_000n })
  network.mine(3)
  await syncOnce()
  await expect(payment.getByRole('status')).toHaveText('Paid in full and added to the balance.')
  await expectSound(page, widths)
})
