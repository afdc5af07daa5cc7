import { expect, type Page, test } from '@playwright/test'
import type { Plan } from '#shared/contract/entities.ts'
import { riskLine } from '#shared/plans.ts'
import { consolePaths } from '#web/console-paths.ts'
import { paths } from '#web/paths.ts'
import { asAdmin, dashboardOf, fund, invest, newInvestor } from './support/investor.ts'
import { callApi, consoleOf, desktop } from './support/people.ts'

/**
 * Visitors who see the target of a plan see its risk beside it (D1.4), not only at the end of the page: every target
 * stands in a part of the page that has the line.
 */
async function expectRiskBesideTargets(page: Page) {
  await expect(page.getByText(/^Loading/)).toHaveCount(0)
  const plans = await callApi<Plan[]>(page.request, 'GET', '/plan/get-all')
  const percentages = plans.map(({ percentage }) => String(percentage).replace('.', '\\.'))
  // A share of one's money is written with a decimal: 25.0% is none of the catalogue's.
  const target = new RegExp(`(^|[^\\d.])(${percentages.join('|')})%`)
  const targets = page.locator('main, [role=dialog]').getByText(target)
  await expect(targets.first(), page.url()).toBeVisible()
  const alone = await targets.evaluateAll((all, line) => {
    const tables = ':is(table, .table-room)'
    // What a table has beside it stands for all its cells.
    const partOf = (target: Element) =>
      target.closest('table')
        ? target.closest(`:not(${tables}, ${tables} *)`)
        : target.closest('li, section, [role=dialog]')
    return all
      .filter(target => !partOf(target)?.textContent?.includes(line))
      .map(target => target.textContent)
  }, riskLine)
  expect(alone, page.url()).toEqual([])
}

test('[P-09, D-03, D-07, D-11] an investor sees the risk line beside every target', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  const { _id } = await invest(request, iris, 'Enthusiast', 1500)
  await asAdmin(request, `/investment/approve/${_id}`)
  const { dashboard } = paths
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: dashboard.home })
  await expectRiskBesideTargets(page)
  for (const path of [
    dashboard.investments,
    dashboard.record('investment', _id),
    dashboard.newInvestment,
    dashboard.confirmDeposit({ method: 'balance', amount: '500', plan: 'Basic' }),
    paths.plans,
  ]) {
    await page.goto(path)
    await expectRiskBesideTargets(page)
  }
  const admin = await consoleOf(browser)
  for (const path of [consolePaths.plans, consolePaths.investment(_id)]) {
    await admin.goto(path)
    await expectRiskBesideTargets(admin)
  }
})
