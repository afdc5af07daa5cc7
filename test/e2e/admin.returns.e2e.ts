import { createHash } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import {
  centsOf,
  dayBeforeReturns,
  investorInPlan,
  investorWith,
  listCalls,
  openAct,
  region,
  rowOf,
} from './support/console.ts'
import { payEarning, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, consoleOf, dayInWords, daysAgo, expectToast, phone, signIn } from './support/people.ts'
import { savedBy } from './support/saved.ts'

type Draft = { amount: string; date: string; source: string; evidence: string }

async function fillReturn(page: Page, { amount, date, source, evidence }: Draft) {
  await page.getByRole('textbox', { name: 'Amount' }).fill(amount)
  await page.getByLabel('Date').fill(date)
  await page.getByLabel('Source').fill(source)
  await page.getByLabel('Evidence').fill(evidence)
  await page.getByRole('button', { name: 'Record return' }).click()
}

/** A user with an active investment, and the dialog that adds their earnings. */
async function openEarnings(page: Page, name: string) {
  const users = region(page, 'Users')
  await users.getByRole('searchbox').fill(name)
  await users.getByRole('button', { name: `Add earnings for ${name}` }).click()
  return page.getByRole('dialog')
}

test('[N-11] a realised return is recorded with evidence, and shows what is left', async ({ browser }) => {
  const page = await consoleOf(browser, { path: '/admin/returns' })
  const before = { recorded: await centsOf(page, 'Recorded'), left: await centsOf(page, 'Left to pay out') }
  const day = daysAgo(12)
  const source = `Rent of warehouse ${crypto.randomUUID().slice(0, 8)}`
  await fillReturn(page, {
    amount: '1,250.75',
    date: day,
    source,
    evidence: 'https://example.com/rent.pdf',
  })
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('$1,250.75')
  await expect(dialog).toContainText(dayInWords(day))
  await expectAccessible(page, 'record return', widths)
  await dialog.getByRole('button', { name: 'Record return' }).click()
  await expectToast(page, 'Return recorded')
  await expect(rowOf(page, 'Returns', source)).toContainText('$1,250.75')
  await expect(
    rowOf(page, 'Returns', source).getByRole('link', { name: /^https:\/\/example.com\/rent.pdf/ }),
  ).toHaveAttribute('href', 'https://example.com/rent.pdf')
  await expect.poll(() => centsOf(page, 'Recorded')).toBe(before.recorded + 125_075n)
  expect(await centsOf(page, 'Left to pay out')).toBe(before.left + 125_075n)
  await expect(page.getByRole('textbox', { name: 'Amount' })).toHaveValue('')
})

test('[N-11] what is wrong with a return is said at its field, and what was typed stays', async ({
  browser,
}) => {
  const page = await consoleOf(browser, { path: '/admin/returns' })
  await page.getByRole('button', { name: 'Record return' }).click()
  await expectToast(page, 'All fields are required', 'error')
  await expect(page.getByRole('textbox', { name: 'Amount' })).toBeFocused()

  // Before anything is asked to be confirmed: all of it at once.
  await fillReturn(page, { amount: 'ten', date: '2099-01-01', source: 'Rent', evidence: 'none' })
  await expectToast(page, 'Enter an amount in dollars, such as 25,000.00', 'error')
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByRole('textbox', { name: 'Amount' })).toBeFocused()
  await expect(page.getByLabel('Date')).toHaveAccessibleDescription(/The date cannot be in the future/)
  await expect(page.getByLabel('Evidence')).toHaveAccessibleDescription(/Evidence must be a link/)
  await fillReturn(page, { amount: '10', date: daysAgo(12), source: 'Rent', evidence: 'none' })
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByLabel('Evidence')).toBeFocused()
  await expect(page.getByLabel('Source')).toHaveValue('Rent')
})

test('[N-09, N-02, N-08] earnings need a user with an active investment; users and figures are reloaded', async ({
  browser,
  request,
}) => {
  const { person, ask, decide, read } = await investorWith(request, 1000)
  const page = await consoleOf(browser)
  const users = region(page, 'Users')
  await users.getByRole('searchbox').fill(person.name)
  await expect(users.getByRole('button', { name: `Add earnings for ${person.name}` })).toBeDisabled()

  const investment = await ask('/investment/new', { method: 'balance', plan: 'Beginner', amount: 600 })
  await decide(`/investment/approve/${investment._id}`)
  await decide('/return/new', {
    amount: 100,
    source: 'Dividend of the port',
    realisedAt: daysAgo(19),
    evidence: 'TX-2026-0002',
  })
  await page.reload()
  const dialog = await openEarnings(page, person.name)
  await dialog.getByLabel('Amount').fill('12.34')
  await dialog.getByLabel('Note').fill('For November')
  await expect(dialog).toContainText(`Beginner, ${investment.invoiceId}`)
  await expectAccessible(page, 'add earnings')

  const hasRead = listCalls(page)
  await dialog.getByRole('button', { name: 'Add earnings' }).click()
  await expectToast(page, 'Earnings added. A second person must approve them')
  const second = await consoleOf(browser, { who: 'second administrator' })
  const of = `the earning of ${person.name}`
  const approval = await openAct(second, 'Earnings', 'Approve', of, person.name)
  await expect(approval).toContainText(
    '$12.34 above the unpaid target accrual, so a second person must approve it.',
  )
  await approval.getByRole('button', { name: 'Approve earning' }).click()
  await expectToast(second, 'Earning approved')
  await expect(rowOf(page, 'Users', person.name)).toContainText('$412.34')
  await hasRead('/auth/users', '/earning/get-all', '/return/summary')
  const [earning] = await read<{ amount: number; note: string }[]>('/earning/get-all-user')
  expect(earning).toMatchObject({ amount: 12.34, note: 'For November' })
})

test('[N-09] an unusual earning shows a warning before confirmation and stays possible', async ({
  browser,
  request,
}) => {
  const { person, decide, read, investment } = await investorInPlan(request)
  const source = `Rent of long ago ${crypto.randomUUID()}`
  await decide('/return/new', {
    amount: 50,
    source,
    realisedAt: await dayBeforeReturns(request),
    evidence: 'TX-2001-0001',
  })
  const page = await consoleOf(browser, { viewport: phone })
  const dialog = await openEarnings(page, person.name)
  await dialog.getByLabel('Amount').fill('7.50')
  await dialog.getByLabel('Note').fill('Rent, late')
  await expect(dialog).toContainText('$7.50 above the unpaid target accrual')
  await expect(dialog).toContainText(
    new RegExp(
      `this would be paid from a return, “${source}”, realised on .+, before the investment started`,
    ),
  )
  await expectAccessible(page, 'add earnings')
  await dialog.getByRole('button', { name: 'Add earnings' }).click()
  await expectToast(page, 'Earnings added. A second person must approve them')
  const [earning] = await read<{ amount: number; note: string }[]>('/earning/get-all-user')
  expect(earning).toMatchObject({ amount: 7.5, note: 'Rent, late' })
  await region(page, 'Earnings').getByRole('searchbox').fill(person.name)
  await expect(rowOf(page, 'Earnings', 'Rent, late')).toContainText(investment.invoiceId)
})

test('[N-09, B-04] an earning above recorded returns is announced, refused, and changes nothing', async ({
  browser,
  request,
}) => {
  const { person, read } = await investorInPlan(request)
  const page = await consoleOf(browser)
  const left = await centsOf(page, 'Left to pay out')
  const dialog = await openEarnings(page, person.name)
  await dialog.getByLabel('Amount').fill('9,999,999.00')
  await expect(dialog).toContainText('more than the recorded returns available')
  await dialog.getByRole('button', { name: 'Add earnings' }).click()
  await expectToast(page, /of recorded returns is available/, 'error')
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await centsOf(page, 'Left to pay out')).toBe(left)
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 400 })
})

test('[N-09] without an amount, and with nothing accrued yet, the refusal says why', async ({
  browser,
  request,
}) => {
  const { person } = await investorInPlan(request)
  const page = await consoleOf(browser)
  const dialog = await openEarnings(page, person.name)
  await dialog.getByRole('button', { name: 'Add earnings' }).click()
  await expectToast(page, /There are no unpaid accruals/, 'error')
})

const pdf = Buffer.from('%PDF-1.7\n1 0 obj <<>> endobj\ntrailer <<>>\nstartxref\n9\n%%EOF\n')

test('[N-11, D1] a wrong evidence file is refused without loss, a right one kept by hash', async ({
  browser,
}) => {
  const page = await consoleOf(browser, { path: '/admin/returns' })
  const source = `Dividend ${crypto.randomUUID().slice(0, 8)}`
  await page.getByRole('textbox', { name: 'Amount' }).fill('640')
  await page.getByLabel('Date').fill(daysAgo(10))
  await page.getByLabel('Source').fill(source)
  const file = page.getByLabel('Or a file instead')
  await page.getByRole('button', { name: 'Record return' }).click()
  await expect(page.locator('[name=evidence]')).toHaveAttribute('aria-invalid', 'true')
  await file.setInputFiles({
    name: 'page.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('<html></html>'),
  })
  await expect(page.locator('[name=evidence]')).not.toHaveAttribute('aria-invalid')
  await page.getByRole('button', { name: 'Record return' }).click()
  await expectToast(page, 'This is not a complete PDF or PNG file', 'error')
  await expect(page.getByLabel('Source')).toHaveValue(source)
  await expect(file).toBeFocused()
  await expectAccessible(page, 'a file that is refused', widths)

  await file.setInputFiles({ name: 'dividend.pdf', mimeType: 'application/pdf', buffer: pdf })
  await page.getByRole('button', { name: 'Record return' }).click()
  const dialog = page.getByRole('dialog')
  const hash = createHash('sha256').update(pdf).digest('hex')
  await expect(dialog).toContainText('dividend.pdf')
  await expect(dialog).toContainText(hash)
  await expectAccessible(page, 'record a return with a file', widths)
  await dialog.getByRole('button', { name: 'Record return' }).click()
  await expectToast(page, 'Return recorded')
  const row = rowOf(page, 'Returns', source)
  await expect(row).toContainText(hash)
  const saved = await savedBy(page, row.getByRole('button', { name: /^dividend\.pdf/ }))
  expect(saved).toEqual({ name: 'dividend.pdf', content: pdf })
})

test.describe('with two people', () => {
  ownProduct('returns')

  /** Presses a button of the return's row and confirms its dialog. */
  async function decide(page: Page, source: string, label: string, confirm: string) {
    await rowOf(page, 'Returns', source)
      .getByRole('button', { name: `${label} the return` })
      .click()
    const dialog = page.getByRole('dialog')
    await expectAccessible(page, label, widths)
    await dialog.getByRole('button', { name: confirm }).click()
  }

  test('[N-11, D7] a large return counts once a second person has approved it', async ({ browser }) => {
    const page = await consoleOf(browser, { path: '/admin/returns' })
    const before = await centsOf(page, 'Recorded')
    const source = 'Sale of the Tyne shipyard'
    const draft = { amount: '18,000', date: daysAgo(5), source, evidence: 'https://example.com/tyne.pdf' }
    await fillReturn(page, draft)
    await expect(page.getByRole('dialog')).toContainText(
      'One person alone records up to $10,000.00 in 24 hours, and you have $10,000.00 of it left.',
    )
    await expectAccessible(page, 'record a large return', widths)
    await page.getByRole('dialog').getByRole('button', { name: 'Record return' }).click()
    await expectToast(page, 'Return submitted. A second person must approve it')
    await expect(rowOf(page, 'Returns', source)).toContainText('Pending')
    expect(await centsOf(page, 'Recorded')).toBe(before)
    await decide(page, source, 'Approve', 'Approve return')
    await expectToast(page, 'You submitted this return. A second person must approve it.', 'error')
    await page.keyboard.press('Escape')

    const second = await consoleOf(browser, { viewport: phone, who: 'second administrator' })
    await second.getByRole('link', { name: 'Review: returns to decide' }).click()
    await decide(second, source, 'Approve', 'Approve return')
    await expectToast(second, 'Return approved')
    await expect.poll(() => centsOf(page, 'Recorded')).toBe(before + 1_800_000n)
    await expect(rowOf(page, 'Returns', source)).toContainText('Recorded')
  })

  test('[N-11, B-04] two people void a wrong return, and investors who got part of it read so', async ({
    browser,
    request,
  }) => {
    const { person, decide: act, read } = await investorInPlan(request)
    const source = 'Rent of the Leith docks'
    const realisedAt = await dayBeforeReturns(request)
    await act('/return/new', { amount: 200, source, realisedAt, evidence: 'https://example.com/leith.pdf' })
    const { _id } = await read<{ _id: string }>('/auth/me')
    await payEarning(request, _id, { amount: 50 })
    const page = await consoleOf(browser, { path: '/admin/returns' })
    const left = await centsOf(page, 'Left to pay out')
    await rowOf(page, 'Returns', source).getByRole('link', { name: source }).click()
    await page.getByRole('button', { name: 'Propose void' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('The tenant never paid')
    await expectAccessible(page, 'propose to void', widths)
    await page.getByRole('dialog').getByRole('button', { name: 'Propose void' }).click()
    await expectToast(page, 'Proposed. A second person must decide whether this return is voided')
    await expect(page.getByText('Nothing is paid from it until the void is decided')).toBeVisible()
    await page.goto('/admin/returns')
    await expect(rowOf(page, 'Returns', source)).toContainText('Void proposed')
    expect(await centsOf(page, 'Left to pay out')).toBe(left - 15_000n)

    const second = await consoleOf(browser, { viewport: phone, who: 'second administrator' })
    await second.getByRole('link', { name: 'Review: returns to decide' }).click()
    await decide(second, source, 'Approve void', 'Void return')
    await expectToast(second, 'Return voided')
    await rowOf(page, 'Returns', source).getByRole('link', { name: source }).click()
    await expect(region(page, 'Postings')).toContainText('Return voided')
    await expectAccessible(page, 'a voided return', widths)

    const investor = await browserOf(browser, phone)
    await signIn(request, investor, person)
    await investor.goto('/dashboard/statement')
    await investor.getByRole('link', { name: /earning/i }).click()
    await expect(investor.getByText('The firm has voided the rest of this return since.')).toBeVisible()
  })
})
