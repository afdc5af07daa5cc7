import { t } from '#shared/i18n/t.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import type { BalanceSeries } from './series.ts'

/** How the two returns of a period are computed. */
export default function ReturnsDialog({
  step,
  onClose,
}: {
  step: BalanceSeries['step']
  onClose: () => void
}) {
  return (
    <Dialog open onClose={onClose} title={t('How we compute your return')}>
      <div className="grid gap-4 text-ink-soft">
        <p>
          {t(
            'Both returns are for the whole period that you chose, not for a year. They count only earnings that we have credited, each paid from a recorded return. Past returns do not predict future ones.',
          )}
        </p>
        <div className="grid gap-1">
          <h3 className="font-medium text-ink">{t('Time-weighted')}</h3>
          <p>
            {t(
              'For each {step, select, day {day} week {week} other {month}} with earnings, we divide the earnings by what you had when it began, plus what you deposited during it. We add 1 to each, multiply them, and subtract 1. We credit earnings some time after they accrue, so a deposit or a withdrawal shortly before a credit changes this figure.',
              { step },
            )}
          </p>
        </div>
        <div className="grid gap-1">
          <h3 className="font-medium text-ink">{t('Money-weighted')}</h3>
          <p>
            {t(
              'The single rate at which your opening balance, plus later deposits and minus withdrawals, would have grown to your closing balance. Each counts for the part of the period that was left to it, so this figure depends on when you deposited and withdrew.',
            )}
          </p>
        </div>
        <p>
          {t(
            'Your balance counts as a whole: available, on hold and in plans. Each deposit counts from the beginning of its {step, select, day {day} week {week} other {month}}, each withdrawal until the end of its {step, select, day {day} week {week} other {month}}.',
            { step },
          )}
        </p>
        <p>
          {t(
            'Of a deposit that its network reversed, we subtract only what we recovered from your balance; the rest is a debt to us.',
          )}
        </p>
      </div>
    </Dialog>
  )
}
