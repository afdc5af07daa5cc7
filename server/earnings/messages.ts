import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { planPreviewMinutes } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a preview of a plan's earnings cannot be confirmed, or their run not be cancelled. */
export const earningRefusals = defineRefusals({
  preview_expired: () =>
    t(
      'This preview has expired: you can confirm it for {minutes} minutes. Review it again before you confirm it.',
      { minutes: planPreviewMinutes },
    ),
  preview_changed: ({ count, totalCents }: { count: number; totalCents: bigint }) =>
    t(
      'The accrued earnings have changed since your preview: it is now {count, plural, one {{count} earning} other {{count} earnings}}, {total} in all. Review it again before you confirm it.',
      { count, total: localUsd(totalCents) },
    ),
  run_open: () =>
    t(
      'Earnings of this plan are being added. Wait until that ends, or cancel it, before you confirm others.',
    ),
  run_ended: () => t('These earnings are no longer being added, so nothing is left to cancel.'),
})
