import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type APIRequestContext, expect, test } from '@playwright/test'
import type { ProofOverview } from '#shared/contract/proof.ts'
import { startLiveProduct } from '#test/support/live-product.ts'
import { freePort } from '#tools/free-port.ts'
import { findHledger, findLedger } from '#tools/proof-programs.ts'
import { expectSound, widths } from './support/investor.ts'
import { callApi } from './support/people.ts'

/** The public proof, as a stranger without an account meets it. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

const overviewOf = (request: APIRequestContext) => callApi<ProofOverview>(request, 'GET', '/proof/overview')

test('a stranger finds the proof from the home page, with figures, files and limits', async ({
  page,
  request,
}) => {
  await page.goto('/')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Check our books yourself' }).click()
  await expect(page).toHaveURL('/proof')
  const { log, listed } = await overviewOf(request)
  const main = page.getByRole('main')
  const usd = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
  await expect(main.getByText(usd.format(listed.at(-1)!.owed)).first()).toBeVisible()
  await expect(main.locator('pre').first()).toHaveText(log!.checkpoint)
  await expect(main.getByText(log!.root, { exact: true })).toBeVisible()
  for (const name of ['Checkpoint', 'Our public key', 'Balances in parts']) {
    const href = await main.getByRole('link', { name, exact: true }).getAttribute('href')
    expect((await request.get(href!)).status(), name).toBe(200)
  }
  for (const heading of ['Nobody outside the firm has cosigned yet', 'What it does not prove'])
    await expect(main.getByRole('heading', { name: heading })).toBeVisible()
  for (const absent of [
    'We have not proved that we hold any coins.',
    'No outside time authority has dated our checkpoints yet.',
  ])
    await expect(main.getByText(absent)).toBeVisible()
  await page.getByText('These figures as a table').click()
  await expect(main.getByRole('row')).toHaveCount(listed.length + 1)
  await expectSound(page, widths)
  expect(await page.locator('script').count()).toBe(0)
})

test('the commands of the page make a journal of all entries, which others can check', async ({
  page,
  request,
}, testInfo) => {
  await page.goto('/proof')
  const { log } = await overviewOf(request)
  const [, verifier, stated, download, check] = await page.locator('#check pre').allTextContents()
  const cwd = testInfo.outputPath('')
  execFileSync('sh', ['-ec', download!], { cwd })
  const journal = readFileSync(testInfo.outputPath('journal.txt'), 'utf8')
  expect(journal.match(/^\d{4}-\d\d-\d\d \* /gm)).toHaveLength(log!.transactions)
  expect(journal.match(/^; probity-epoch/gm)).toHaveLength(log!.epochs)
  const [hash] = execFileSync('sh', ['-ec', verifier!], { cwd, encoding: 'utf8' }).split(' ')
  expect(execFileSync('sh', ['-ec', stated!], { cwd, encoding: 'utf8' })).toBe(`; verifier: sha256=${hash}\n`)
  const isThere = [findHledger(), findLedger()].every(program => program !== null)
  execFileSync('sh', ['-ec', isThere ? check! : check!.split('\nhledger')[0]!], { cwd })
  expect(readFileSync(testInfo.outputPath('checked.txt'), 'utf8')).toMatch(
    /^ {2}Liabilities:Investors:Available {2}0 USD = -/m,
  )
})

test.describe('before the first transaction of a firm', () => {
  let product: Awaited<ReturnType<typeof startLiveProduct>> | undefined
  let origin: string
  test.beforeAll(async () => {
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    product = await startLiveProduct('e2e-proof', port, {})
  })
  test.afterAll(() => product?.stop())

  test('the page says that nothing is published, and how to check what will be', async ({ page }) => {
    await page.goto(`${origin}/proof`)
    await expect(page.getByRole('heading', { name: 'Nothing is published yet' })).toBeVisible()
    await expect(page.getByText('The first epoch begins with our first transaction.')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'What we owe' })).toHaveCount(0)
    await expect(page.locator('#check pre').first()).toContainText(`npx --yes ${origin}/proof/verifier.tgz `)
  })
})
