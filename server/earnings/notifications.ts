import { recordTemplates, type Template, whereReleased } from '#server/notifications/template.ts'
import { formatUsdJson } from '#shared/money.ts'
import { type EarningRow, earningsById, presentEarning } from './queries.ts'

/** Earning events as the investor reads them. */
export const earningTemplates = recordTemplates({
  load: earningsById,
  events: {
    paid: earning(
      amount => `You earned ${amount}`,
      ({ recovered_cents }) => (recovered_cents === 0n ? 'was added to your balance' : 'was paid'),
      row => [
        ...(row.recovered_cents === 0n ? [] : [whereReleased('It', row)]),
        `Source: ${presentEarning(row).source}.`,
        ...(row.note === null ? [] : [`Note: ${row.note}`]),
      ],
    ),
    declined: earning(
      amount => `An earning of ${amount} was declined`,
      () => 'was declined',
      ({ decline_reason }) => [`Reason: ${decline_reason}`, 'Nothing was added to your balance for it.'],
    ),
  },
})

function earning(
  headline: (amount: string) => string,
  happened: (row: EarningRow) => string,
  details: (row: EarningRow) => string[],
): Template<EarningRow> {
  return row => {
    const { user, amount, investmentLabel } = presentEarning(row)
    return {
      userId: user,
      headline: headline(formatUsdJson(amount)),
      text: `An earning of ${formatUsdJson(amount)} on ${investmentLabel} ${happened(row)}.`,
      details: details(row),
    }
  }
}
