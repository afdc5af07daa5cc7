import { expect, test } from '@playwright/test'
import { importSdn } from '#test/support/sanctions.ts'
import { freshAddress } from '#test/support/withdrawals.ts'
import { investorWith, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, consoleOf, expectToast, signIn } from './support/people.ts'

/** Without a payout address, so that withdrawals are paid by hand. */
const product = ownProduct('listed-wallets')
const wallet = 'USDT ERC-20'
const refusal =
  'This address is on the sanctions list of OFAC (the US Office of Foreign Assets Control), entry 25308, so we pay nothing to it. Enter an address of your own wallet.'

test('[N-03, D-08] a withdrawal to a listed wallet is refused, or declined', async ({ browser, request }) => {
  const { person, ask, decide } = await investorWith(request, 1_000)
  const to = { amount: 125, wallet, walletAddress: freshAddress(wallet) }
  const pending = await ask('/withdrawal/new', to)
  const approved = await ask('/withdrawal/new', to)
  await decide(`/withdrawal/approve/${approved._id}`)
  const last = 'KHORASHADIZADEH'
  await importSdn(product(), [{ uid: 25308, first: 'Ali', last, wallets: [['USDT', to.walletAddress]] }])

  const investor = await browserOf(browser)
  await signIn(request, investor, person)
  await investor.goto('/dashboard/withdrawals')
  await investor.getByLabel('Wallet', { exact: true }).selectOption(wallet)
  await investor.getByLabel('Amount (USD)').fill('50')
  await investor.getByLabel('Wallet address').fill(to.walletAddress)
  await expect(investor.getByText(`Valid ${wallet} address`)).toBeVisible()
  await investor.getByRole('button', { name: 'Request withdrawal' }).click()
  await investor.getByRole('button', { name: 'Confirm withdrawal' }).click()
  await expect(investor.getByLabel('Wallet address')).toHaveAccessibleDescription(refusal)
  await expect(investor.getByText(`Valid ${wallet} address`)).toHaveCount(0)
  await expectSound(investor, widths)

  const admin = await consoleOf(browser, { path: `/admin/withdrawal?id=${pending._id}` })
  const payment = region(admin, 'Payment')
  await expect(payment).toContainText('entry 25308 (Ali KHORASHADIZADEH). We pay nothing to it')
  await admin.getByRole('button', { name: `Approve ${pending.invoiceId}` }).click()
  await admin.getByRole('dialog').getByRole('button', { name: 'Approve withdrawal' }).click()
  await expect(admin.getByRole('dialog')).toContainText(
    'Decline this withdrawal and give the investor the reason',
  )
  await expectSound(admin, widths)

  await admin.goto(`/admin/withdrawal?id=${approved._id}`)
  await admin.getByRole('button', { name: `Mark paid ${approved.invoiceId}` }).click()
  await admin.getByRole('dialog').getByText('Close', { exact: true }).click()
  const payer = await consoleOf(browser, {
    who: 'second administrator',
    path: `/admin/withdrawal?id=${approved._id}`,
  })
  await payer.getByRole('button', { name: `Mark paid ${approved.invoiceId}` }).click()
  await expect(payer.getByRole('dialog')).toContainText('do not send them now')
  await expect(
    payer.getByRole('checkbox', { name: 'I confirm that the coins have already been sent.' }),
  ).toBeVisible()
  await expectSound(payer, widths)

  await admin.getByRole('button', { name: `Decline ${approved.invoiceId}` }).click()
  const decline = admin.getByRole('dialog')
  await decline.getByLabel('Reason').fill('Your wallet is on a sanctions list')
  await decline.getByRole('checkbox').check()
  await decline.getByRole('button', { name: /^Decline/ }).click()
  await expectToast(admin, 'Withdrawal declined')
})
