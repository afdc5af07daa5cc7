import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import pg from 'pg'
import type { ProofOverview } from '#shared/contract/proof.ts'
import { watch } from '#test/support/processes.ts'
import { expectAccessible } from './support/accessible.ts'
import { investorWith, payoutAddress, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, callApi, consoleOf, expectToast, logIn, sample, tokenOf } from './support/people.ts'
import { savedBy } from './support/saved.ts'

/** Staff see how publishing the books goes, and what to do if it does not. */

const ROOT = join(import.meta.dirname, '../..')
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
  const page = await consoleOf(browser, { who: 'support' })
  await page.getByRole('link', { name: 'Public proof' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Public proof' })).toBeVisible()
  await expect(page.getByText(log!.root, { exact: true })).toBeVisible()
  for (const missing of ['No witness is configured.', 'No auditor is configured.', 'There is no copy'])
    await expect(page.getByText(missing)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Needs attention' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Download opening file' })).toHaveCount(0)
  await expectSound(page, widths)
})

/** Runs a command as the firm or the auditor does. */
async function run(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const running = watch(process.execPath, args, { cwd: ROOT, env: { PATH: process.env.PATH, ...env } })
  expect(await running.ended(), running.output()).toBe(0)
  return running.output()
}

/** npm run proof on the product's database. */
async function proof(args: string[] = [], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const { dataDir, database } = product().services.config
  const settings = { DATA_DIR: dataDir, DATABASE_URL: database!.appUrl, ...more }
  return await run(['tools/run.mjs', '--as-is', 'tools/proof.ts', ...args], settings)
}

test('an auditor opens all lines, cosigns, and the firm publishes it', async ({ browser }, testInfo) => {
  const page = await consoleOf(browser, { who: 'auditor', path: '/admin/public-proof' })
  const saved = await savedBy(page, page.getByRole('button', { name: 'Download opening file' }))
  expect(saved.content.toString()).toMatch(/^probity-opening\/v1\nepoch 1\n/)
  const opening = testInfo.outputPath(saved.name)
  writeFileSync(opening, saved.content)
  const address = new URL('/proof', page.url()).href
  const state = ['--state', testInfo.outputPath('state')]
  const key = ['--cosign', testInfo.outputPath('key'), '--name', 'auditor.example/books']
  const output = await run(['verifier/verify.mjs', address, ...state, '--opening', opening, ...key])
  const vkey = /^Your key: (.*)$/m.exec(output)![1]!
  const cosignature = testInfo.outputPath('cosignature')
  writeFileSync(cosignature, output.split('Your cosignature:\n\n')[1]!)

  const added = await proof(['--cosignature', cosignature], { PROOF_AUDITOR: vkey })
  const epoch = /^Published: auditor\.example\/books has cosigned epoch (\d+)$/m.exec(added)![1]!
  await page.reload()
  const row = page.getByRole('row').filter({ hasText: 'auditor.example/books' })
  await expect(row).toContainText(`Epoch ${epoch}`)

  Object.assign(product().services.config, { auditor: vkey })
  const visitor = await browserOf(browser)
  await visitor.goto('/proof')
  const main = visitor.getByRole('main')
  await expect(main.getByRole('heading', { name: 'Who has cosigned our checkpoints' })).toBeVisible()
  await expect(main).toContainText(`Recomputed with all lines opened. Last cosigned epoch ${epoch}, on`)
  await expect(main).toContainText('We have none yet.')
  await expectSound(visitor, widths)
})

test("a frozen account's proof secret is erased after its address is typed again", async ({
  browser,
  request,
}) => {
  // Published before, and paid out: nothing else is erased.
  const { person, ask, decide, read } = await investorWith(request, 100)
  const { _id } = await read<{ _id: string }>('/auth/me')
  const wallet = { wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress }
  const { _id: withdrawal } = await ask('/withdrawal/new', { amount: 100, ...wallet })
  await decide(`/withdrawal/approve/${withdrawal}`)
  const token = await tokenOf(request, sample('second administrator'))
  const body = { transactionId: 'f00d'.repeat(16) }
  await callApi(request, 'POST', `/withdrawal/paid/${withdrawal}`, { token, body })
  await proof()
  const page = await consoleOf(browser, { path: `/admin/user?id=${_id}` })
  await page.getByRole('button', { name: `Freeze ${person.name}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('Asked to leave')
  await dialog.getByRole('button', { name: 'Freeze account' }).click()
  await expectToast(page, 'Account frozen')
  await page.getByRole('button', { name: `Erase proof secret ${person.name}` }).click()
  await dialog.getByLabel('Reason').fill('Asked to be forgotten')
  await dialog.getByLabel('The account’s email address').fill('another@example.com')
  await dialog.getByRole('button', { name: 'Erase proof secret' }).click()
  await expect(dialog.getByLabel('The account’s email address')).toHaveAccessibleDescription(
    'Enter the email address of this account',
  )
  await expectAccessible(page, 'erase proof secret', widths)
  await dialog.getByLabel('The account’s email address').fill(person.email)
  await dialog.getByRole('button', { name: 'Erase proof secret' }).click()
  await expectToast(page, 'Proof secret erased')
  await expect(page.getByText('The proof secret was erased on')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Erase proof secret/ })).toHaveCount(0)

  const owner = await browserOf(browser)
  await logIn(owner, person)
  await owner.goto('/dashboard/statement')
  await expect(region(owner, 'Checked on your device')).toContainText('The secret of this account was erased')
  await expectAccessible(owner, 'statement without a secret', widths)
})

test('the console says what is wrong with the public proof, and what to do', async ({ browser }) => {
  await asOwner(`
    INSERT INTO app.proof_problems VALUES ('signing', 'a log of 900 leaves was published, and the database has 800', now());
    INSERT INTO app.proof_copies SELECT '/srv/copies/proof', number, now() FROM ledger.epochs WHERE number = 3;`)
  const page = await consoleOf(browser, { who: 'auditor', path: '/admin/public-proof' })
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await expect(attention).toContainText('No new epoch is signed')
  await expect(attention).toContainText('A log of 900 leaves was published')
  await expect(attention).toContainText('Don’t start a new log.')
  await expect(page.getByRole('row').filter({ hasText: '/srv/copies/proof' })).toContainText('Behind')
  await expectSound(page, widths)
})
