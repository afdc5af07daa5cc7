import { createHash } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { Transaction } from '@scure/btc-signer'
import type { Signer } from '@scure/btc-signer/transaction.js'
import pino from 'pino'
import { keccak256, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { assessPayouts } from '#server/payouts/assess.ts'
import { systemClock } from '#server/platform/clock.ts'
import { chainWatchers } from '#server/platform/database/lock-keys.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { addressAt, bitcoinAccount } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { railNames } from '#shared/coins.ts'
import type { PayoutDetail } from '#shared/contract/payouts.ts'
import { expectAccessible } from './support/accessible.ts'
import { type Invoice, investorWith, payoutAddress, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, consoleOf, expectToast, signIn } from './support/people.ts'
import { savedBy } from './support/saved.ts'

/** The firm's wallet, which is not on the server. */
const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const sender = wallet.address
/** Rails that nobody answers for: what is seen on the chain is written into the database as the watcher does. */
const product = ownProduct('payouts', {
  settings: {
    ETHEREUM_CHAIN_ID: '31337',
    ETHEREUM_RPC_URL: 'http://127.0.0.1:9',
    ETHEREUM_PAYOUT_ADDRESS: sender,
    ETHEREUM_USDT_CONTRACT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  },
})

// The journeys are who watches: the product's own watcher finds no node, and is sent away as any second one is.
let watching: { end: () => Promise<void> }
test.beforeAll(async () => {
  const pool = openPool({ url: product().ownerUrl, as: 'owner', name: 'journey watching' })
  const session = await pool.connect()
  await session.query('SELECT pg_advisory_lock($1, $2)', [chainWatchers, railNames.indexOf('ethereum')])
  watching = {
    end() {
      session.release(true)
      return pool.end()
    },
  }
})
test.afterAll(() => watching.end())

/** The database of the product, once its network was synced, for as long as the work takes. */
async function onChain(
  work: (query: (text: string, values?: unknown[]) => Promise<unknown>) => Promise<unknown>,
  of = product,
) {
  const pool = openPool({ url: of().ownerUrl, as: 'owner', name: 'journey' })
  try {
    await pool.query(
      `INSERT INTO app.chain_cursors (rail, synced_height, synced_hash, tip_height, confirmations, polled_at)
       VALUES ('ethereum', 100, 'hash', 100, 3, now())
       ON CONFLICT (rail) DO UPDATE SET tip_height = chain_cursors.synced_height, polled_at = now(), sync_error = NULL, sync_error_since = NULL, halted = false`,
    )
    await work((text, values) => pool.query(text, values))
    await pool.query(
      `INSERT INTO app.fee_estimates (rail, price, tip, at) VALUES ('ethereum', 2000000000, 1000000000, now()), ('bitcoin', 3000, NULL, now())
       ON CONFLICT (rail) DO UPDATE SET at = now()`,
    )
    // The next nonce of its sender, as a sync of the network finds it.
    await pool.query(
      `INSERT INTO app.sender_nonces (rail, address, next_nonce, synced_at)
       VALUES ('ethereum', app.address_key($1), 7, now())
       ON CONFLICT (rail, address) DO UPDATE SET synced_at = now()`,
      [sender],
    )
    const services = { db: openDatabase(pool), clock: systemClock, log: pino({ level: 'error' }) }
    await assessPayouts(services, 'ethereum')
  } finally {
    await pool.end()
  }
}

type Investor = Awaited<ReturnType<typeof investorWith>>

const destination = () => `0x${crypto.randomUUID().replaceAll('-', '').padStart(40, '0')}`

/** A withdrawal in USDT on Ethereum that is approved, to an address of its own where no other is said. */
async function approved({ ask, decide }: Investor, amount = 100, address = destination()) {
  const withdrawal = await ask('/withdrawal/new', { amount, wallet: 'USDT ERC-20', address })
  await decide(`/withdrawal/approve/${withdrawal._id}`)
  return { ...withdrawal, address }
}

/** The same in a batch of its own. */
async function inBatch(investor: Investor) {
  const withdrawal = await approved(investor)
  await onChain(async () => {})
  const body = { wallet: 'USDT ERC-20', withdrawals: [withdrawal._id] }
  const batch = await investor.decide('/payout/new', body)
  return { ...withdrawal, batch: batch as PayoutDetail }
}

test('[N-03, K-03, T-05] a batch is created, signed elsewhere, added here, and final on its network', async ({
  browser,
  request,
}) => {
  const investor = await investorWith(request, 1_000)
  const asked = [await approved(investor, 120), await approved(investor, 80.5)]
  await onChain(async () => {})
  const page = await consoleOf(browser, { path: '/admin/payouts' })
  const making = region(page, 'Create a batch')
  await making.getByLabel('Coin').selectOption('USDT ERC-20')
  for (const { invoiceId } of asked) {
    await expect(making.getByRole('checkbox', { name: `Pay ${invoiceId}` })).toBeChecked()
  }
  await expect(making.getByRole('status')).toHaveText('2 chosen, $200.50')
  await expectAccessible(page, 'payouts', widths)
  await making.getByRole('button', { name: 'Review batch' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create this batch?' })
  await expect(dialog).toContainText('200.5 USDT')
  await expectAccessible(page, 'a batch before it is made', widths)
  await dialog.getByRole('button', { name: 'Create batch' }).click()
  await expectToast(page, 'Payout batch created')
  await expect(making).toContainText('No approved withdrawals in USDT ERC-20 to pay.')
  await expect(making.locator(':focus')).toHaveCount(1)

  const [paying] = await investor.read<{ batch: { number: string } }[]>('/withdrawal/get-all-user')
  const { number } = paying!.batch
  // Of the list as it was before, the first one is another.
  await region(page, 'Batches').getByRole('link', { name: number }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Payout batch ${number}`)
  const file = await savedBy(page, page.getByRole('button', { name: /^Download PAY-/ }))
  const { transactions } = JSON.parse(file.content.toString())
  expect(transactions.map(({ pays }: { pays: { amount: string } }) => pays.amount)).toEqual([
    '120.000000',
    '80.500000',
  ])
  await expect(region(page, 'Transactions').getByRole('columnheader', { name: 'Nonce' })).toBeVisible()
  const sha256 = createHash('sha256').update(file.content).digest('hex')
  const next = region(page, 'What to do')
  await expect(next).toContainText(`SHA-256 ${sha256}`)
  await expectAccessible(page, 'a batch to sign', widths)

  const signedFile = next.getByLabel('Signed file', { exact: true })
  await expect(next.getByLabel('Or paste it', { exact: true })).toBeVisible()
  await next.getByRole('button', { name: 'Check and broadcast' }).click()
  await expect(signedFile).toHaveAccessibleDescription(/Choose the signed file, or paste it/)
  const plans = (transactions as { unsigned: `0x02${string}` }[]).map(one => parseTransaction(one.unsigned))
  const other = await wallet.signTransaction({ ...plans[0]!, value: 1n })
  await next.getByLabel('Or paste it').fill(other)
  await expect(signedFile).not.toHaveAttribute('aria-invalid')
  await next.getByRole('button', { name: 'Check and broadcast' }).click()
  await expect(next.getByLabel('Or paste it')).toHaveAccessibleDescription(/The transaction with nonce \d+ /)
  await expectSound(page, widths)
  const signed = await Promise.all(plans.map(plan => wallet.signTransaction(plan)))
  await next.getByLabel('Or paste it').fill(signed[1]!)
  await next.getByRole('button', { name: 'Check and broadcast' }).click()
  await expect(next).toContainText('1 of 2: Signed, and waits for an earlier transaction.')
  await expect(next).toContainText('comes first: sign that transaction of this batch too.')
  await expectAccessible(page, 'a batch of which a part is signed', widths)
  await next.getByLabel('Or paste it').fill(signed.join('\n'))
  await next.getByRole('button', { name: 'Check and broadcast' }).click()
  await expectToast(page, 'Signature received')
  const statuses = region(page, 'Transactions')
  await expect(statuses.getByText('Signed', { exact: true })).toHaveCount(2)
  await expect(next).toContainText('We broadcast it within a minute.')

  const id = new URL(page.url()).searchParams.get('id')
  const batch = await investor.look<PayoutDetail>(`/payout/get-one/${id}`)
  await seen(batch, { block: null, tip: 100 })
  await expect(statuses.getByText('On the network', { exact: true })).toHaveCount(2)
  await seen(batch, { block: 101, tip: 102 })
  await expect(statuses.getByText('2 of 3 confirmations')).toHaveCount(2)
  await expect(next).toContainText('Nothing is left to do.')
  // What can only be refused is not offered.
  await expect(page.getByRole('button', { name: /^Cancel batch PAY-/ })).toHaveCount(0)
  await expectAccessible(page, 'a batch on the network', widths)
  await seen(batch, { block: 101, tip: 103 })
  await expect(region(page, 'Withdrawals').getByText('Paid', { exact: true })).toHaveCount(2)
  await expect(next).toContainText('Paid and final.')

  const own = await browserOf(browser)
  await signIn(request, own, investor.person)
  await own.goto(`/dashboard/withdrawals?withdrawal=${asked[0]!._id}`)
  const record = own.getByRole('dialog')
  await expect(record).toContainText('Coin amount')
  await expect(record).toContainText('120 USDT')
  await expect(record).toContainText('Paid by us: you receive the full amount')
  await expectAccessible(own, 'a withdrawal that a batch has paid', widths)
})

/** The batch's transactions, in no block or in this one, with the chain's tip; three confirmations count. */
async function seen(
  { items, payments }: PayoutDetail,
  { block, tip, units, ...of }: { block: number | null; tip: number; units?: number; transactionId?: string },
) {
  await onChain(async query => {
    for (const { payment, address, amount, withdrawal } of items) {
      const transactionId = of.transactionId ?? `0x${withdrawal.replaceAll('-', '').padStart(64, '0')}`
      await query(
        `INSERT INTO app.chain_spends (rail, slot, transaction_id, sender, seen_at, block_height)
         VALUES ('ethereum', $1, $2, app.address_key($3), now(), $4)
         ON CONFLICT (rail, slot, transaction_id) DO UPDATE SET block_height = $4`,
        [payments[payment]!.slots[0]!.slot, transactionId, sender, block],
      )
      if (units === 0) continue
      await query(
        `INSERT INTO app.chain_transfers
           (rail, transaction_id, position, address, token, units, senders, seen_at, block_height, block_hash, block_time)
         VALUES ('ethereum', $1, 1, app.address_key($2), 'USDT', $3, $4, now(), $5::integer, $5::text, CASE WHEN $5 IS NOT NULL THEN now() END)
         ON CONFLICT (rail, transaction_id, position, address, token, units)
         DO UPDATE SET block_height = $5::integer, block_hash = $5::text, block_time = excluded.block_time`,
        [transactionId, address, units ?? Math.round(amount * 1_000_000), [sender.toLowerCase()], block],
      )
    }
    await query(
      `INSERT INTO app.chain_cursors (rail, synced_height, synced_hash, tip_height, confirmations, polled_at)
       VALUES ('ethereum', $1, 'hash', $1, 3, now())
       ON CONFLICT (rail) DO UPDATE SET synced_height = $1, tip_height = $1, polled_at = now()`,
      [tip],
    )
  })
}

test('[T-06] coverage compares chains with books and shows failed or stale networks', async ({ browser }) => {
  await onChain(async query => {
    await query(
      `INSERT INTO app.coverage_readings (rail, token, at, units, addresses)
       VALUES ('ethereum', 'ETH', now(), 2000000000, 3), ('ethereum', 'USDC', now(), 1500000, 3)`,
    )
    await query(
      `INSERT INTO app.chain_cursors (rail, synced_height, synced_hash, tip_height, confirmations, polled_at, sync_error, sync_error_since)
       VALUES ('ethereum', 103, 'hash', 103, 3, now(), 'it cannot be reached', now())
       ON CONFLICT (rail) DO UPDATE SET sync_error = excluded.sync_error, sync_error_since = excluded.sync_error_since, halted = false`,
    )
  })
  const page = await consoleOf(browser)
  const chains = region(page, 'On the chains')
  const row = (table: string, name: string) =>
    chains.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name })
  const coins = 'Coins on-chain and in the ledger'
  await expect(row(coins, 'ETH')).toContainText('2 ETH')
  await expect(row(coins, 'ETH')).toContainText('at 3 addresses')
  await expect(row(coins, 'BTC')).toContainText('Not watched')
  await expect(row(coins, 'BTC')).toContainText('Not compared')
  await expect(chains).toContainText('The past of this demonstration is invented')
  await expect(chains).toContainText('1.5 USDC is on watched addresses although we do not accept USDC')
  const watching = 'Sync state of each network'
  await expect(row(watching, 'Ethereum')).toContainText('Failing')
  await expect(row(watching, 'Ethereum')).toContainText('since')
  await expect(row(watching, 'Bitcoin')).toContainText('Payments are approved manually')
  await expectSound(page, widths)
  await onChain(query =>
    query(
      "UPDATE app.chain_cursors SET halted = true, sync_error = 'it cannot be reached', sync_error_since = now()",
    ),
  )
  await page.reload()
  await expect(row(watching, 'Ethereum')).toContainText(
    'Nothing is credited until an operator resumes the sync (npm run chain:resume).',
  )
  await onChain(async () => {})
})

test('[T-06] a payout that cannot be recorded is named at its network with advice', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 500)
  const body = { amount: 100, wallet: 'USDT ERC-20', address: destination() }
  const { _id, invoiceId } = await ask('/withdrawal/new', body)
  const failing = (ids: string[]) =>
    onChain(query => query('UPDATE app.chain_cursors SET failed_payouts = $1', [ids]))
  await failing([_id])
  const page = await consoleOf(browser)
  const network = region(page, 'On the chains')
    .getByRole('table', { name: 'Sync state of each network' })
    .getByRole('row')
    .filter({ hasText: 'Ethereum' })
  await expect(network).toContainText('Partly failing')
  await expect(network).toContainText(
    `The payout of ${invoiceId} could not be processed. We retry automatically; until then do not pay it another way.`,
  )
  await expectSound(page, widths)
  await network.getByRole('link', { name: invoiceId }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Withdrawal ${invoiceId}`)
  await failing([])
  await page.goBack()
  await page.reload()
  await expect(network).toContainText('Watched')
})

async function openBatch(page: Page) {
  await page.goto('/admin/payouts')
  await region(page, 'Batches').getByRole('link', { name: /^PAY-/ }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Payout batch PAY-/)
}

test('[N-03, T-05] a batch that nobody has downloaded is cancelled at once, then paid manually', async ({
  browser,
  request,
}) => {
  const { _id, invoiceId } = await inBatch(await investorWith(request, 500))
  const page = await consoleOf(browser, { who: 'second administrator', path: `/admin/withdrawal?id=${_id}` })
  const byHand = page.getByRole('button', { name: `Mark paid ${invoiceId}` })
  await expect(byHand).toBeDisabled()
  await expect(byHand).toHaveAttribute('title', /^PAY-.* pays it and marks it as paid automatically$/)

  await openBatch(page)
  await page.getByRole('button', { name: /^Cancel batch PAY-/ }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Nobody has its file.')
  await expectAccessible(page, 'cancelling a batch')
  await dialog.getByRole('button', { name: 'Keep batch' }).click()
  await expect(dialog).toHaveCount(0)
  await page.getByRole('button', { name: /^Cancel batch PAY-/ }).click()
  await dialog.getByLabel('Reason').fill('The device is lost')
  await dialog.getByRole('button', { name: 'Cancel batch' }).click()
  await expectToast(page, 'Cancellation started')
  await expect(region(page, 'What to do')).toContainText('Cancelled: The device is lost.')
  await page.goto(`/admin/withdrawal?id=${_id}`)
  await expect(byHand).toBeEnabled()
})

test('[S-04, T-05] a batch whose file is out is cancelled by a transaction of its own', async ({
  browser,
  request,
}) => {
  const investor = await investorWith(request, 500)
  const { invoiceId, batch } = await inBatch(investor)
  const page = await consoleOf(browser, { path: `/admin/payout?id=${batch._id}` })
  const next = region(page, 'What to do')
  await savedBy(page, next.getByRole('button', { name: /^Download PAY-/ }))
  await page.getByRole('button', { name: /^Cancel batch PAY-/ }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('whose transactions take the place of the payments and pay nobody')
  await dialog.getByLabel('Reason').fill('The device is lost')
  await dialog.getByRole('button', { name: 'Cancel batch' }).click()
  await expectToast(page, 'Cancellation started')
  await expect(next).toContainText('Being cancelled: The device is lost.')
  await expect(next).toContainText('Download the file that cancels')
  await expectAccessible(page, 'a batch that is being cancelled', widths)
  const file = await savedBy(page, next.getByRole('button', { name: /^Download PAY-/ }))
  const [entry] = JSON.parse(file.content.toString()).transactions
  await next.getByLabel('Signed file').setInputFiles({
    name: 'signed.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(await wallet.signTransaction(parseTransaction(entry.unsigned))),
  })
  await next.getByRole('button', { name: 'Check and broadcast' }).click()
  await expectToast(page, 'Signature received')
  await seen(batch, { block: 90, tip: 103, units: 0 })
  await expect(next).toContainText('This batch paid no withdrawal as planned and never will.')
  await page.goto('/admin/payouts')
  const making = region(page, 'Create a batch')
  await making.getByLabel('Coin').selectOption('USDT ERC-20')
  await expect(making.getByRole('checkbox', { name: `Pay ${invoiceId}` })).toBeEnabled()
})

test('[N-03, T-05] the owners of a Safe sign a batch in its app, and it is paid once executed', async ({
  browser,
  request,
}) => {
  const becomes = (version: string | null) =>
    onChain(query => query('UPDATE app.sender_nonces SET safe_version = $1', [version]))
  await onChain(async () => {})
  await becomes('1.4.1')
  const { batch } = await inBatch(await investorWith(request, 1_000))
  const page = await consoleOf(browser, { path: `/admin/payout?id=${batch._id}` })
  const todo = region(page, 'What to do')
  const [file] = batch.files
  const nonce = batch.payments[0]!.slots[0]!.slot.split(':')[1]!
  await expect(todo).toContainText(`Set the nonce to ${nonce}.`)
  await expect(todo).toContainText(file!.safeTxHash!)
  await expect(todo.getByLabel('Signed file')).toHaveCount(0)
  await expectAccessible(page, 'a batch of a Safe', widths)
  const saved = await savedBy(page, page.getByRole('button', { name: /^Download PAY-/ }))
  expect(JSON.parse(saved.content.toString())).toMatchObject({ version: '1.0', chainId: '31337' })
  await onChain(async query => {
    const { slot } = batch.payments[0]!.slots[0]!
    const transaction = [`0x${'5a'.repeat(32)}`, slot, slot.split(':')[0], file!.safeTxHash]
    await query(
      `INSERT INTO app.chain_spends (rail, slot, transaction_id, sender, safe_tx_hash, seen_at, block_height)
       VALUES ('ethereum', $2, $1, $3, $4, now(), 97)`,
      transaction,
    )
    const { address, amountCrypto } = batch.items[0]!
    await query(
      `INSERT INTO app.chain_transfers
         (rail, transaction_id, position, address, token, units, senders, seen_at, block_height, block_hash, block_time)
       VALUES ('ethereum', $1, 1, app.address_key($2), 'USDT', $3::numeric * 1000000, ARRAY[$4], now(), 97, 'hash 97', now())`,
      [transaction[0], address, amountCrypto, transaction[2]],
    )
  })
  await page.reload()
  await expect(todo).toContainText('Paid and final.')
  await becomes(null)
})

test('[S-04, T-05] a transaction that takes the place of a payment is a fault to review', async ({
  browser,
  request,
}) => {
  const { invoiceId, batch } = await inBatch(await investorWith(request, 500))
  await seen(batch, { block: 90, tip: 103, units: 1_000_000 })
  const page = await consoleOf(browser, { path: '/admin/payouts?payouts=faulty#payouts' })
  await region(page, 'Batches').getByRole('link', { name: batch.number }).click()
  const item = region(page, 'Withdrawals').getByRole('row').filter({ hasText: invoiceId })
  await expect(item).toContainText('Another transaction took the place of this payment. It pays 1 USDT')
  await expect(region(page, 'What to do')).toContainText(
    'free for another batch once you have read the alert',
  )
  await expectAccessible(page, 'a batch with a fault', widths)
  await page.getByRole('button', { name: /^Mark reviewed PAY-/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('Sent from the wallet by mistake')
  await dialog.getByRole('button', { name: 'Mark reviewed' }).click()
  await expectToast(page, 'Marked as reviewed')
  await expect(region(page, 'What to do')).toContainText('1 withdrawal is free for another batch.')
})

test('[K-03, T-05] a final payment that a reorg removed is broadcast again once it is added', async ({
  browser,
  request,
}) => {
  const { batch } = await inBatch(await investorWith(request, 500))
  const page = await consoleOf(browser, { path: `/admin/payout?id=${batch._id}` })
  const next = region(page, 'What to do')
  const file = await savedBy(page, next.getByRole('button', { name: /^Download PAY-/ }))
  const [entry] = JSON.parse(file.content.toString()).transactions
  const signed = await wallet.signTransaction(parseTransaction(entry.unsigned))
  // Sent with the wallet itself, so that we have no copy.
  const transactionId = keccak256(signed)
  await seen(batch, { block: 90, tip: 103, transactionId })
  await expect(next).toContainText('Paid and final.')
  await onChain(query =>
    query('UPDATE app.chain_spends SET block_height = NULL, dropped_at = now() WHERE transaction_id = $1', [
      transactionId,
    ]),
  )
  await expect(next).toContainText('A reorg removed a final transaction that you sent with another program.')
  await expectAccessible(page, 'a batch with a lost payment', widths)
  await next.getByLabel('Or paste it').fill(signed)
  await next.getByRole('button', { name: 'Check and broadcast' }).click()
  await expectToast(page, 'Signature received')
  await expect(next).not.toContainText('A reorg removed')
  await expect(next).toContainText('Paid and final.')
})

test('[S-04, T-05] a signed batch names the one to sign first, also after an alert', async ({
  browser,
  request,
}) => {
  const investor = await investorWith(request, 1_000)
  const asked = [await approved(investor, 60), await approved(investor, 70)]
  await onChain(async () => {})
  const body = { wallet: 'USDT ERC-20', withdrawals: asked.map(({ _id }) => _id) }
  const first = (await investor.decide('/payout/new', body)) as PayoutDetail
  const { batch } = await inBatch(investor)
  const page = await consoleOf(browser, { path: `/admin/payout?id=${batch._id}` })
  const next = region(page, 'What to do')
  const file = await savedBy(page, next.getByRole('button', { name: /^Download PAY-/ }))
  const [entry] = JSON.parse(file.content.toString()).transactions
  await next.getByLabel('Or paste it').fill(await wallet.signTransaction(parseTransaction(entry.unsigned)))
  await next.getByRole('button', { name: 'Check and broadcast' }).click()
  await expect(next).toContainText(`comes first: sign or cancel batch ${first.number}`)
  await expectAccessible(page, 'a batch that waits for another one', widths)

  await seen({ ...first, items: first.items.slice(0, 1) }, { block: 90, tip: 103, units: 0 })
  await next.getByRole('link', { name: first.number }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Payout batch ${first.number}`)
  await expect(next).toContainText('1 withdrawal has an alert.')
  await expect(next.getByLabel('Signed file')).toBeVisible()
  await expectAccessible(page, 'a batch with an alert that is not over', widths)
})

test('[S-04, T-05] a transaction that no payout explains is shown until two people explain it', async ({
  browser,
}) => {
  const transactionId = `0x${crypto.randomUUID().replaceAll('-', '').padStart(64, '0')}`
  await onChain(query =>
    query(
      `INSERT INTO app.chain_spends (rail, slot, transaction_id, sender, seen_at, block_height, told_at)
       VALUES ('ethereum', app.address_key($1) || ':900', $2, app.address_key($1), now(), 99, now())`,
      [sender, transactionId],
    ),
  )
  const page = await consoleOf(browser)
  await expect(page.getByText('Unexplained transactions')).toBeVisible()
  await page.goto('/admin/payouts#outgoing')
  const list = region(page, 'Unexplained transactions')
  await expect(list).toContainText(transactionId)
  await expect(list).toBeFocused()
  await expect(list.getByRole('heading')).toBeInViewport()
  await expectAccessible(page, 'an unexplained transaction', widths)
  await list.getByRole('button', { name: `Explain ${transactionId}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Who made this transaction, and why?' })
  await dialog.getByLabel('Reason').fill('We moved the reserve to the new wallet')
  await dialog.getByRole('button', { name: 'Record' }).click()
  await expectToast(page, 'Explanation recorded')
  await expect(list).toContainText('We moved the reserve to the new wallet')
  await expect(list.getByRole('button', { name: `Confirm ${transactionId}` })).toBeDisabled()

  const second = await consoleOf(browser, { who: 'second administrator', path: '/admin/payouts#outgoing' })
  await second.getByRole('button', { name: `Confirm ${transactionId}` }).click()
  const question = second.getByRole('dialog', { name: 'Is this explanation true?' })
  await expect(question).toContainText('We moved the reserve to the new wallet')
  await expectAccessible(second, 'an explanation to confirm', widths)
  await question.getByRole('button', { name: 'Confirm explanation' }).click()
  await expectToast(second, 'Explanation confirmed')
  await expect(second.getByText(transactionId)).toHaveCount(0)
  await expect(page.getByText(transactionId)).toHaveCount(0)
})

test('[N-03] of two withdrawals to one address a batch takes the first approved or the chosen', async ({
  browser,
  request,
}) => {
  const investor = await investorWith(request, 1_000)
  const first = await approved(investor, 60)
  const second = await approved(investor, 70, first.address)
  const page = await consoleOf(browser, { path: '/admin/payouts' })
  const making = region(page, 'Create a batch')
  await making.getByLabel('Coin').selectOption('USDT ERC-20')
  const box = ({ invoiceId }: Invoice) => making.getByRole('checkbox', { name: `Pay ${invoiceId}` })
  await expect(box(first)).toBeChecked()
  await expect(box(second)).toBeDisabled()
  await expect(making).toContainText(`Same address as ${first.invoiceId}: needs another batch`)
  await box(first).uncheck()
  await expect(box(second)).toBeChecked()
  await expect(box(first)).toBeDisabled()
})

test.describe('a batch of Bitcoin', () => {
  const seed = mnemonicToSeedSync('test test test test test test test test test test test junk')
  const root = HDKey.fromMasterSeed(seed, { private: 0x04_35_83_94, public: 0x04_35_87_cf })
  const xpub = `wpkh([${root.fingerprint.toString(16).padStart(8, '0')}/84h/1h/0h]${root.derive("m/84'/1'/0'").publicExtendedKey}/<0;1>/*)`
  const account = bitcoinAccount(xpub, bitcoinNetworks.regtest)
  const firm = ownProduct('payouts-of-bitcoin', {
    settings: { BITCOIN_XPUB: xpub, BITCOIN_RPC_URL: 'http://user:password@127.0.0.1:9' },
  })

  /** An output of the firm's, and the chain's tip above it. */
  const hasOutput = (index: number) =>
    onChain(async query => {
      const address = addressAt(account, 0, index)
      await query(
        `INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, used_at, created_at)
         SELECT $1, 0, $2, 'bitcoin', $3, id, now(), now() FROM app.users LIMIT 1`,
        [account.name, index, address],
      )
      await query(
        `INSERT INTO app.chain_transfers
           (rail, transaction_id, position, address, token, units, senders, seen_at, block_height, block_hash, block_time)
         VALUES ('bitcoin', $1, 0, $2, 'BTC', 50000000, '{x:0}', now(), 400, 'hash', now())`,
        [index.toString(16).padStart(64, '0'), address],
      )
      await query(
        `INSERT INTO app.chain_cursors (rail, synced_height, synced_hash, tip_height, confirmations, polled_at)
         VALUES ('bitcoin', 500, 'hash', 500, 2, now()) ON CONFLICT DO NOTHING`,
      )
    }, firm)

  test('[N-03, S-04, T-05] an approved withdrawal that no batch can pay says why, and is declined', async ({
    browser,
    request,
  }) => {
    const { person, ask } = await investorWith(request, 500)
    const body = {
      amount: 200,
      wallet: 'Bitcoin (BTC)',
      address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    }
    const { _id, invoiceId } = await ask('/withdrawal/new', body)
    // As if it had been approved before the network that is paid on was configured.
    await onChain(async query => {
      await query(
        `INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id)
         SELECT $1, id FROM app.users WHERE email = 'admin@probity.test'`,
        [_id],
      )
      await query(`UPDATE app.withdrawals SET status = 'approved', approved_at = now() WHERE id = $1`, [_id])
    }, firm)
    const page = await consoleOf(browser, { path: '/admin/payouts' })
    const making = region(page, 'Create a batch')
    await making.getByLabel('Coin').selectOption('Bitcoin (BTC)')
    await expect(making.getByRole('checkbox', { name: `Pay ${invoiceId}` })).toBeDisabled()
    await expect(making).toContainText('No batch can pay it: see its page')
    await expectAccessible(page, 'a withdrawal that cannot be chosen', widths)
    await making.getByRole('link', { name: invoiceId }).click()
    const why = `${body.address} is not an address of Bitcoin regtest.`
    await expect(region(page, 'Payment')).toContainText(`${why} If nobody has paid it manually, decline it`)
    await expectSound(page, widths)
    await page.getByRole('button', { name: `Decline ${invoiceId}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Decline this withdrawal?' })
    await expect(dialog).toContainText('If somebody has paid it manually, mark it as paid instead.')
    await expect(dialog).toContainText(why)
    await dialog.getByLabel('Reason').fill('This address is of another network')
    await dialog.getByRole('button', { name: 'Decline withdrawal' }).click()
    const unsent = dialog.getByRole('checkbox', { name: 'I confirm that nobody has paid it manually' })
    await expect(unsent).toBeFocused()
    await expect(unsent).toHaveAccessibleDescription(/Confirm that nobody has paid it/)
    await expectSound(page, widths)
    await unsent.check()
    await dialog.getByRole('button', { name: 'Decline withdrawal' }).click()
    await expectToast(page, 'Withdrawal declined')
    await expect(page.getByRole('button', { name: `Decline ${invoiceId}` })).toHaveCount(0)
    await expect(region(page, 'Payment')).not.toContainText(why)

    const own = await browserOf(browser)
    await signIn(request, own, person)
    await own.goto(`/dashboard/withdrawals?withdrawal=${_id}`)
    await expect(own.getByRole('dialog')).toContainText('This address is of another network')
  })

  test('[S-04, T-05] each wrong entry says what to do, and a high fee must be accepted first', async ({
    browser,
    request,
  }) => {
    const { ask, decide } = await investorWith(request, 500)
    const body = { amount: 100, wallet: 'Bitcoin (BTC)', address: payoutAddress }
    const { _id, invoiceId } = await ask('/withdrawal/new', body)
    await decide(`/withdrawal/approve/${_id}`)
    await hasOutput(90)
    const page = await consoleOf(browser, { path: '/admin/payouts' })
    const making = region(page, 'Create a batch')
    await making.getByLabel('Coin').selectOption('Bitcoin (BTC)')
    const look = making.getByRole('button', { name: 'Review batch' })
    const rate = making.getByLabel('Fee rate in sat/vB')
    for (const typed of ['', '0', '501', '1.5', 'fast', '-3']) {
      await rate.fill(typed)
      await look.click()
      await expect(rate, typed).toHaveAccessibleDescription(/Enter a whole number from 1 to 500, such as 12/)
      await expect(rate).toBeFocused()
    }
    await expectAccessible(page, 'a fee rate that is none', widths)
    await rate.fill('500')
    const chosen = making.getByRole('checkbox', { name: `Pay ${invoiceId}` })
    await expect(chosen).toBeChecked()
    // The demonstration has one of its own.
    for (const box of await making.getByRole('checkbox', { name: /^Pay / }).all()) await box.uncheck()
    await look.click()
    await expectToast(page, 'Choose at least one withdrawal', 'error')
    await chosen.check()
    await look.click()
    const dialog = page.getByRole('dialog', { name: 'Create this batch?' })
    await expect(dialog).toContainText(/Fee share\s*\d+\.\d % of the amount paid/)
    await dialog.getByRole('button', { name: 'Create batch' }).click()
    await expect(dialog).toContainText('choose a lower fee rate or pay more withdrawals together')
    await expectSound(page, widths)
    await dialog.getByRole('checkbox').check()
    await dialog.getByRole('button', { name: 'Create batch' }).click()
    await expectToast(page, 'Payout batch created')
  })

  test('[N-03, S-04] a PSBT is signed by a wallet, added as a file, and its fee is raised', async ({
    browser,
    request,
  }) => {
    const { ask, decide } = await investorWith(request, 5_000)
    const body = { amount: 4_000, wallet: 'Bitcoin (BTC)', address: payoutAddress }
    const { _id } = await ask('/withdrawal/new', body)
    await decide(`/withdrawal/approve/${_id}`)
    await hasOutput(91)
    const made = await decide('/payout/new', { wallet: 'Bitcoin (BTC)', withdrawals: [_id], feeRate: 3 })
    const page = await consoleOf(browser, { path: `/admin/payout?id=${made._id}` })
    const next = region(page, 'What to do')
    const addSigned = async () => {
      const file = await savedBy(page, next.getByRole('button', { name: /^Download PAY-/ }))
      const psbt = Transaction.fromPSBT(new Uint8Array(file.content))
      psbt.sign(root as unknown as Signer)
      const buffer = Buffer.from(psbt.toPSBT())
      await next
        .getByLabel('Signed file')
        .setInputFiles({ name: 'signed.psbt', mimeType: 'application/octet-stream', buffer })
      await next.getByRole('button', { name: 'Check and broadcast' }).click()
      await expectToast(page, 'Signature received')
    }
    const buffer = Buffer.from('not a signature')
    await next
      .getByLabel('Signed file')
      .setInputFiles({ name: 'signed.psbt', mimeType: 'text/plain', buffer })
    await next.getByRole('button', { name: 'Check and broadcast' }).click()
    await expect(next.getByLabel('Signed file')).toHaveAccessibleDescription(
      /This is neither a PSBT nor a transaction/,
    )
    await next.getByLabel('Signed file').setInputFiles([])
    await next.getByRole('button', { name: 'Show as QR codes' }).click()
    const path = next.getByRole('img', { name: 'PAY-' }).locator('path').last()
    const drawn = async () =>
      createHash('sha256')
        .update((await path.getAttribute('d'))!)
        .digest('hex')
    // Journeys ask for reduced motion, so nothing moves before Play.
    await expect(next.getByText('1 of 2')).toBeVisible()
    const first = await drawn()
    await next.getByRole('button', { name: 'Next code' }).press('Enter')
    await expect.poll(drawn).not.toBe(first)
    const second = await drawn()
    await next.getByRole('button', { name: 'Play' }).press('Enter')
    // The two codes take half a second, so who looks once a second sees one of them only.
    await expect.poll(drawn, { intervals: [70] }).toBe(first)
    await expect.poll(drawn, { intervals: [70] }).toBe(second)
    await next.getByRole('button', { name: 'Pause' }).press('Enter')
    await expect(next.getByText(/^\d of 2$/)).toBeVisible()
    await expectAccessible(page, 'a PSBT as QR codes', widths)
    await next.getByLabel('Your device').selectOption('Coldcard Q (BBQr)')
    await expect(next.getByRole('button', { name: 'Play' })).toHaveCount(0)
    await addSigned()
    await expectAccessible(page, 'a signed PSBT', widths)
    await page.getByRole('button', { name: /^Raise the fee PAY-/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Raise the fee?' })
    await expect(dialog.getByLabel('Fee rate in sat/vB')).toHaveValue('3')
    await dialog.getByLabel('Fee rate in sat/vB').fill('2')
    await dialog.getByRole('button', { name: 'Make the file' }).click()
    await expect(dialog.getByLabel('Fee rate in sat/vB')).toHaveAccessibleDescription(/Enter more than 3/)
    await dialog.getByLabel('Fee rate in sat/vB').fill('9')
    await dialog.getByRole('button', { name: 'Make the file' }).click()
    await expectToast(page, 'File with a higher fee created')
    await expect(region(page, 'Files').getByRole('row')).toHaveCount(3)
    await expect(next).toContainText('Download the file with the higher fee')
    await addSigned()
    await expectAccessible(page, 'a PSBT with a higher fee', widths)
  })
})
