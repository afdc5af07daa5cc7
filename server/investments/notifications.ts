import { shownReason } from '#server/audit/own-reasons.ts'
import { recordTemplates, type Template, whereReleased } from '#server/notifications/template.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { utcDay } from '#shared/moments.ts'
import { riskLine } from '#shared/plans.ts'
import { reinvestmentWords } from '#shared/reinvestment.ts'
import { type InvestmentRow, investmentsById, presentInvestment } from './queries.ts'

/** Investment events as the investor reads them. */
export const investmentTemplates = recordTemplates({
  load: investmentsById,
  events: {
    approved: investment(
      ({ invoice, ...of }) => [
        t('Your investment {invoice} is active', { invoice }),
        t('Your investment {invoice} of {amount} in the {plan} plan is active.', { invoice, ...of }),
      ],
      ({ ending_at }) => [
        t('It ends on {day}, when your principal becomes available again.', { day: utcDay(ending_at!) }),
        translate(riskLine),
      ],
    ),
    ending: investment(
      ({ invoice, ...of }) => [
        t('Your investment {invoice} ends soon', { invoice }),
        t('Your investment {invoice} of {amount} in the {plan} plan ends soon.', { invoice, ...of }),
      ],
      ({ ending_at, reinvestment }) => {
        const day = utcDay(ending_at!)
        return [
          reinvestment === null
            ? t(
                'It ends on {day}. We close it after that, and your principal is then available on your balance.',
                { day },
              )
            : t(
                'It ends on {day}. We close it after that, and then request a new investment of your principal, as you asked. You can stop that until then.',
                { day },
              ),
        ]
      },
    ),
    matured: investment(
      ({ invoice, ...of }) => [
        t('Your investment {invoice} has matured', { invoice }),
        t('Your investment {invoice} of {amount} in the {plan} plan has matured.', { invoice, ...of }),
      ],
      ({ ending_at, reinvestment }) => {
        const day = utcDay(ending_at!)
        return [
          reinvestment === null
            ? t('It ended on {day}. Once we close it, your principal is available on your balance.', { day })
            : t(
                'It ended on {day}. Once we close it, we request a new investment of your principal, as you asked. You can stop that until then.',
                { day },
              ),
        ]
      },
    ),
    closed: investment(
      ({ invoice, ...of }) => [
        t('Your investment {invoice} is closed', { invoice }),
        t('Your investment {invoice} of {amount} in the {plan} plan is closed.', { invoice, ...of }),
      ],
      (row, now) => [
        ...(row.close_reason === null ? [] : [t('Reason: {reason}', { reason: row.close_reason })]),
        ...(row.reinvestment === 'done' ? [] : [whereReleased('principal', row)]),
        ...(row.reinvestment === null ? [] : [reinvestmentWords(presentInvestment(row, now))]),
      ],
    ),
    declined: investment(
      ({ invoice, ...of }) => [
        t('Your investment {invoice} was declined', { invoice }),
        t('Your investment {invoice} of {amount} in the {plan} plan was declined.', { invoice, ...of }),
      ],
      row => [
        t('Reason: {reason}', { reason: shownReason(row.decline_reason!) }),
        whereReleased('funding', row),
      ],
    ),
    cancelled: investment(
      ({ invoice, ...of }) => [
        t('Your investment {invoice} was cancelled', { invoice }),
        t('Your investment {invoice} of {amount} in the {plan} plan was cancelled.', { invoice, ...of }),
      ],
      row => [whereReleased('funding', row)],
    ),
  },
})

type Of = { invoice: string; amount: string; plan: string }

function investment(
  words: (of: Of) => [headline: string, text: string],
  details: (row: InvestmentRow, now: Date) => string[],
): Template<InvestmentRow> {
  return (row, now) => {
    const { invoice_id: invoice, amount_cents, plan_name: plan } = row
    const [headline, text] = words({ invoice, amount: localUsd(amount_cents), plan })
    return { userId: row.user_id, headline, text, details: details(row, now) }
  }
}
