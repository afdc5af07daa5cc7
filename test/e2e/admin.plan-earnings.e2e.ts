import { expect, test } from '@playwright/test'
import type { Plan } from '#shared/contract/entities.ts'
import { formatUsdJson } from '#shared/money.ts'
import { clearOfTheHour } from '#test/support/hour.ts'
import { expectAccessible } from './support/accessible.ts'
import { region } from './support/console.ts'
import { widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { callApi, consoleOf, deafConsoleOf, expectToast, sample, tokenOf } from './support/people.ts'

/** What has accrued in the demonstration is other journeys' to pay: these have a demonstration of their own. */
ownProduct('plan-earnings')

type Preview = { count: number; total: number; asOf: string; digest: string }

for (const [device, viewport] of widths) {
  test(`[N-09, N-12, D4] on a ${device} earnings for a whole plan are looked at, confirmed, and added as one`, async ({
    browser,
    request,
  }) => {
    // The demonstration's investments began at whole hours: so does each of their days.
    await clearOfTheHour()
    const token = await tokenOf(request, sample('administrator'))
    const get = <T>(path: string) => callApi<T>(request, 'GET', path, { token })
    const previewOf = ({ _id }: Plan) => get<Preview>(`/earning/preview-plan/${_id}`)
    const plans = await get<Plan[]>('/plan/get-all')
    const previews = await Promise.all(plans.map(async plan => ({ ...(await previewOf(plan)), plan })))
    const { plan, count, total } = previews.find(preview => preview.count > 0)!
    await callApi(request, 'POST', '/return/new', {
      token,
      body: { amount: total, source: 'Rent', realisedAt: '2026-11-01', evidence: 'https://example.com/rent' },
    })

    const page = await consoleOf(browser, viewport)
    await page.getByRole('link', { name: 'Add earnings for a whole plan' }).click()
    await expect(page.getByRole('heading', { name: 'Earnings for a plan' })).toBeVisible()
    await page.getByLabel('Plan', { exact: true }).selectOption(plan.name)
    const what = region(page, 'What would be paid')
    await expect(what).toContainText(formatUsdJson(total))
    const each = region(page, 'Each investment')
    await expect(each.getByRole('row').filter({ hasText: 'INV-' })).toHaveCount(Math.min(count, 10))
    await expectAccessible(page, `earnings for a plan, ${device}`)

    await what.getByRole('button', { name: 'Add these earnings' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText(`Add earnings for the ${plan.name} plan?`)
    await expect(dialog).toContainText(formatUsdJson(total))
    await expectAccessible(page, 'confirm earnings for a plan')
    await dialog.getByLabel('Note').fill('November')
    await dialog.getByRole('button', { name: /^Add \d+ earnings?$/ }).click()
    await expectToast(page, 'Earnings added')
    await expect(dialog).toBeHidden()
    await expect(what).toContainText('Nothing has accrued on it that is not paid.')
    await expect(what.getByRole('button', { name: 'Add these earnings' })).toHaveCount(0)
    expect(await previewOf(plan)).toMatchObject({ count: 0, total: 0 })
    const added = await get<{ note: string | null; status: string }[]>(`/earning/get-all?limit=${count}`)
    for (const earning of added) expect(earning).toMatchObject({ note: 'November', status: 'paid' })
  })
}

test('[N-09, B-04] what has changed since it was looked at is refused in words, and shown anew', async ({
  browser,
  request,
}) => {
  await clearOfTheHour()
  const token = await tokenOf(request, sample('administrator'))
  const plans = await callApi<Plan[]>(request, 'GET', '/plan/get-all')
  const previews = await Promise.all(
    plans.map(async plan => ({
      ...(await callApi<Preview>(request, 'GET', `/earning/preview-plan/${plan._id}`, { token })),
      plan,
    })),
  )
  const { plan, total, asOf, digest } = previews.find(preview => preview.count > 0)!
  const body = {
    amount: total * 2,
    source: 'Rent',
    realisedAt: '2026-11-01',
    evidence: 'https://example.com/a',
  }
  await callApi(request, 'POST', '/return/new', { token, body })
  const page = await deafConsoleOf(browser)
  await page.goto(`/admin/plan-earnings?plan=${plan._id}`)
  await page.getByRole('button', { name: 'Add these earnings' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(formatUsdJson(total))
  await callApi(request, 'POST', `/earning/add-plan/${plan._id}`, { token, body: { asOf, digest } })
  await dialog.getByRole('button', { name: /^Add \d+ earnings?$/ }).click()
  await expectToast(page, 'Nothing has accrued on this plan that is not paid yet.', 'error')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Nothing has accrued on it that is not paid.')).toBeVisible()
})
