import { planPreviewMinutes } from '#shared/limits.ts'
import { formatUsd } from '#shared/money.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a preview of a plan's earnings cannot be confirmed, or their run not be cancelled. */
export const earningRefusals = defineRefusals({
  preview_expired: () =>
    `This preview has expired: you can confirm it for ${planPreviewMinutes} minutes. Review it again before you confirm it.`,
  preview_changed: ({ count, totalCents }: { count: number; totalCents: bigint }) => {
    const now = `${count} ${count === 1 ? 'earning' : 'earnings'}, ${formatUsd(totalCents)} in all`
    return `The accrued earnings have changed since your preview: it is now ${now}. Review it again before you confirm it.`
  },
  run_open: () =>
    'Earnings of this plan are being added. Wait until that ends, or cancel it, before you confirm others.',
  run_ended: () => 'These earnings are no longer being added, so nothing is left to cancel.',
})
