import { expect, test } from '@playwright/test'
import pg from 'pg'
import { mnemonicToAccount } from 'viem/accounts'
import { anvilProgram, publicMnemonic } from '#server/demo/anvil.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, consoleOf, desktop, expectToast, phone } from './support/people.ts'

/** An admin proves coins of the demonstration's chain, and everybody sees them on the page of the public proof. */

test.skip(anvilProgram() === undefined, 'no anvil for this machine')
const product = ownProduct('reserves', { settings: { DEMO_CHAIN: 'anvil' } })

/** Pays withdrawals on that chain. */
const account = mnemonicToAccount(publicMnemonic, { addressIndex: 1 })

/** The worker ends an epoch that is over within a minute. */
async function endEpoch(): Promise<void> {
  const client = new pg.Client(product().ownerUrl)
  await client.connect()
  await client.query("UPDATE ledger.log_progress SET epoch_ends = now() - interval '15 minutes'")
  await client.end()
}

for (const [name, viewport] of Object.entries({ desktop, phone }))
  test(`an admin proves an address, and strangers see it (${name})`, async ({ browser }) => {
    test.setTimeout(240_000)
    const page = await consoleOf(browser, { viewport, path: '/admin/reserves' })
    const others = page.getByRole('textbox', { name: /^Other addresses/ })
    const begin = page.getByRole('button', { name: 'Read balances and write the message' })
    await begin.click()
    await expect(others).toHaveAccessibleDescription(/Choose or enter an address/)
    await page.getByRole('checkbox', { name: account.address }).check()
    await others.fill('hello')
    await begin.click()
    await expect(others).toHaveAccessibleDescription(/hello is not an address/)
    await others.fill('')
    await begin.click()
    await expect(others).toBeFocused()
    const proof = page.getByRole('article').first()
    // Until it is read, nobody can say what it holds.
    await expect(proof).not.toContainText('Nothing')
    await expect(proof).toContainText('Collecting signatures', { timeout: 30_000 })
    const message = await proof.locator('pre').textContent()
    const signature = page.getByRole('textbox', { name: 'Signature' })
    await signature.fill(await account.signMessage({ message: 'another message' }))
    await page.getByRole('button', { name: 'Check signature' }).click()
    await expect(proof).toContainText('This does not prove')
    await signature.fill(await account.signMessage({ message: message! }))
    await page.getByRole('button', { name: 'Check signature' }).click()
    await expect(proof.getByRole('table')).toContainText('Valid')
    await expectSound(page, widths)
    await page.getByRole('button', { name: 'Publish with the next epoch' }).click()
    await expectToast(page, 'The next epoch publishes these coins')
    await expect(proof).toContainText('In the next epoch')

    await endEpoch()
    await expect(proof).toContainText('sealed in epoch', { timeout: 120_000 })
    const visitor = await browserOf(browser, viewport)
    await visitor.goto('/proof')
    const coins = visitor.getByText('at one address, sealed at the end of')
    await expect(visitor.getByText('Coins signed for', { exact: true }).first()).toBeVisible()
    await expect(coins).toContainText('The amounts are ours: look them up on the chain.')
    await expect(coins).toContainText('They are on test networks')
    await expect(visitor.getByText('We list no other assets.')).toBeVisible()
    await expectSound(visitor)
  })
