import { type APIRequestContext, expect, test } from '@playwright/test'
import { systemClock } from '#server/platform/clock.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { earningPart } from '#shared/limits.ts'
import { formatUsd, formatUsdJson, usdFromJson } from '#shared/money.ts'
import { clearOfTheHour } from '#test/support/hour.ts'
import { manyInvestments } from '#test/support/many-investments.ts'
import { expectAccessible } from './support/accessible.ts'
import { region } from './support/console.ts'
import { decide, sendFunds, sendIdentity } from './support/identity.ts'
import { widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import {
  callApi,
  consoleOf,
  daysAgo,
  deafConsoleOf,
  expectToast,
  openAccount,
  sample,
  stranger,
  tokenOf,
} from './support/people.ts'

/** What has accrued in the demonstration is other journeys' to pay: these have a demonstration of their own. */
const product = ownProduct('plan-earnings')

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
  const page = await deafConsoleOf(browser, { path: `/admin/plan-earnings?plan=${plan._id}` })
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

test('[N-09, N-12] many earnings show their progress, and the rest is cancelled', async ({
  browser,
  request,
}) => {
  const token = await tokenOf(request, sample('administrator'))
  const { _id: adminId } = await callApi<{ _id: string }>(request, 'GET', '/auth/me', { token })
  const [plan] = await callApi<Plan[]>(request, 'GET', '/plan/get-all')
  const investor = stranger('Mary Many')
  const own = await openAccount(request, investor)
  const { _id: id } = await callApi<{ _id: string }>(request, 'GET', '/auth/me', { token: own })
  const proving = { person: investor, token: own }
  for (const send of [sendIdentity, sendFunds])
    await decide(request, await send(request, proving), 'verified')
  const fund = async (_who: object, cents: bigint) => {
    const body = { method: 'usdt', amount: Number(cents) / 100 }
    const { _id } = await callApi<{ _id: string }>(request, 'POST', '/deposit/new', { token: own, body })
    await callApi(request, 'POST', `/deposit/approve/${_id}`, { token })
  }
  const pool = openPool({ url: product().ownerUrl, as: 'owner', name: 'journey' })
  const holder = await pool.connect()
  try {
    const place = { database: { db: openDatabase(pool) }, clock: systemClock, admin: { id: adminId }, fund }
    const many = { count: 2 * earningPart, amountCents: 10_000n, plan: plan!.name, days: 2 }
    await manyInvestments(place, { id }, many)
    const previewed = () => callApi<Preview>(request, 'GET', `/earning/preview-plan/${plan!._id}`, { token })
    const { count, total } = await previewed()
    await recordReturn(request, token, total)

    const page = await consoleOf(browser, { path: `/admin/plan-earnings?plan=${plan!._id}` })
    const confirmAll = async () => {
      await page.getByRole('button', { name: 'Add these earnings' }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Add [\d,]+ earnings$/ })
        .click()
    }
    // The second part waits for an investment of the plan.
    await holder.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
    await holder.query(
      `SELECT FROM app.investments WHERE id = (
         SELECT i.id FROM app.investments i JOIN app.plan_versions p ON p.id = i.plan_version_id
          WHERE p.plan_id = $1 AND i.status = 'active' AND i.covered_until <= now()
          ORDER BY i.id OFFSET $2 LIMIT 1) FOR UPDATE`,
      [plan!._id, 1.5 * earningPart],
    )
    await confirmAll()
    await expectToast(page, 'Earnings are being added')
    const adding = region(page, 'Adding earnings')
    await expect(adding).toContainText(
      `${earningPart.toLocaleString('en')} of ${count.toLocaleString('en')} processed`,
    )
    await expect(adding).toContainText(formatUsdJson(total))
    await expect(page.getByRole('button', { name: 'Add these earnings' })).toHaveCount(0)
    await expectAccessible(page, 'earnings being added', widths)

    await adding.getByRole('button', { name: 'Cancel the rest' }).click()
    const dialog = page.getByRole('dialog')
    await expectAccessible(page, 'cancel the rest of the earnings', widths)
    await dialog.getByRole('button', { name: 'Cancel the rest' }).click()
    await expectToast(page, 'The rest of the earnings is cancelled')
    await holder.query('ROLLBACK')
    const run = region(page, 'Latest run')
    await expect(run).toContainText('Cancelled')
    await expect(run).toContainText(`${earningPart.toLocaleString('en')} investments`)
    await expect(run).toContainText(`${(count - earningPart).toLocaleString('en')} investments`)
    await expect(region(page, 'Preview')).toContainText((count - earningPart).toLocaleString('en'))
    await expectAccessible(page, 'earnings of which the rest is cancelled', widths)

    await confirmAll()
    await expect(run).toContainText('Done')
    await expect(region(page, 'Preview')).toContainText('This plan has no unpaid accruals.')
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
    await pool.end()
  }
})
