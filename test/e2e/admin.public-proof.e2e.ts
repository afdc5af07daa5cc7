import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import pg from 'pg'
import type { ProofOverview } from '#shared/contract/proof.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { callApi, consoleOf, desktop } from './support/people.ts'

/** Staff see how publishing the books goes, and what to do if it does not. */

const product = ownProduct('public-proof')

async function asOwner(statements: string): Promise<void> {
  const client = new pg.Client(product().ownerUrl)
  await client.connect()
  await client.query(statements)
  await client.end()
}

test('the console shows the newest epoch, and what nobody has signed or copied', async ({
  browser,
  request,
}) => {
  const { log } = await callApi<ProofOverview>(request, 'GET', '/proof/overview')
  const page = await consoleOf(browser, desktop, 'support')
  await page.getByRole('link', { name: 'Public proof' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Public proof' })).toBeVisible()
  await expect(page.getByText(log!.root, { exact: true })).toBeVisible()
  for (const missing of ['No witness is configured.', 'No auditor is configured.', 'There is no copy'])
    await expect(page.getByText(missing)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Needs attention' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Download opening file' })).toHaveCount(0)
  await expectSound(page, widths)
})

test('an auditor downloads the opening file, and sees what is wrong', async ({ browser }) => {
  await asOwner(`
    INSERT INTO app.proof_problems VALUES ('signing', 'a log of 900 leaves was published, and the database has 800', now());
    INSERT INTO app.proof_copies SELECT '/srv/copies/proof', number, now() FROM ledger.epochs WHERE number = 3;
    INSERT INTO ledger.cosignatures (epoch, kind, vkey, line, cosigned_at, received_at)
      SELECT 5, 'auditor', 'auditor.example/books+01234567+AQ==', '— auditor.example/books AQ==', now(), now();`)
  const page = await consoleOf(browser, desktop, 'auditor')
  await page.goto('/admin/public-proof')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await expect(attention).toContainText('No new epoch is signed')
  await expect(attention).toContainText('A log of 900 leaves was published')
  await expect(page.getByRole('row').filter({ hasText: '/srv/copies/proof' })).toContainText('Behind')
  await expect(page.getByRole('row').filter({ hasText: 'auditor.example/books' })).toContainText('Epoch 5')
  await expectSound(page, widths)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download opening file' }).click()
  expect(readFileSync(await (await download).path(), 'utf8')).toMatch(/^probity-opening\/v1\nepoch 1\n/)
})
