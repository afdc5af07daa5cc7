import { recordTemplates, type Template, whereReleased } from '#server/notifications/template.ts'
import { utcDay } from '#shared/moments.ts'
import { formatUsd } from '#shared/money.ts'
import { riskLine } from '#shared/plans.ts'
import { type InvestmentRow, investmentsById } from './queries.ts'

/** Investment events as the investor reads them. */
export const investmentTemplates = recordTemplates({
  load: investmentsById,
  events: {
    approved: investment('is active', ({ ending_at }) => [
      `It ends on ${utcDay(ending_at!)}, when your principal becomes available again.`,
      riskLine,
    ]),
    matured: investment('has matured', ({ ending_at }) => [
      `It ended on ${utcDay(ending_at!)}. Once we close it, your principal is available on your balance.`,
    ]),
    closed: investment('is closed', row => [
      ...(row.close_reason === null ? [] : [`Reason: ${row.close_reason}`]),
      whereReleased('Your principal', row),
    ]),
    declined: investment('was declined', row => [
      `Reason: ${row.decline_reason}`,
      whereReleased('Any money held or received for it', row),
    ]),
    cancelled: investment('was cancelled', row => [whereReleased('Any money held or received for it', row)]),
  },
})

function investment(happened: string, details: (row: InvestmentRow) => string[]): Template<InvestmentRow> {
  return row => ({
    userId: row.user_id,
    headline: `Your investment ${row.invoice_id} ${happened}`,
    text: `Your investment ${row.invoice_id} of ${formatUsd(row.amount_cents)} in the ${row.plan_name} plan ${happened}.`,
    details: details(row),
  })
}
