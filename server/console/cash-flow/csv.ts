import type { FileAnswer, SignedInContext } from '#server/context.ts'
import { byteOrderMark, csvLine, textCell } from '#server/platform/csv.ts'
import { exported } from '#server/queries/table-csv.ts'
import type { CashFlow } from '#shared/contract/cash-flow.ts'
import { cashFlowOf } from './service.ts'

type Line = readonly [part: string, of: string, figure: string, value: number | string | null]

/** The cash flow as a file: one figure a line, so that a spreadsheet can pivot it. */
export async function cashFlowAsCsv(ctx: SignedInContext): Promise<FileAnswer> {
  const flow = await cashFlowOf(ctx.services)
  async function* lines() {
    yield byteOrderMark + csvLine(['Part', 'Of', 'Figure', 'Value'])
    yield linesOf(flow)
      .map(([part, of, figure, value]) => csvLine([part, textCell(of), figure, cell(value)]))
      .join('')
  }
  const content = await exported(ctx, { list: 'cash-flow' }, lines)
  return { name: `cash-flow-${flow.asOf.slice(0, 10)}.csv`, content }
}

/** Dollars have two decimals; what is not known is empty. */
function cell(value: Line[3]): string {
  return typeof value === 'number' ? value.toFixed(2) : (value ?? '')
}

function linesOf(flow: CashFlow): Line[] {
  const { held, withdrawals, ended, later, concentration, asOf } = flow
  return [
    ...held.coins.map(({ asset, amount }): Line => ['Held', asset, 'USD', amount]),
    ['Due', asOf, 'Withdrawals pending', withdrawals.pending],
    ['Due', asOf, 'Withdrawals approved', withdrawals.approved],
    ['Due', asOf, 'Principal of ended plans', ended.amount],
    ['Due', asOf, 'Available to investors', flow.available],
    ['Due', asOf, 'On hold for pending investments', flow.onHold],
    ['Due', asOf, 'Recorded returns left', flow.returnsLeft],
    ...flow.weeks.flatMap(({ from, amount, due }): Line[] => [
      ['Week', from, 'Principal', amount],
      ['Week', from, 'Due in total', due],
    ]),
    ['Week', 'later', 'Principal', later.amount],
    ...flow.months.flatMap(({ month, ...of }): Line[] => [
      ['Month', month, 'Deposits', of.deposits],
      ['Month', month, 'Withdrawals', of.withdrawals],
      ['Month', month, 'Earnings', of.earnings],
      ['Month', month, 'Returns recorded', of.returns],
    ]),
    ...flow.cohorts.flatMap(({ month, ...of }): Line[] => [
      ['Cohort', month, 'Investors', String(of.investors)],
      ['Cohort', month, 'Paid in', of.paidIn],
      ['Cohort', month, 'Earned', of.earned],
      ['Cohort', month, 'Withdrawn', of.withdrawn],
      ['Cohort', month, 'Available', of.available],
      ['Cohort', month, 'Invested', of.invested],
    ]),
    ['Owed', 'all investors', 'USD', concentration.owed],
    ...concentration.largest.map(
      ({ investors, amount }): Line => ['Owed', `largest ${investors}`, 'USD', amount],
    ),
    ...concentration.plans.map(({ plan, amount }): Line => ['Plan', plan, 'USD', amount]),
  ]
}
