import { recordTemplates, type Template, whereReleased } from '#server/notifications/template.ts'
import { utcDay } from '#shared/moments.ts'
import { formatUsd } from '#shared/money.ts'
import { riskLine } from '#shared/plans.ts'
import { reinvestmentWords } from '#shared/reinvestment.ts'
import { type InvestmentRow, investmentsById, presentInvestment } from './queries.ts'

/** Investment events as the investor reads them. */
export const investmentTemplates = recordTemplates({
  load: investmentsById,
  events: {
    approved: investment('is active', ({ ending_at }) => [
      `It ends on ${utcDay(ending_at!)}, when your principal becomes available again.`,
      riskLine,
    ]),
    ending: investment('ends soon', ({ ending_at, reinvestment }) => [
      `It ends on ${utcDay(ending_at!)}. We close it after that, ${
        reinvestment === null
          ? 'and your principal is then available on your balance.'
          : 'and then request a new investment of your principal, as you asked. You can stop that until then.'
      }`,
    ]),
    matured: investment('has matured', ({ ending_at, reinvestment }) => [
      `It ended on ${utcDay(ending_at!)}. ${
        reinvestment === null
          ? 'Once we close it, your principal is available on your balance.'
          : 'Once we close it, we request a new investment of your principal, as you asked. You can stop that until then.'
      }`,
    ]),
    closed: investment('is closed', (row, now) => [
      ...(row.close_reason === null ? [] : [`Reason: ${row.close_reason}`]),
      ...(row.reinvestment === 'done' ? [] : [whereReleased('Your principal', row)]),
      ...(row.reinvestment === null ? [] : [reinvestmentWords(presentInvestment(row, now))]),
    ]),
    declined: investment('was declined', row => [
      `Reason: ${row.decline_reason}`,
      whereReleased('Any money held or received for it', row),
    ]),
    cancelled: investment('was cancelled', row => [whereReleased('Any money held or received for it', row)]),
  },
})

function investment(
  happened: string,
  details: (row: InvestmentRow, now: Date) => string[],
): Template<InvestmentRow> {
  return (row, now) => ({
    userId: row.user_id,
    headline: `Your investment ${row.invoice_id} ${happened}`,
    text: `Your investment ${row.invoice_id} of ${formatUsd(row.amount_cents)} in the ${row.plan_name} plan ${happened}.`,
    details: details(row, now),
  })
}
