import { execFileSync } from 'node:child_process'
import { sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { checkSavedProof, parseSavedProof } from '#verifier/investor.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parseVerifierKey } from '#verifier/note.mjs'
import { openReceipt, parseReceipt } from '#verifier/receipts.mjs'
import { newKey } from '#verifier/test/made-up-firm.ts'
import { region } from './support/console.ts'
import { dashboardOf, expectSound, widths } from './support/investor.ts'
import { sample, tokenOf } from './support/people.ts'

/** The sample's investor, whose months are in the published books. */
const open = async (
  browser: Parameters<typeof dashboardOf>[0],
  request: Parameters<typeof dashboardOf>[1],
  path = '/dashboard/statement',
) => {
  const person = sample('investor')
  const who = { person, token: await tokenOf(request, person) }
  return await dashboardOf(browser, request, who, { path })
}
/** The verifier's command, by which files are checked years later. It needs no network for them. */
const verify = (...files: string[]) => {
  const state = ['--state', test.info().outputPath('state')]
  const command = [join(import.meta.dirname, '../../verifier/verify.mjs'), ...files, ...state]
  return execFileSync(process.execPath, command, { encoding: 'utf8' })
}
const checkIn = (page: Page) => region(page, 'Checked on your device')

test("an investor's device checks the published books, and keeps the proof", async ({ browser, request }) => {
  const page = await open(browser, request)
  const check = checkIn(page)
  await expect(check).toContainText(
    /Your total funds of \$[\d,.]+ on .* are part of the published total of \$[\d,.]+\./,
  )
  await expect(check.getByText('Holds')).toBeVisible()
  await check.getByText('What was checked').click()
  await expect(check.getByRole('listitem')).toHaveCount(9)
  await expect(check).toContainText(
    /All [\d,]+ lines of your account up to \d+ \w+ \d{4} are in them, none missing or doubled\./,
  )
  await expect(check).toContainText('This is the first check on this device')
  await expectSound(page, widths)

  await check.getByRole('button', { name: 'Check again' }).click()
  await expect(check).toContainText('They continue what this device saw last')
  const download = page.waitForEvent('download')
  await check.getByRole('button', { name: 'Save this proof' }).click()
  const file = await (await download).path()
  expect(verify('--proof-file', file)).toMatch(/^All holds: the balance of \$[\d,.]+ on /)
  const saved = parseSavedProof(readFileSync(file, 'utf8'))
  const { total } = checkSavedProof(saved, parseVerifierKey(saved.vkey, nodeHashes), nodeHashes)
  await expect(check).toContainText(
    `Your total funds of $${(Number(total) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`,
  )
})

test('a changed line is named loudly, and what the device knew stays', async ({ browser, request }) => {
  const page = await open(browser, request)
  const check = checkIn(page)
  await expect(check.getByText('Holds')).toBeVisible()
  // As on a device that has not read the lines yet.
  await page.evaluate(() => {
    localStorage.removeItem('proof-lines')
  })
  await page.route('**/api/proof/own*', async route => {
    const answer = await route.fetch()
    const body = await answer.json()
    body.data.transactions[0].leaf = body.data.transactions[0].leaf.replace('00 USD', '01 USD')
    await route.fulfill({ response: answer, json: body })
  })
  await check.getByRole('button', { name: 'Check again' }).click()
  const alert = check.getByRole('alert')
  await expect(alert).toContainText('The published books do not fit yours')
  await expect(alert).toContainText('A line of your account is missing from them, or is another one.')
  await expect(alert.getByRole('link')).toHaveAttribute('href', /^mailto:/)
  await expectSound(page, widths)
  await page.unroute('**/api/proof/own*')
  await check.getByRole('button', { name: 'Check again' }).click()
  await check.getByText('What was checked').click()
  await expect(check).toContainText('They continue what this device saw last')
})

test('another history than this device saw is named', async ({ browser, request }) => {
  const page = await open(browser, request)
  const check = checkIn(page)
  await expect(check.getByText('Holds')).toBeVisible()
  await page.route('**/proof/checkpoint', async route => {
    const answer = await route.fetch()
    const text = (await answer.text()).replace(/^— .*$/m, line => line.replace(/.{6}$/, 'AAAAA='))
    await route.fulfill({ response: answer, body: text })
  })
  await check.getByRole('button', { name: 'Check again' }).click()
  const alert = check.getByRole('alert')
  // A bad signature shows no other books.
  await expect(alert).toContainText('The published books did not pass the check')
  await expect(alert).toContainText(
    'Our public page does not show this device the books that your account shows.',
  )
  await expect(alert).toContainText('the checkpoint there is not one that we signed')
})

test('a check that failed leaves a trace until the investor puts it aside', async ({ browser, request }) => {
  const page = await open(browser, request)
  const check = checkIn(page)
  await expect(check.getByText('Holds')).toBeVisible()
  await page.route('**/proof/checkpoint', route => route.fulfill({ body: 'no checkpoint' }))
  await check.getByRole('button', { name: 'Check again' }).click()
  await expect(check.getByRole('alert')).toBeVisible()
  await page.unroute('**/proof/checkpoint')
  await page.reload()
  await expect(check.getByText('Holds')).toBeVisible()
  await expect(check).toContainText(/On \d+ \w+ \d{4} this check failed on this device\. Our public page/)
  await expectSound(page, widths)
  await check.getByRole('button', { name: "I know why, don't show this again" }).click()
  await expect(check).not.toContainText('failed on this device')
  await page.reload()
  await expect(check.getByText('Holds')).toBeVisible()
  await expect(check).not.toContainText('failed on this device')
})

test('a check that cannot be made leaves the last one on the page', async ({ browser, request }) => {
  const page = await open(browser, request)
  const check = checkIn(page)
  await expect(check.getByText('Holds')).toBeVisible()
  await page.route('**/api/proof/own*', route => route.abort())
  await check.getByRole('button', { name: 'Check again' }).click()
  await expect(check).toContainText('so nothing was checked.')
  await expect(check).toContainText('Below is your last check.')
  await expect(check.getByText('Holds')).toBeVisible()
  await expect(check.getByRole('button', { name: /again/i })).toHaveCount(1)
  await expectSound(page, widths)
})

test('each posting has a receipt to save, signed with the published key', async ({ browser, request }) => {
  const page = await open(browser, request)
  await expect(checkIn(page).getByText('Holds')).toBeVisible()
  await page
    .getByRole('table', { name: /^Movements/ })
    .getByRole('link')
    .first()
    .click()
  const record = page.getByRole('dialog')
  const download = page.waitForEvent('download')
  await record
    .getByRole('button', { name: /^Receipt/ })
    .first()
    .click()
  const file = await download
  await expectSound(page, widths)
  await page.keyboard.press('Escape')
  await expect(record).toHaveCount(0)
  expect(file.suggestedFilename()).toMatch(/^receipt-(available|held|invested)-\d+\.txt$/)
  const key = await (await request.get('/proof/receipts-vkey')).text()
  const note = readFileSync(await file.path(), 'utf8')
  const receipt = openReceipt(note, parseVerifierKey(key.trim(), nodeHashes), nodeHashes)
  expect(receipt.log).toBe(key.split('/receipts+')[0])
  const proof = page.waitForEvent('download')
  await checkIn(page).getByText('What was checked').click()
  await checkIn(page).getByRole('button', { name: 'Save this proof' }).click()
  const files = ['--proof-file', await (await proof).path(), '--receipt', await file.path()]
  expect(verify(...files)).toMatch(/^All holds: .*\n {2}✓ Receipts whose line is in its journal: \d+\.$/ms)
  await expectSound(page, widths)
})

test('a receipt without its line in the published books is named loudly', async ({ browser, request }) => {
  const page = await open(browser, request)
  const check = checkIn(page)
  await expect(check.getByText('Holds')).toBeVisible()
  // This device got a receipt two days before the newest epoch, for a line that we then left out.
  await page.evaluate(kept => localStorage.setItem('proof-receipts', kept), await leftOut(page))
  await check.getByRole('button', { name: 'Check again' }).click()
  const alert = check.getByRole('alert')
  await expect(alert).toContainText('We gave you a signed receipt for a line that is not in them.')
  await expect(alert).toContainText(/entry 90000 of available \(deposit.settled of [\d-]+, 123.45 USD/)
  await expect(alert.getByRole('link')).toHaveAttribute('href', /^mailto:/)
  await expectSound(page, widths)
  const download = page.waitForEvent('download')
  await check.getByRole('button', { name: 'Save this proof' }).click()
  const saved = parseSavedProof(readFileSync(await (await download).path(), 'utf8'))
  expect(saved.receipts.map(note => parseReceipt(note).version)).toEqual([90_000n])
})

test('every page of the dashboard checks, and speaks only of books that do not fit', async ({
  browser,
  request,
}) => {
  const page = await open(browser, request, '/dashboard/home')
  const held = page.getByText(
    /Your device checked it: your funds on \d+ \w+ \d{4} are part of the published total\./,
  )
  await expect(held).toBeVisible()
  await expectSound(page, widths)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.evaluate(() => {
    localStorage.removeItem('proof-lines')
  })
  await page.route('**/api/proof/own*', async route => {
    const answer = await route.fetch()
    const body = await answer.json()
    body.data.transactions[0].leaf = body.data.transactions[0].leaf.replace('00 USD', '01 USD')
    await route.fulfill({ response: answer, json: body })
  })
  await page.goto('/dashboard/withdrawals')
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('The published books do not fit yours')
  await expectSound(page, widths)
  await alert.getByRole('link', { name: 'See what failed, and what to do' }).press('Enter')
  await expect(page).toHaveURL('/dashboard/statement')
  await expect(checkIn(page).getByRole('alert')).toContainText('A line of your account is missing')
  await expect(page.getByRole('alert')).toHaveCount(1)
  // Hiding the books afterwards does not hide what the device found.
  await page.unrouteAll({ behavior: 'wait' })
  await page.route('**/api/proof/own*', route => route.abort())
  await page.goto('/dashboard/home')
  await expect(alert).toContainText('Your device has found that before, and could not check again just now.')
  await expectSound(page, widths)
  await page.goto('/dashboard/statement')
  await expect(checkIn(page)).toContainText(
    /this check failed on this device\. A line of your account is missing .*could not be made again just now/,
  )
  await expectSound(page, widths)
  // The statement checks once more, beside what it shows.
  await page.unrouteAll({ behavior: 'wait' })
})

test('after our key is lost, a device goes on with the new one that is entered', async ({
  browser,
  request,
}) => {
  const page = await open(browser, request)
  const check = checkIn(page)
  await expect(check.getByText('Holds')).toBeVisible()
  // This device knew an earlier key, and no rotation that it signed leads to ours.
  const vkey = await page.evaluate(() => JSON.parse(localStorage.getItem('proof')!).vkey)
  await page.evaluate(kept => localStorage.setItem('proof', kept), await byEarlierKey(page))
  await check.getByRole('button', { name: 'Check again' }).click()
  const alert = check.getByRole('alert')
  await expect(alert).toContainText('the one known here is')
  await expectSound(page, widths)
  await alert.getByLabel('Our new key').fill('somebody.example/proof+1234+AAAA')
  await alert.getByRole('button', { name: 'Check with this key' }).click()
  await expect(alert).toContainText('the key that you entered is not the one of these books')
  await alert.getByLabel('Our new key').fill(` ${vkey} `)
  await alert.getByLabel('Our new key').press('Enter')
  await expect(check.getByText('Holds')).toBeVisible()
  await check.getByText('What was checked').click()
  await expect(check).toContainText('They continue what this device saw last')
  await check.getByRole('button', { name: 'Check again' }).click()
  await expect(check.getByText('Holds')).toBeVisible()
})

test('a device remembers the log after a logout, and nothing of the investor', async ({
  browser,
  request,
}) => {
  const page = await open(browser, request)
  const check = checkIn(page)
  await expect(check.getByText('Holds')).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/')
  const kept = await page.evaluate(() => ({ ...localStorage }))
  expect(Object.keys(kept)).toEqual(['proof'])
  expect(Object.keys(JSON.parse(kept.proof!))).toEqual(['vkey', 'checkpoint'])
})

test('a damaged memory of the device is named, and is not our fault', async ({ browser, request }) => {
  const page = await open(browser, request)
  const check = checkIn(page)
  for (const change of ['"vkey":"', '"checkpoint":"', '{']) {
    await expect(check.getByText('Holds')).toBeVisible()
    await page.evaluate(
      part => localStorage.setItem('proof', localStorage.getItem('proof')!.replace(part, `${part}x`)),
      change,
    )
    await check.getByRole('button', { name: 'Check again' }).click()
    await expect(check).toContainText('What this device had kept of earlier checks was damaged.')
    await check.getByRole('button', { name: 'Check again' }).click()
    await expect(check).not.toContainText('damaged')
  }
  await expect(check.getByText('Holds')).toBeVisible()
  await page.evaluate(() =>
    localStorage.setItem('proof-lines', localStorage.getItem('proof-lines')!.replace(/\d"\]/, '7"]')),
  )
  await check.getByRole('button', { name: 'Check again' }).click()
  await expect(check.getByText('Holds')).toBeVisible()
})

test('published books that disappear, or that nobody can check for days, are named', async ({
  browser,
  request,
}) => {
  const page = await open(browser, request, '/dashboard/home')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('proof'))).not.toBeNull()
  await page.route('**/api/proof/own*', route => route.fulfill({ json: { data: null } }))
  // An investor who is new on this device: the books are there, and have no line of theirs yet.
  await page.goto('/dashboard/statement')
  await expect(checkIn(page)).toContainText('Yours can be checked from tomorrow on.')
  const alert = page.getByRole('alert')
  await expect(alert).toHaveCount(0)
  await page.route('**/proof/checkpoint', route => route.fulfill({ status: 404 }))
  await page.goto('/dashboard/withdrawals')
  await expect(alert).toContainText('The published books have disappeared')
  await alert.getByRole('link').press('Enter')
  await expect(alert).toContainText(/has checked published books of [\d,]+ entries before/)
  await expectSound(page, widths)

  await page.unrouteAll({ behavior: 'wait' })
  await page.route('**/api/proof/own*', route => route.abort())
  await page.evaluate(() => localStorage.setItem('proof-failing', '"2026-01-01"'))
  await page.goto('/dashboard/withdrawals')
  await expect(alert).toContainText(/could not check the published books for \d+ days/)
  await expectSound(page, widths)
  await alert.getByRole('link').press('Enter')
  await expect(alert).toContainText(/This device could make no check for \d+ days/)
  // Nobody needs to ask again: the next page does.
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('link', { name: 'Dashboard' }).first().click()
  await expect(page).toHaveURL('/dashboard/home')
  await expect(alert).toHaveCount(0)
})

/** What this device would keep if another key had signed the same books. */
async function byEarlierKey(page: Page): Promise<string> {
  const seen = JSON.parse(await page.evaluate(() => localStorage.getItem('proof')!))
  const text = seen.checkpoint.slice(0, seen.checkpoint.indexOf('\n\n') + 1)
  const origin = text.split('\n')[0]
  const { keyId, privateKey, vkey } = newKey(origin)
  const signature = Buffer.concat([keyId, sign(null, Buffer.from(text), privateKey)]).toString('base64')
  return JSON.stringify({ ...seen, vkey, checkpoint: `${text}\n— ${origin} ${signature}\n` })
}

/** A receipt that this device has verified before, of its own account. */
async function leftOut(page: Page): Promise<string> {
  const { checkpoint } = JSON.parse(await page.evaluate(() => localStorage.getItem('proof')!))
  const lines = JSON.parse(await page.evaluate(() => localStorage.getItem('proof-lines')!))
  const origin = checkpoint.split('\n')[0]
  const date = '2026-01-01'
  const { keyId, privateKey, vkey } = newKey(`${origin}/receipts`)
  const text = `probity-receipt/v1\nlog: ${origin}\nowner: ${lines.owner}\nkind: available\nasset: USD\nversion: 90000
amount: 12345\nbalance: 12345\nevent: deposit.settled\ndate: ${date}\nsealed-by: 2026-01-02\n`
  const signature = Buffer.concat([keyId, sign(null, Buffer.from(text), privateKey)]).toString('base64')
  return JSON.stringify([{ vkey, note: `${text}\n— ${origin}/receipts ${signature}\n` }])
}
