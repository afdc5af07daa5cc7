import { expect, type Page, test } from '@playwright/test'
import { parseTransaction } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { anvilProgram, publicMnemonic } from '#server/demo/anvil.ts'
import type { EthereumPayoutFile } from '#server/rails/ethereum/plans.ts'
import { expectAccessible } from './support/accessible.ts'
import { investorWith, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { consoleOf, expectToast } from './support/people.ts'
import { savedBy } from './support/saved.ts'

/** Deposits of the demonstration's chain, from the addresses that investors paid to the payout address. */

test.skip(anvilProgram() === undefined, 'no anvil for this machine')
ownProduct('sweeps', { settings: { DEMO_CHAIN: 'anvil' } })

/** Blocks come every two seconds, and each look reads some of them. */
const blocks = { timeout: 60_000 }

/** As a wallet that finds the key of each transaction by its path. */
async function signedBy({ transactions }: EthereumPayoutFile): Promise<string> {
  const signed = transactions.map(({ derivationPath, unsigned }) => {
    const account = mnemonicToAccount(publicMnemonic, { path: derivationPath as `m/44'/60'/${string}` })
    return account.signTransaction(parseTransaction(unsigned as `0x02${string}`))
  })
  return (await Promise.all(signed)).join('\n')
}

async function paidDeposits(request: Parameters<typeof investorWith>[0], amounts: readonly number[]) {
  const investor = await investorWith(request, 0)
  for (const amount of amounts) {
    const { _id } = await investor.ask('/deposit/new', { method: 'ethereum', amount })
    await investor.ask(`/demo/pay/${_id}`, {})
    await expect
      .poll(async () => (await investor.read<{ status: string }>(`/deposit/get-one/${_id}`)).status, blocks)
      .toBe('paid')
  }
}

async function findsNothing(page: Page) {
  const section = region(page, 'Move deposits')
  await section.getByRole('button', { name: /^Read the balances/ }).click()
  const row = section.getByRole('row', { name: /Ethereum \(ETH\)/ })
  await expect(row.getByRole('cell').last()).toHaveText('Nothing to move', blocks)
  await expectSound(page, widths)
}

async function moves(page: Page) {
  const section = region(page, 'Move deposits')
  await section.getByRole('button', { name: /^Read the balances/ }).click()
  await expect(section.getByRole('row', { name: /Ethereum \(ETH\)/ })).toContainText('2', blocks)
  await expectSound(page, widths)
  await section.getByRole('button', { name: 'Move Ethereum (ETH)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move these deposits?' })
  await expect(dialog.getByText('Network fee', { exact: true })).toBeVisible()
  await expectAccessible(page, 'a batch that moves deposits', widths)
  await dialog.getByRole('button', { name: 'Create batch' }).click()
  await expectToast(page, 'Batch created')
}

test('[N-03, S-04] deposits move to the payout address by a file that is signed elsewhere', async ({
  browser,
  request,
}) => {
  test.setTimeout(240_000)
  const page = await consoleOf(browser, { path: '/admin/payouts' })
  await findsNothing(page)
  await paidDeposits(request, [150, 250])
  await moves(page)
  const batches = region(page, 'Batches')
  await expect(batches.getByRole('row').filter({ hasText: 'PAY-' })).toContainText(
    'Deposits: 0 of 2 addresses moved',
  )
  await batches.getByRole('link', { name: /^PAY-/ }).click()
  const next = region(page, 'What to do')
  await expect(next).toContainText('derivation path')
  const file = await savedBy(page, page.getByRole('button', { name: /^Download PAY-/ }))
  await expectSound(page, widths)
  await next.getByLabel('Or paste it').fill(await signedBy(JSON.parse(file.content.toString())))
  await next.getByRole('button', { name: 'Check and broadcast' }).click()
  await expectToast(page, 'Signature received')
  await expect(next).toContainText('Final. We moved the deposits of 2 of 2 addresses.', blocks)
  await expect(region(page, 'Transfers').getByText('Moved', { exact: true })).toHaveCount(2)
  await expectSound(page, widths)
  await page.goto('/admin/payouts')
  await expect(region(page, 'Batches')).toContainText('Deposits: 2 of 2 addresses moved')
  await expect(region(page, 'Unexplained transactions')).toHaveCount(0)
})
