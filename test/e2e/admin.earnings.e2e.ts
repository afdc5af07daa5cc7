import { type APIRequestContext, expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { investorWith, listCalls, openAct, rowOf } from './support/console.ts'
import { widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import {
  browserOf,
  callApi,
  consoleOf,
  expectToast,
  phone,
  sample,
  signIn,
  tokenOf,
} from './support/people.ts'

/** A firm where earnings wait for a second admin has a server of its own: the demonstration pays them at once. */
ownProduct('approval', { settings: { EARNINGS_SECOND_APPROVAL: 'on' } })

type Own = { amount: number; status: string; declineReason: string | null }

/** An investor with an active investment, and an earning on it that the first administrator has added. */
async function investorWithProposal(request: APIRequestContext, amount: number) {
  const investor = await investorWith(request, 1000)
  const { ask, decide, read } = investor
  const { _id } = await ask('/investment/new', { method: 'balance', plan: 'Basic', amount: 500 })
  await decide(`/investment/approve/${_id}`)
  const { _id: userId } = await read<{ _id: string }>('/auth/me')
  await decide(`/earning/add/${userId}`, { amount })
  return { ...investor, userId }
}

test('[N-05, N-09, N-12] the second admin approves an earning that waits, beside its status', async ({
  browser,
  request,
}) => {
  const { person, read } = await investorWithProposal(request, 12.5)
  const page = await consoleOf(browser, { who: 'second administrator' })
  const waiting = page.getByRole('link', { name: 'Review: earnings to approve' })
  await waiting.click()
  const dialog = await openAct(page, 'Earnings', 'Approve', `the earning of ${person.name}`, person.name)
  await expect(dialog).toContainText('From recorded returns to the investor')
  await expect(dialog).toContainText('$12.50')
  await expectAccessible(page, 'approve earning')
  await dialog.getByRole('button', { name: 'Approve earning' }).click()
  await expectToast(page, 'Earning approved')
  expect(await read<Own[]>('/earning/get-all-user')).toMatchObject([{ amount: 12.5, status: 'paid' }])
})

test('[N-05, N-12] the second admin approves several earnings at once', async ({ browser, request }) => {
  const { person, read, decide, userId } = await investorWithProposal(request, 12.5)
  await decide(`/earning/add/${userId}`, { amount: 7 })
  const page = await consoleOf(browser, { who: 'second administrator' })
  const earnings = page.getByRole('region', { name: 'Earnings' })
  await earnings.getByRole('searchbox').fill(person.email)
  await expect(earnings.getByText('2 of 2')).toBeVisible()
  await earnings.getByRole('checkbox', { name: 'Select all pending (2)' }).check()
  await earnings.getByRole('button', { name: 'Approve 2 earnings' }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve 2 earnings?' })
  await expect(dialog).toContainText('$19.50')
  // Neither has accrued: the plan began today.
  await expect(dialog.getByText('$12.50 more than has accrued')).toBeVisible()
  await expectAccessible(page, 'approve several earnings', widths)
  await dialog.getByRole('button', { name: 'Approve 2 earnings' }).click()
  await expectToast(page, '2 earnings approved')
  expect((await read<Own[]>('/earning/get-all-user')).map(({ status }) => status)).toEqual(['paid', 'paid'])
})

test('[N-04, D-09] all matured investments are closed at once', async ({ browser, request }) => {
  const token = await tokenOf(request, sample('administrator'))
  const path = '/investment/get-all?status=matured'
  const matured = await callApi<{ _id: string }[]>(request, 'GET', path, { token })
  expect(matured.length).toBeGreaterThan(0)
  const page = await consoleOf(browser)
  const investments = page.getByRole('region', { name: 'Investments' })
  await page.goto('/admin/home?investments=matured')
  const count = `${matured.length} ${matured.length === 1 ? 'investment' : 'investments'}`
  await investments.getByRole('checkbox', { name: `Select all matured (${matured.length})` }).check()
  await investments.getByRole('button', { name: `Close ${count}` }).click()
  const dialog = page.getByRole('dialog', { name: `Close ${count}?` })
  await expect(dialog.getByText('Accrued, not yet paid').first()).toBeVisible()
  await expectAccessible(page, 'close several investments', widths)
  await dialog.getByRole('button', { name: `Close ${count}` }).click()
  await expect(dialog).toBeHidden()
  expect(await callApi(request, 'GET', path, { token })).toEqual([])
})

test('[N-05, N-12, S-03] the author of an earning cannot approve it but withdraws it with a reason', async ({
  browser,
  request,
}) => {
  const { person, decide, read, userId } = await investorWithProposal(request, 1234.5)
  const of = `the earning of ${person.name}`
  const page = await consoleOf(browser)
  const approve = await openAct(page, 'Earnings', 'Approve', of, person.name)
  await approve.getByRole('button', { name: 'Approve earning' }).click()
  await expectToast(page, /A second person must approve it/, 'error')
  await page.keyboard.press('Escape')
  await expect(page.locator('[data-toast]')).toHaveCount(0)

  const decline = await openAct(page, 'Earnings', 'Decline', of, person.name)
  await expect(decline).toContainText(person.name)
  await expect(decline).toContainText('$1,234.50')
  await decline.getByRole('button', { name: 'Decline earning' }).click()
  await expectToast(page, 'Enter a reason. The investor will see it', 'error')
  await expect(decline.getByLabel('Reason')).toBeFocused()
  await expectAccessible(page, 'decline earning', widths)
  await decline.getByLabel('Reason').fill('Meant for another month')
  const hasRead = listCalls(page)
  await decline.getByRole('button', { name: 'Decline earning' }).click()
  await expectToast(page, 'Earning declined')
  await expect(decline).toBeHidden()

  const row = rowOf(page, 'Earnings', person.name)
  await expect(row).toContainText('Declined')
  await expect(row).toContainText('Meant for another month')
  await expect(row.getByRole('button')).toHaveCount(0)
  await hasRead('/earning/get-all')
  const declined = { amount: 1234.5, status: 'declined', declineReason: 'Meant for another month' }
  expect(await read<Own[]>('/earning/get-all-user')).toMatchObject([declined])
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 500 })
  await decide(`/earning/add/${userId}`, { amount: 1 })
})

test('[D-10, S-03] the investor sees a declined earning and its reason, marked as not paid', async ({
  browser,
  request,
}) => {
  const { person, decide, read } = await investorWithProposal(request, 40)
  const [proposed] = await read<{ _id: string }[]>('/earning/get-all-user')
  await decide(`/earning/decline/${proposed?._id}`, { reason: 'Twice in the list' })
  const page = await browserOf(browser, phone)
  await signIn(request, page, person)
  await page.goto('/dashboard/history')
  const row = rowOf(page, 'Your earnings', '$40.00')
  for (const words of ['Declined', 'Twice in the list', 'Not paid']) await expect(row).toContainText(words)
  await expectAccessible(page)
})
