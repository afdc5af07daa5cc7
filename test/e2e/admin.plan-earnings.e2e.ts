import { type APIRequestContext, expect, test } from '@playwright/test'
import type { Plan } from '#shared/contract/entities.ts'
import { formatUsd, formatUsdJson, usdFromJson } from '#shared/money.ts'
import { clearOfTheHour } from '#test/support/hour.ts'
import { expectAccessible } from './support/accessible.ts'
import { region } from './support/console.ts'
import { widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { callApi, consoleOf, daysAgo, deafConsoleOf, expectToast, sample, tokenOf } from './support/people.ts'

/** What has accrued in the demonstration is other journeys' to pay: these have a demonstration of their own. */
ownProduct('plan-earnings')

type Preview = { count: number; total: number; left: number; asOf: string; digest: string }

/** The first plan on which something has accrued, with its preview. */
async function accruedPlan(request: APIRequestContext, token: string) {
  // The demonstration's investments began at whole hours: so does each of their days.
  await clearOfTheHour()
  const plans = await callApi<Plan[]>(request, 'GET', '/plan/get-all')
  const previewOf = ({ _id }: Plan) =>
    callApi<Preview>(request, 'GET', `/earning/preview-plan/${_id}`, { token })
  const previews = await Promise.all(plans.map(async plan => ({ ...(await previewOf(plan)), plan })))
  return previews.find(({ count }) => count > 0)!
}

async function recordReturn(request: APIRequestContext, token: string, amount: number) {
  const body = { amount, source: 'Rent', realisedAt: daysAgo(21), evidence: 'https://example.com/rent' }
  await callApi(request, 'POST', '/return/new', { token, body })
}

test("[N-09, L-01] the list of a plan's earnings keeps its place while others' changes show above", async ({
  browser,
  request,
}) => {
  const token = await tokenOf(request, sample('administrator'))
  const { plan, left } = await accruedPlan(request, token)
  const page = await consoleOf(browser)
  const moments = new Set<string | null>()
  page.on('request', sent => {
    const { pathname, searchParams } = new URL(sent.url())
    if (pathname === '/api/earning/get-all-plan') moments.add(searchParams.get('asOf'))
  })
  await page.goto(`/admin/plan-earnings?plan=${plan._id}`)
  const each = region(page, 'Each investment')
  await expect(each.getByRole('row').filter({ hasText: 'INV-' }).first()).toBeVisible()
  const what = region(page, 'Preview')
  for (const recordedCents of [1000n, 2000n]) {
    await recordReturn(request, token, 10)
    await expect(what).toContainText(formatUsd(usdFromJson(left)! + recordedCents))
  }
  expect(moments.size).toBe(1)
})

test('[N-04, N-09] a retired plan is found by its investments and its earnings are added', async ({
  browser,
  request,
}) => {
  const token = await tokenOf(request, sample('administrator'))
  const { plan, total } = await accruedPlan(request, token)
  const body = { reason: 'Not taken up' }
  await callApi(request, 'POST', `/plan/retire/${plan._id}`, { token, body })
  const page = await consoleOf(browser)
  const investments = region(page, 'Investments')
  await investments.getByRole('button', { name: 'Filter and sort investments' }).click()
  await investments.getByRole('combobox', { name: 'Plan' }).selectOption(`${plan.name} (retired)`)
  await expect(page).toHaveURL(new RegExp(`investments-plan=${plan.name}`))
  await expect(investments.getByRole('row').nth(1)).toContainText(plan.name)
  await page.goto('/admin/plans')
  await page.getByRole('link', { name: `Add earnings for ${plan.name}` }).click()
  const choice = page.getByLabel('Plan', { exact: true })
  await expect(choice.getByRole('option', { name: `${plan.name} (retired)` })).toHaveJSProperty(
    'selected',
    true,
  )
  await expect(region(page, 'Preview')).toContainText(formatUsdJson(total))
  await expectAccessible(page, 'earnings for a retired plan', widths)
  await callApi(request, 'POST', `/plan/restore/${plan._id}`, { token, body })
  // What another admin does shows here, too.
  await expect(choice.getByRole('option', { name: plan.name, exact: true })).toHaveJSProperty(
    'selected',
    true,
  )
})

test('[N-09, N-12, D4] earnings for a whole plan are reviewed, confirmed, and added as one', async ({
  browser,
  request,
}) => {
  const token = await tokenOf(request, sample('administrator'))
  const { plan, count, total } = await accruedPlan(request, token)
  await recordReturn(request, token, total)

  const page = await consoleOf(browser)
  await page.getByRole('link', { name: 'Add earnings for a whole plan' }).click()
  await expect(page.getByRole('heading', { name: 'Earnings for a plan' })).toBeVisible()
  await page.getByLabel('Plan', { exact: true }).selectOption(plan.name)
  const what = region(page, 'Preview')
  await expect(what).toContainText(formatUsdJson(total))
  const each = region(page, 'Each investment')
  await expect(each.getByRole('row').filter({ hasText: 'INV-' })).toHaveCount(Math.min(count, 10))
  await expectAccessible(page, 'earnings for a plan', widths)

  await what.getByRole('button', { name: 'Add these earnings' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(`Add earnings for the ${plan.name} plan?`)
  await expect(dialog).toContainText(formatUsdJson(total))
  await expectAccessible(page, 'confirm earnings for a plan', widths)
  await dialog.getByLabel('Note').fill('November')
  await dialog.getByRole('button', { name: /^Add \d+ earnings?$/ }).click()
  await expectToast(page, 'Earnings added')
  await expect(dialog).toBeHidden()
  await expect(what).toContainText('This plan has no unpaid accruals. Targets accrue by whole days.')
  await expect(what.getByRole('button', { name: 'Add these earnings' })).toHaveCount(0)
  const get = <T>(path: string) => callApi<T>(request, 'GET', path, { token })
  expect(await get(`/earning/preview-plan/${plan._id}`)).toMatchObject({ count: 0, total: 0 })
  const added = await get<{ note: string | null; status: string }[]>(`/earning/get-all?limit=${count}`)
  for (const earning of added) expect(earning).toMatchObject({ note: 'November', status: 'paid' })
})

test('[N-09, B-04] a preview that has changed is refused with a reason, and shown again', async ({
  browser,
  request,
}) => {
  const token = await tokenOf(request, sample('administrator'))
  const { plan, total, asOf, digest } = await accruedPlan(request, token)
  await recordReturn(request, token, total * 2)
  const page = await deafConsoleOf(browser)
  await page.goto(`/admin/plan-earnings?plan=${plan._id}`)
  await page.getByRole('button', { name: 'Add these earnings' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(formatUsdJson(total))
  await callApi(request, 'POST', `/earning/add-plan/${plan._id}`, { token, body: { asOf, digest } })
  await dialog.getByRole('button', { name: /^Add \d+ earnings?$/ }).click()
  await expectToast(page, 'This plan has no unpaid accruals.', 'error')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(
    page.getByText('This plan has no unpaid accruals. Targets accrue by whole days.'),
  ).toBeVisible()
})
