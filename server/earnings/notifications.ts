import { recordTemplates, whereReleased } from '#server/notifications/template.ts'
import { localUsdJson } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { type EarningRow, earningsById, presentEarning } from './queries.ts'

/** Earning events as the investor reads them. */
export const earningTemplates = recordTemplates({
  load: earningsById,
  events: {
    paid: (row: EarningRow) => {
      const { user, amount: usd, investmentLabel, source } = presentEarning(row)
      const investment = investmentLabel!
      const amount = localUsdJson(usd)
      const isAdded = row.recovered_cents === 0n
      return {
        userId: user,
        headline: t('You earned {amount}', { amount }),
        text: isAdded
          ? t('An earning of {amount} on {investment} was added to your balance.', { amount, investment })
          : t('An earning of {amount} on {investment} was paid.', { amount, investment }),
        details: [
          ...(isAdded ? [] : [whereReleased('earning', row)]),
          t('Source: {source}.', { source }),
          ...(row.note === null ? [] : [t('Note: {note}', { note: row.note })]),
        ],
      }
    },
    declined: (row: EarningRow) => {
      const { user, amount: usd, investmentLabel } = presentEarning(row)
      const investment = investmentLabel!
      const amount = localUsdJson(usd)
      return {
        userId: user,
        headline: t('An earning of {amount} was declined', { amount }),
        text: t('An earning of {amount} on {investment} was declined.', { amount, investment }),
        details: [
          t('Reason: {reason}', { reason: row.decline_reason! }),
          t('Nothing was added to your balance for it.'),
        ],
      }
    },
  },
})
