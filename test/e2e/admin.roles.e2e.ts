import { expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { investorWith, openAct, region, rowOf } from './support/console.ts'
import { consoleOf, expectToast, phone } from './support/people.ts'
import { rowsOf, savedBy } from './support/saved.ts'

const ofAll = [
  ...['Console', 'Users', 'Deposits', 'Withdrawals', 'Investments', 'Earnings'],
  ...[
    'Payouts',
    'Recorded returns',
    'Monitoring',
    'Screening',
    'Prices',
    'Public proof',
    'Cash flow',
    'Journal',
  ],
]
const own = ['Profile', 'Security']

/** The entries of the console's menu, in their order. */
async function expectMenu(page: Page, entries: string[]) {
  const menu = page.getByRole('navigation', { name: 'Admin console' })
  await expect(menu.getByRole('link')).toHaveText(entries)
}

async function expectNotYours(page: Page, path: string, role: string) {
  await page.goto(path)
  await expect(
    page.getByRole('heading', { level: 1, name: 'You don’t have access to this page' }),
  ).toBeVisible()
  await expect(page.getByText(`Your role, ${role}, does not include it.`)).toBeVisible()
}

test('[W-01, R-07, N-12] finance decides and sees the books, and is shown nothing of what it may not do', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 0, 'Fiona Funder')
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 120 })
  const page = await consoleOf(browser, { who: 'finance' })
  await expect(page.getByText('Ruth Calder · Finance')).toBeVisible()
  await expectMenu(page, [...ofAll, ...own])
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')
  await page.getByRole('link', { name: 'Record a return' }).click()
  await expect(page.getByRole('heading', { name: 'Record a realised return' })).toBeVisible()
  for (const path of ['/admin/plans', '/admin/messages', '/admin/audit']) {
    await expectNotYours(page, path, 'Finance')
  }
})

test('[W-01, R-07, N-12] support reads, messages too: no act on money, no books, no log', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 1000, 'Sue Supported')
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 130 })
  const { _id } = await ask('/investment/new', { method: 'balance', plan: 'Basic', amount: 500 })
  const page = await consoleOf(browser, { viewport: phone, who: 'support' })
  await expect(page.getByRole('heading', { level: 2, name: 'Waiting for a decision' })).toBeVisible()
  const deposits = region(page, 'Deposits')
  await deposits.getByRole('searchbox').fill(invoiceId)
  await expect(deposits.getByText(invoiceId)).toBeVisible()
  await expect(deposits.getByRole('cell').getByRole('button')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Record a return' })).toHaveCount(0)
  await expectAccessible(page)
  await page.goto(`/admin/investment?id=${_id}`)
  await expect(page.getByRole('heading', { level: 2, name: 'History' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 2, name: 'Postings' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^(Approve|Decline)/ })).toHaveCount(0)
  await page.goto('/admin/messages')
  await expect(page.getByRole('heading', { level: 1, name: 'Messages' })).toBeVisible()
  await expectNotYours(page, '/admin/audit', 'Support')
  await expectAccessible(page)
})

test('[W-01, R-07, N-12] an auditor reads everything that shows what was done, and does nothing', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 1000, 'Audrey Audited')
  const { _id, invoiceId } = await ask('/investment/new', { method: 'balance', plan: 'Basic', amount: 500 })
  const page = await consoleOf(browser, { who: 'auditor' })
  await expectMenu(page, [...ofAll, 'Audit log', ...own])
  const investments = region(page, 'Investments')
  await investments.getByRole('searchbox').fill(invoiceId)
  await expect(investments.getByText(invoiceId)).toBeVisible()
  await expect(
    page.getByRole('table').getByRole('button', { name: /^(Approve|Decline|Close|Add)/ }),
  ).toHaveCount(0)
  await page.goto('/admin/returns')
  await expect(page.getByRole('heading', { level: 2, name: 'Returns', exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Record a realised return' })).toHaveCount(0)
  await page.goto(`/admin/investment?id=${_id}`)
  await expect(page.getByRole('heading', { level: 2, name: 'Postings' })).toBeVisible()
  await page.goto('/admin/audit')
  await expect(page.getByRole('table', { name: 'Audit log, newest first' })).toBeVisible()
  await expectNotYours(page, '/admin/messages', 'Auditor')
  await expectAccessible(page)
})

test('[R-07, N-07, N-12] an auditor takes away the statement of a user and the log, and the log says so', async ({
  browser,
  request,
}) => {
  const { person, read } = await investorWith(request, 1000, 'Edda Examined')
  const { _id } = await read<{ _id: string }>('/auth/me')
  const page = await consoleOf(browser, { who: 'auditor', path: `/admin/user?id=${_id}` })
  const statement = region(page, 'Statement')
  await expect(statement.getByRole('row').filter({ hasText: 'Deposit received' })).toBeVisible()
  const csv = await savedBy(page, statement.getByRole('button', { name: 'Download CSV' }))
  expect(rowsOf(csv.content)[1]).toEqual(expect.arrayContaining(['Deposit received', '1000.00']))
  const pdf = await savedBy(page, statement.getByRole('button', { name: 'Download PDF' }))
  expect(pdf.content.toString('latin1')).toMatch(/^%PDF-1\./)

  await page.goto('/admin/audit')
  await page.getByRole('searchbox').fill(person.email)
  await expect(rowOf(page, 'Audit log', 'Statement exported')).toHaveCount(2)
  const log = await savedBy(page, page.getByRole('button', { name: /^Export/ }))
  const exported = rowsOf(log.content).filter(row => row.includes('statement.exported'))
  expect(exported.filter(row => row.includes(person.name) && row.includes(_id))).toHaveLength(2)
})
