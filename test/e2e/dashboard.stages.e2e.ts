import { expect, type Page, test } from '@playwright/test'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import type { Pool } from 'pg'
import pino from 'pino'
import { loadConfig } from '#server/config.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { parseRate } from '#server/prices/reading.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { worthInUnits } from '#server/rails/rail.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { formatDecimal } from '#shared/money.ts'
import { scriptedChain } from '#test/support/scripted-chain.ts'
import { expectAccessible } from './support/accessible.ts'
import { investorWith, openAct, payoutAddress, region, rowOf } from './support/console.ts'
import { widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, consoleOf, expectCopied, expectToast, logIn, signIn } from './support/people.ts'

/** The phrase of everybody's tests: nobody has anything at its keys. */
const seed = mnemonicToSeedSync('test test test test test test test test test test test junk')
const testVersions = { private: 0x04_35_83_94, public: 0x04_35_87_cf }

/** Deposits have addresses of their own, on networks that the product asks nobody about: the journey plays them. */
const settings = {
  BITCOIN_XPUB: HDKey.fromMasterSeed(seed, testVersions).derive("m/84'/1'/0'").publicExtendedKey,
  ETHEREUM_XPUB: HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'").publicExtendedKey,
}
const product = ownProduct('stages', { settings })
const network = networkOf('BTC')
const ethereum = networkOf('ETH')

/** Its first block is older than anything that the sample has asked for. */
function networkOf(token: 'BTC' | 'ETH') {
  /** When the next blocks are found; without one, now. */
  const times = [new Date('2020-01-01')]
  const played = scriptedChain({ token, confirmations: 3, now: () => times.pop() ?? new Date() })
  return { ...played, times }
}

/** The product's database, for as long as the work takes. */
async function asOwner(work: (pool: Pool) => Promise<unknown>): Promise<void> {
  const pool = openPool({ url: product().ownerUrl, as: 'owner', name: 'journey' })
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}

/** What the product's watcher does, once, on one of these networks. */
async function lookOnce(rail: 'bitcoin' | 'ethereum' = 'bitcoin'): Promise<void> {
  const config = loadConfig({ TOKEN_SECRET: 'x'.repeat(32), ...settings })
  const { chain } = rail === 'bitcoin' ? network : ethereum
  await asOwner(pool => {
    const log = pino({ level: 'error' })
    return syncNetwork({ pool, db: openDatabase(pool), clock: systemClock, log, config }, rail, chain)
  })
}

/** As if it had been asked for so many hours before; the trigger that keeps these facts rests meanwhile. */
const hoursAgo = (hours: number, { _id }: Deposit) =>
  asOwner(pool =>
    pool.query(
      `ALTER TABLE app.deposits DISABLE TRIGGER deposits_keep_facts;
       UPDATE app.deposits
          SET created_at = created_at - interval '${hours} hours', rate_at = rate_at - interval '${hours} hours',
              expires_at = expires_at - interval '${hours} hours', watch_until = watch_until - interval '${hours} hours'
        WHERE id = '${_id}';
       ALTER TABLE app.deposits ENABLE TRIGGER deposits_keep_facts`,
    ),
  )

const unitsOf = ({ payment }: Deposit) => BigInt(payment.amountCrypto.replace('.', ''))

/** What is exactly so much at a deposit's locked rate: a part of what it asks for, which is rounded, may be a cent off. */
const worthInBitcoin = (cents: bigint, { payment }: Deposit) =>
  worthInUnits('BTC', cents, parseRate(payment.rate)!)

async function openDeposit(page: Page, { _id }: Deposit) {
  await page.goto(`/dashboard/deposit?deposit=${_id}`)
  return page.getByRole('dialog')
}

/** The payment that stands first on the home page. */
async function openHome(page: Page) {
  await page.goto('/dashboard/home')
  const payment = region(page, 'Your payment')
  await expect(payment).toBeVisible()
  return payment
}

/** Counts what a screen reader is told from now on. */
async function announcements(page: Page) {
  await page.evaluate(() => {
    const heard = { count: 0 }
    const watch = new MutationObserver(changes => (heard.count += changes.length))
    for (const status of document.querySelectorAll('[role=status]'))
      watch.observe(status, { childList: true, characterData: true, subtree: true })
    Object.assign(window, { heard })
  })
  return () => page.evaluate(() => (window as unknown as { heard: { count: number } }).heard.count)
}

test('[D-15, D-21, D-22, T-02] the home page follows a payment until it is credited, live', async ({
  browser,
  request,
}) => {
  await lookOnce()
  const { person, ask } = await investorWith(request, 0)
  const deposit = (await ask('/deposit/new', { method: 'bitcoin', amount: 300 })) as unknown as Deposit
  const page = await browserOf(browser)
  await signIn(request, page, person)
  const payment = await openHome(page)
  await expect(page.getByRole('main').getByRole('region').first()).toHaveAccessibleName('Your payment')
  await expect(payment.getByRole('img', { name: /^QR code: pay 0\.\d+ BTC/ })).toBeVisible()
  await expect(payment.getByRole('link', { name: 'Open in wallet' })).toHaveAttribute(
    'href',
    deposit.payment.uri,
  )
  await expect(payment.getByText(deposit.payment.address)).toBeVisible()
  await expect(payment.getByRole('timer')).toHaveText(/^1[345]:\d\d$/)
  const step = payment.locator('[aria-current=step]')
  await expect(step).toHaveText('Waiting for payment')
  await expectAccessible(page, 'a payment that is waited for', widths)

  network.send({ to: deposit.payment.address, units: unitsOf(deposit) })
  await lookOnce()
  await expect(payment).toContainText(/Seen: [\d.]+ BTC, not confirmed yet\. Nothing more to do\./)
  await expect(payment.getByRole('status')).toHaveText('We see your payment on the network.')
  await expect(payment.getByText(deposit.payment.address)).toBeHidden()
  await payment.getByText('Payment address and QR code').click()
  await expect(payment.getByText(deposit.payment.address)).toBeVisible()
  await expectAccessible(page, 'a payment that was seen', widths)

  network.mine()
  await lookOnce()
  await expect(payment).toContainText(/Confirming: [\d.]+ BTC, 1 of 3 confirmations\./)
  await expect(payment.getByRole('progressbar', { name: '1 of 3 confirmations' })).toBeVisible()
  await expectAccessible(page, 'a payment that is confirming', widths)
  const heard = await announcements(page)
  network.mine()
  await lookOnce()
  await expect(payment.getByRole('progressbar', { name: '2 of 3 confirmations' })).toBeVisible()
  expect(await heard()).toBe(0)
  network.mine()
  await lookOnce()
  await expect(payment.getByRole('status')).toHaveText('Paid in full and added to the balance.')
  await expect(payment.getByRole('progressbar')).toHaveCount(0)
  await expect(payment.getByRole('listitem')).toHaveText([
    'Payment seen (done)',
    'Confirmed (done)',
    'Credited (done)',
  ])
  await expectAccessible(page, 'a credited payment', widths)
})

test('[D-15, T-02] a payment that left the network says what to check and where to pay', async ({
  browser,
  request,
}) => {
  await lookOnce()
  const { person, ask } = await investorWith(request, 0)
  const deposit = (await ask('/deposit/new', { method: 'bitcoin', amount: 300 })) as unknown as Deposit
  const transaction = network.send({ to: deposit.payment.address, units: unitsOf(deposit) })
  network.mine()
  await lookOnce()
  const page = await browserOf(browser)
  await signIn(request, page, person)
  const payment = await openHome(page)
  await expect(payment).toContainText('Confirming')
  network.reorg(1, { drop: [transaction] })
  await lookOnce()
  await expect(payment.getByRole('status')).toHaveText(
    /no longer on the network.* Check your wallet\. If it has not sent it again, send 0\.\d+ BTC by /,
  )
  await expect(payment.getByRole('img', { name: /^QR code: pay 0\.\d+ BTC/ })).toBeVisible()
  await expectAccessible(page, 'a payment that was dropped', widths)
})

test('[D-15, T-02] an underpaid deposit says what is still to pay, and where', async ({
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
  const page = await browserOf(browser)
  await logIn(page, person)
  const payment = region(page, 'Your payment')
  const missing = formatDecimal(rest, 8)
  const short = missing.replace(/0+$/, '')
  await expect(payment.getByText('Underpaid', { exact: true })).toBeVisible()
  await expect(payment.getByText(/so we credited \$100\.00 instead of \$300\.00/).first()).toBeVisible()
  await expect(payment.getByText(`${short} BTC`, { exact: true })).toBeVisible()
  await expect(payment.getByRole('img', { name: `QR code: pay ${short} BTC` })).toBeVisible()
  await expect(payment.getByRole('link', { name: 'Open in wallet' })).toHaveAttribute(
    'href',
    deposit.payment.uri.replace(deposit.payment.amountCrypto, missing),
  )
  await payment.getByRole('button', { name: 'Copy the amount still to pay' }).click()
  await expectCopied(page, short)
  await expectAccessible(page, 'an underpaid deposit', widths)
  const dialog = await openDeposit(page, deposit)
  await expect(dialog.getByRole('button', { name: 'Copy the amount still to pay' })).toBeVisible()

  network.send({ to: deposit.payment.address, units: rest })
  network.mine(3)
  await lookOnce()
  await expect(dialog.getByRole('status').first()).toContainText('Paid')

  const asked = await ask('/investment/new', { method: 'bitcoin', plan: 'Basic', amount: 300 })
  const other = (asked as unknown as { deposit: Deposit }).deposit
  network.send({ to: other.payment.address, units: unitsOf(other) / 2n })
  network.mine(3)
  await lookOnce()
  const second = await openDeposit(page, other)
  await second.getByRole('button', { name: 'Credit what arrived' }).click()
  const asking = page.getByRole('dialog', { name: 'Credit what arrived?' })
  await asking.getByRole('button', { name: 'Credit now' }).click()
  await expectToast(page, 'Your payment is credited')
  await expect(second.getByRole('status').first()).toContainText(/Underpaid: .* Added to the balance\./)
})

test('[D-15, T-02] an overpaid, late or wrong-coin payment says what to do next', async ({
  browser,
  request,
}) => {
  test.setTimeout(240_000)
  await lookOnce()
  await lookOnce('ethereum')
  const { person, ask } = await investorWith(request, 0)
  const asked = async (method: 'bitcoin' | 'ethereum') =>
    (await ask('/deposit/new', { method, amount: 300 })) as unknown as Deposit
  const page = await browserOf(browser)
  await signIn(request, page, person)

  const over = await asked('bitcoin')
  network.send({ to: over.payment.address, units: worthInBitcoin(45_000n, over) })
  network.mine(3)
  await lookOnce()
  const dialog = await openDeposit(page, over)
  // The other one is that of what is still loading.
  const standing = dialog.getByRole('status').first()
  await expect(standing).toContainText(
    /Overpaid: .*, so we credited \$450\.00 instead of \$300\.00\. Added to the balance\./,
  )
  await expect(region(dialog, 'Seen on the network')).toContainText('$450.00')
  await expectAccessible(page, 'more than was asked for', widths)

  const late = await asked('bitcoin')
  await hoursAgo(1, late)
  await openDeposit(page, late)
  await expect(standing).toContainText('Not paid yet? Start a new deposit.')
  await expect(dialog.getByText(late.payment.address)).toBeHidden()
  await expectAccessible(page, 'a payment whose time has passed', widths)
  await dialog.getByRole('link', { name: 'New deposit' }).click()
  await expect(dialog).toHaveCount(0)
  network.send({ to: late.payment.address, units: unitsOf(late) })
  network.mine(3)
  await lookOnce()
  await openDeposit(page, late)
  await expect(standing).toContainText(
    /Late: received at .* at the (rate of that time|locked rate), \$[\d,.]+, credited as \$[\d,.]+\. Added to the balance\./,
  )
  await expect(region(dialog, 'Seen on the network')).toContainText(/Late: rate \$[\d,]+/)
  await expectAccessible(page, 'a late payment', widths)

  const other = await asked('ethereum')
  ethereum.send({ to: other.payment.address, units: 5_000_000n, token: 'USDC' })
  ethereum.send({ to: other.payment.address, units: 9_999n })
  ethereum.mine(3)
  await lookOnce('ethereum')
  await openDeposit(page, other)
  await expect(standing).toContainText(
    /Waiting for your payment.* We received a different coin at this address\. It was not credited but is safe; please contact us\./,
  )
  await expect(dialog.getByRole('img', { name: /^QR code: pay 0\.\d+ ETH/ })).toBeVisible()
  const came = region(dialog, 'Seen on the network')
  await expect(came).toContainText('Wrong coin, not credited')
  await expect(came).toContainText('Too small to credit (dust)')
  await expectAccessible(page, 'another coin and dust', widths)
  for (let n = 0; n < 100; n++) ethereum.send({ to: other.payment.address, units: 9_999n })
  await lookOnce('ethereum')
  await openDeposit(page, other)
  await expect(came).toContainText('2 more are not shown. Payments come first')
  await expect(came.getByRole('row').nth(1)).toContainText('Wrong coin, not credited')

  const staff = await consoleOf(browser, { path: '/admin/home' })
  await staff.getByRole('link', { name: 'Review: payments to review' }).click()
  await expect(rowOf(staff, 'Deposits', other.invoiceId)).toContainText('Wrong coin')
  await expect(rowOf(staff, 'Deposits', over.invoiceId)).toContainText('Overpaid: $450.00 credited')
  await expect(rowOf(staff, 'Deposits', late.invoiceId)).toContainText('Late')
  const looking = await openAct(staff, 'Deposits', 'Mark reviewed', other.invoiceId)
  await expect(looking).toContainText('We received a different coin at this address')
  await looking.getByRole('button', { name: 'Mark reviewed' }).click()
  await expectToast(staff, 'Marked as reviewed')
  await expect(rowOf(staff, 'Deposits', other.invoiceId)).toHaveCount(0)
})

test("[N-06, T-02] staff see a payment's state on its network, and how each network is synced", async ({
  browser,
  request,
}) => {
  test.setTimeout(180_000)
  await lookOnce()
  const { ask } = await investorWith(request, 0)
  const asked = await ask('/investment/new', { method: 'bitcoin', plan: 'Basic', amount: 300 })
  const { deposit } = asked as unknown as { deposit: Deposit }
  const part = worthInBitcoin(10_000n, deposit)
  network.send({ to: deposit.payment.address, units: part })
  network.mine(3)
  await lookOnce()
  const page = await consoleOf(browser, { path: `/admin/deposit?id=${deposit._id}` })
  const came = formatDecimal(part, 8).replace(/0+$/, '')
  await expect(region(page, 'Seen on the network')).toContainText(`${came} BTC`)
  await expect(page.getByRole('button', { name: `Credit ${deposit.invoiceId}` })).toBeVisible()
  await expectAccessible(page, 'a deposit with what was seen')
  await page.getByRole('button', { name: `Approve ${deposit.invoiceId}` }).click()
  const approving = page.getByRole('dialog', { name: 'Approve this deposit?' })
  await expect(approving).toContainText('Underpaid. If the rest does not arrive, we credit it automatically')
  await expect(approving.getByLabel('Amount received, in BTC')).toHaveValue(came)
  await expectAccessible(page, 'approving what its network shows')
  await approving.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: `Decline ${deposit.invoiceId}` }).click()
  const declining = page.getByRole('dialog', { name: 'Decline this deposit?' })
  await expect(declining).toContainText('credited to the balance even if you decline')
  await declining.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: `Credit ${deposit.invoiceId}` }).click()
  const crediting = page.getByRole('dialog', { name: 'Credit this payment?' })
  await expect(crediting).toContainText(`${came} BTC`)
  await crediting.getByRole('button', { name: 'Credit payment' }).click()
  await expectToast(page, 'Payment credited')
  await expect(region(page, 'Seen on the network')).toContainText('$100.00')
  await page.goto('/admin/home')
  const watched = region(page, 'On the chains').getByRole('table', { name: 'Sync state of each network' })
  await expect(watched).toContainText('Not watched')
})

test('[N-06, N-13] several payments are credited together with what the network shows', async ({
  browser,
  request,
}) => {
  test.setTimeout(180_000)
  await lookOnce()
  const { ask, person, read } = await investorWith(request, 0, 'Short Shirin')
  const plan = { method: 'bitcoin', plan: 'Basic', amount: 300 }
  const asked = [await ask('/investment/new', plan), await ask('/investment/new', plan)]
  for (const { deposit } of asked as unknown as { deposit: Deposit }[])
    network.send({ to: deposit.payment.address, units: worthInBitcoin(10_000n, deposit) })
  network.mine(3)
  await lookOnce()
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  await section.getByRole('searchbox').fill(person.email)
  await section.getByRole('checkbox', { name: 'Select all pending and creditable (2)' }).check()
  await section.getByRole('button', { name: 'Credit 2 deposits' }).click()
  const dialog = page.getByRole('dialog', { name: 'Credit 2 deposits?' })
  await expect(dialog.getByText('BTC received')).toHaveCount(2)
  await expect(dialog).toContainText('Total requested')
  await expectAccessible(page, 'credit several', widths)
  await dialog.getByRole('button', { name: 'Credit 2 deposits' }).click()
  await expectToast(page, '2 deposits credited')
  expect(await read('/auth/me')).toMatchObject({ balance: 200 })
})

test('[D-15, N-06, D5] a payment without a rate is credited at the rate that staff enter', async ({
  browser,
  request,
}) => {
  test.setTimeout(180_000)
  await lookOnce()
  const { person, ask, read } = await investorWith(request, 0)
  const deposit = (await ask('/deposit/new', { method: 'bitcoin', amount: 300 })) as unknown as Deposit
  await hoursAgo(72, deposit)
  network.send({ to: deposit.payment.address, units: 1_000_000n })
  network.times.push(new Date(Date.now() - 48 * 3_600_000))
  network.mine(3)
  await lookOnce()
  const own = await browserOf(browser)
  await signIn(request, own, person)
  const payment = await openHome(own)
  await expect(payment.locator('[aria-current=step]')).toHaveText('Being credited')
  await expect(payment.getByRole('status')).toHaveText(/so our team reviews it first\.$/)
  const page = await consoleOf(browser, { path: `/admin/deposit?id=${deposit._id}` })
  await expect(page.getByText('No rate for its arrival', { exact: true })).toBeVisible()
  await expect(page.getByText('Confirmed', { exact: true })).toBeVisible()
  await expectAccessible(page, 'a payment without a rate', widths)
  await page.getByRole('button', { name: `Credit ${deposit.invoiceId}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Credit this payment at your rate?' })
  const rate = dialog.getByLabel('Rate at its arrival: dollars for 1 BTC')
  const source = dialog.getByLabel('Source of the rate')
  const credit = dialog.getByRole('button', { name: 'Credit payment' })
  await credit.click()
  await expect(rate).toBeFocused()
  await expect(source).toHaveAccessibleDescription(/This field is required/)
  await expectAccessible(page, 'the rate is asked for', widths)
  await source.fill('Kraken, close of that day')
  await rate.fill('about 50000')
  await credit.click()
  await expect(rate).toHaveAccessibleDescription(/rate/i)
  await expect(rate).toHaveAttribute('aria-invalid', 'true')
  await rate.fill('50,000')
  await credit.click()
  await expectToast(page, 'Payment credited')
  await expect(page.getByText('No rate for its arrival', { exact: true })).toHaveCount(0)
  await expect(region(page, 'Payment')).toContainText('1 BTC = $50,000.00')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 500 })

  const record = await openDeposit(own, deposit)
  await expect(record).toContainText('Kraken, close of that day')
  await expect(record).toContainText('$500.00')
  await expectAccessible(own, 'a payment at a told rate', widths)
})

test('[N-03, D7] an owed debt allows a withdrawal only if its coins left, or a decline', async ({
  browser,
  request,
}) => {
  test.setTimeout(180_000)
  await lookOnce()
  const { ask, decide, read } = await investorWith(request, 0)
  const deposit = (await ask('/deposit/new', { method: 'bitcoin', amount: 300 })) as unknown as Deposit
  const transaction = network.send({ to: deposit.payment.address, units: unitsOf(deposit) })
  network.mine(3)
  await lookOnce()
  const [gone, kept] = [await withdrawn(150), await withdrawn(100)]
  async function withdrawn(amount: number) {
    const withdrawal = await ask('/withdrawal/new', {
      amount,
      wallet: 'Bitcoin (BTC)',
      address: payoutAddress,
    })
    await decide(`/withdrawal/approve/${withdrawal._id}`)
    return withdrawal
  }
  network.reorg(3, { drop: [transaction] })
  await lookOnce()
  const page = await consoleOf(browser, {
    who: 'second administrator',
    path: `/admin/withdrawal?id=${gone._id}`,
  })
  const payment = region(page, 'Payment')
  await expect(payment).toContainText(/Debt from reversed deposits *\$250\.00/)
  await expect(payment).toContainText('Do not pay: decline this withdrawal')
  await expectAccessible(page, 'a withdrawal of an owner who owes', widths)
  await page.getByRole('button', { name: `Mark paid ${gone.invoiceId}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Mark this withdrawal as paid?' })
  await expect(dialog).toContainText('do not send them now')
  await dialog.getByLabel('Transaction id').fill(crypto.randomUUID().replaceAll('-', '').repeat(2))
  await dialog.getByRole('button', { name: 'Mark as paid' }).click()
  const left = dialog.getByRole('checkbox', { name: 'I confirm that the coins have already been sent' })
  await expect(left).toBeFocused()
  await expect(left).toHaveAccessibleDescription(/Confirm that the coins have already been sent/)
  await expectAccessible(page, 'the coins have left already', widths)
  await left.check()
  await dialog.getByRole('button', { name: 'Mark as paid' }).click()
  await expectToast(page, 'Withdrawal marked as paid')

  await page.goto(`/admin/withdrawal?id=${kept._id}`)
  await page.getByRole('button', { name: `Decline ${kept.invoiceId}` }).click()
  const declining = page.getByRole('dialog', { name: 'Decline this withdrawal?' })
  await expect(declining).toContainText('The released hold first repays the debt from reversed deposits')
  await declining.getByLabel('Reason').fill('A reorg reversed your payment')
  await declining.getByRole('checkbox', { name: 'I confirm that nobody has paid it manually' }).check()
  await expectAccessible(page, 'declining what is approved', widths)
  await declining.getByRole('button', { name: 'Decline withdrawal' }).click()
  await expectToast(page, 'Withdrawal declined')
  await expect(payment).toContainText(/Debt from reversed deposits *\$150\.00/)
  expect(await read<{ balance: number; held: number }>('/auth/me')).toMatchObject({ balance: 0, held: 0 })
})
