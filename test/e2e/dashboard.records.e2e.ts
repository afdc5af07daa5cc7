import { expect, type Page, test } from '@playwright/test'
import {
  busyInvestor,
  dashboardOf,
  expectSound,
  figure,
  fund,
  type Investor,
  newInvestor,
  widths,
} from './support/investor.ts'
import { callApi, desktop, phone } from './support/people.ts'
import { rowsOf, savedBy } from './support/saved.ts'

/** A record opens over any page, and a statement is narrowed and kept. */

type Request = Parameters<typeof newInvestor>[0]

/** The recorded returns that paid the one earning: the oldest that still holds something, from any admin. */
async function returnsOf(request: Request, { token }: Investor) {
  const [earning] = await callApi<{ _id: string }[]>(request, 'GET', '/earning/get-all-user', { token })
  const path = `/earning/get-one/${earning!._id}`
  return (await callApi<{ returns: { source: string; evidence: string }[] }>(request, 'GET', path, { token }))
    .returns
}

const movementsOf = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') })

test('[D-23, D1.2] an earning shows the return that paid it, and every record is a link away', async ({
  browser,
  request,
}) => {
  const iris = await busyInvestor(request, 1500)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/statement' })
  await movementsOf(page)
    .filter({ hasText: '$42.10' })
    .getByRole('link', { name: /earning/i })
    .click()
  const earning = page.getByRole('dialog', { name: 'Earning' })
  const returns = earning.getByRole('table', { name: 'Recorded returns that paid this earning' })
  const [paidBy] = await returnsOf(request, iris)
  await expect(returns).toContainText(paidBy!.source)
  // Evidence is the address of a document, or a reference.
  if (URL.canParse(paidBy!.evidence)) {
    await expect(returns.getByRole('link')).toHaveAttribute('href', paidBy!.evidence)
  } else await expect(returns).toContainText(paidBy!.evidence)
  await expect(earning.getByRole('table', { name: 'Postings of this earning' })).toContainText('+$42.10')
  await expect(earning.getByRole('heading', { name: 'History' })).toBeVisible()
  await expectSound(page, widths)

  await earning.getByRole('link', { name: /Enthusiast/ }).click()
  const investment = page.getByRole('dialog', { name: 'Enthusiast plan' })
  await expect(investment).toContainText('$1,500.00')
  await expect(page).toHaveURL(/\/dashboard\/statement\?investment=/)
  // On phones, too, each balance after a transfer has its account's name.
  await page.setViewportSize(phone)
  const held = investment.getByRole('row').filter({ hasText: 'Held for an investment' })
  const named = held.getByRole('cell').last().getByText('On hold', { exact: true })
  await expect.poll(async () => (await named.boundingBox())?.width).toBeGreaterThan(20)
  await page.setViewportSize(desktop)
  const letter = page.waitForEvent('download')
  await investment.getByRole('button', { name: 'Confirmation letter' }).click()
  expect((await letter).suggestedFilename()).toMatch(/^confirmation-INV-\d{4}-\d{6}\.pdf$/)
  await expectSound(page, widths)
  await page.goBack()
  await expect(earning).toBeVisible()
  await page.reload()
  await expect(earning).toContainText('$42.10')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL(/\/dashboard\/statement$/)
})

test('[B-03, D-24] a statement is narrowed by kind and days, and kept as CSV and as PDF', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await busyInvestor(request, 1500), {
    path: '/dashboard/statement',
  })
  await expect(figure(page, 'Opening balance')).toHaveText('$0.00')
  await expect(figure(page, 'Money in')).toHaveText('$2,042.10')
  await expect(figure(page, 'Closing balance')).toHaveText('$2,042.10')

  await page.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'Earnings' })
  await expect(movementsOf(page)).toHaveCount(1)
  const csv = await savedBy(page, page.getByRole('button', { name: 'Download CSV' }))
  expect(csv.name).toMatch(/^statement-.*\.csv$/)
  const table = rowsOf(csv.content).slice(1)
  expect(table).toHaveLength(1)
  expect(table[0]).toContain('42.10')
  const pdf = await savedBy(page, page.getByRole('button', { name: 'Download PDF' }))
  expect(pdf.name).toMatch(/^statement-.*\.pdf$/)
  expect(pdf.content.toString('latin1')).toMatch(/^%PDF-1\./)

  await page.getByLabel('To', { exact: true }).fill('2026-01-31')
  await expect(page.getByText('No entries match these filters in your statement.')).toBeVisible()
  await expect(figure(page, 'Closing balance')).toHaveText('$0.00')
  await page.getByLabel('From', { exact: true }).fill('2026-02-01')
  await expect(page.getByRole('alert')).toHaveText('The last day cannot be before the first')
  await expectSound(page, widths)
  await page.reload()
  await expect(page.getByLabel('From', { exact: true })).toHaveValue('2026-02-01')
  await page.getByText('All', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'All kinds' })
  await expect(figure(page, 'Closing balance')).toHaveText('$2,042.10')
})

test("another's record, or one that is not there, is not shown", async ({ browser, request }) => {
  const [iris, other] = [await newInvestor(request), await newInvestor(request)]
  const { _id, invoiceId } = await fund(request, other, 100)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: '/login' })
  for (const id of [_id, crypto.randomUUID(), 'nonsense']) {
    await page.goto(`/dashboard/home?deposit=${id}`)
    const dialog = page.getByRole('dialog', { name: 'Deposit' })
    await expect(dialog).toContainText('This deposit cannot be shown.')
    await expect(dialog).not.toContainText(invoiceId)
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(/\/dashboard\/home$/)
  }
})
