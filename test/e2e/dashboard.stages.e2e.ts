import { expect, type Page, test } from '@playwright/test'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import pino from 'pino'
import { loadConfig } from '#server/config.ts'
import { look } from '#server/payments/watching/look.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { formatDecimal } from '#shared/money.ts'
import { scriptedChain } from '#test/support/scripted-chain.ts'
import { expectAccessible } from './support/accessible.ts'
import { investorWith, region } from './support/console.ts'
import { widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, consoleOf, logIn } from './support/people.ts'

/** The phrase of everybody's tests: nobody has anything at its keys. */
const xpub = HDKey.fromMasterSeed(
  mnemonicToSeedSync('test test test test test test test test test test test junk'),
  { private: 0x04_35_83_94, public: 0x04_35_87_cf },
).derive("m/84'/1'/0'").publicExtendedKey

/** Deposits in bitcoin have addresses of their own, on a network that the product asks nobody about: the journey plays it. */
const settings = { BITCOIN_XPUB: xpub }
const product = ownProduct('stages', { settings })
/** Its first block is older than anything that the sample has asked for. */

const times = [new Date('2020-01-01')]
const network = scriptedChain({ token: 'BTC', confirmations: 3, now: () => times.pop() ?? new Date() })

/** What the product's watcher does, once, on that network. */
async function lookOnce(): Promise<void> {
  const pool = openPool({ url: product().ownerUrl, as: 'owner', name: 'journey' })
  const config = loadConfig({ TOKEN_SECRET: 'x'.repeat(32), ...settings })
  const log = pino({ level: 'error' })
  try {
    await look({ pool, db: openDatabase(pool), clock: systemClock, log, config }, 'bitcoin', network.chain)
  } finally {
    await pool.end()
  }
}

const unitsOf = ({ payment }: Deposit) => BigInt(payment.amountCrypto.replace('.', ''))

async function openDeposit(page: Page, { _id }: Deposit) {
  await page.goto(`/dashboard/deposit?deposit=${_id}`)
  return page.getByRole('dialog')
}

for (const [device, viewport] of widths) {
  test(`[D-15, D-22, D5] on a ${device} a payment shows as seen, confirming and paid, by itself`, async ({
    browser,
    request,
  }) => {
    await lookOnce()
    const { person, ask } = await investorWith(request, 0)
    const deposit = (await ask('/deposit/new', { method: 'bitcoin', amount: 300 })) as unknown as Deposit
    const page = await browserOf(browser, viewport)
    await logIn(page, person)
    const dialog = await openDeposit(page, deposit)
    await expect(dialog.getByRole('img', { name: /^QR code: pay 0\.\d+ BTC/ })).toBeVisible()

    network.send({ to: deposit.payment.address, units: unitsOf(deposit) })
    await lookOnce()
    const standing = dialog.getByRole('status')
    await expect(standing).toContainText(
      /Seen: [\d.]+ BTC, not confirmed yet\. There is nothing more to do\./,
    )
    await expect(dialog.getByText(deposit.payment.address)).toBeHidden()
    await dialog.getByText('Payment address and QR code').click()
    await expect(dialog.getByText(deposit.payment.address)).toBeVisible()
    await expectAccessible(page, `a payment that was seen, ${device}`)

    network.mine()
    await lookOnce()
    await expect(standing).toContainText(/Confirming: [\d.]+ BTC, 1 of 3 confirmations\./)
    await expect(dialog.getByRole('progressbar', { name: '1 of 3 confirmations' })).toBeVisible()
    await expectAccessible(page, `a payment that is confirming, ${device}`)
    network.mine()
    await lookOnce()
    await expect(dialog.getByRole('progressbar', { name: '2 of 3 confirmations' })).toBeVisible()
    network.mine()
    await lookOnce()
    await expect(standing).toContainText('Paid')
    await expect(dialog.getByRole('progressbar')).toHaveCount(0)
  })

  test(`[D-15, D5] on a ${device} a payment that came short says what is still to pay, and where`, async ({
    browser,
    request,
  }) => {
    await lookOnce()
    const { person, ask } = await investorWith(request, 0)
    const deposit = (await ask('/deposit/new', { method: 'bitcoin', amount: 300 })) as unknown as Deposit
    const part = unitsOf(deposit) / 3n
    const rest = unitsOf(deposit) - part
    network.send({ to: deposit.payment.address, units: part })
    network.mine(3)
    await lookOnce()
    const page = await browserOf(browser, viewport)
    await logIn(page, person)
    await expect(page.getByRole('link', { name: `Pay the rest: ${deposit.invoiceId}` })).toBeVisible()
    const dialog = await openDeposit(page, deposit)
    await expect(dialog.getByText('Paid short', { exact: true })).toBeVisible()
    await expect(
      dialog.getByText(`${formatDecimal(rest, 8).replace(/0+$/, '')} BTC`, { exact: true }),
    ).toBeVisible()
    await expect(dialog.getByRole('img', { name: /the payment address alone/ })).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Copy the amount still to pay' })).toBeVisible()
    await expectAccessible(page, `a payment that came short, ${device}`)

    network.send({ to: deposit.payment.address, units: rest })
    network.mine(3)
    await lookOnce()
    await expect(dialog.getByRole('status')).toContainText('Paid')

    const other = (await ask('/deposit/new', { method: 'bitcoin', amount: 300 })) as unknown as Deposit
    network.send({ to: other.payment.address, units: unitsOf(other) / 2n })
    network.mine(3)
    await lookOnce()
    const second = await openDeposit(page, other)
    await second.getByRole('button', { name: 'Have what came credited' }).click()
    const asking = page.getByRole('dialog', { name: 'Have what came credited?' })
    await asking.getByRole('button', { name: 'Credit what came' }).click()
    await expect(second.getByRole('status')).toContainText(/Came short: .* was added to the balance\./)
  })
}

test('[N-06] staff see what was seen of a payment on its network, and how each network is watched', async ({
  browser,
  request,
}) => {
  await lookOnce()
  const { ask } = await investorWith(request, 0)
  const deposit = (await ask('/deposit/new', { method: 'bitcoin', amount: 300 })) as unknown as Deposit
  const part = unitsOf(deposit) / 3n
  network.send({ to: deposit.payment.address, units: part })
  network.mine(3)
  await lookOnce()
  const page = await consoleOf(browser)
  await page.goto(`/admin/deposit?id=${deposit._id}`)
  await expect(region(page, 'Seen on the network')).toContainText(`${formatDecimal(part, 8)} BTC`)
  await expect(page.getByRole('button', { name: `Credit ${deposit.invoiceId}` })).toBeVisible()
  await expectAccessible(page, 'a deposit with what was seen')
  await page.goto('/admin/home')
  const watched = region(page, 'On the chains').getByRole('table', { name: 'How each network is watched' })
  await expect(watched).toContainText('Not watched')
})
