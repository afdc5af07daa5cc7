import { t } from '#shared/i18n/t.ts'
import { DayParts, DaysError, Presets } from '#web/components/period/fields.tsx'
import type { PeriodChoice } from '#web/components/period/use-period.ts'

/** Period of the charts, kept in the address. */
export function ChartPeriod({ period }: { period: PeriodChoice }) {
  return (
    <search aria-label={t('Period of the charts')} className="mb-6 grid gap-3">
      <div className="flex flex-wrap items-end gap-x-8 gap-y-4">
        <Presets period={period} />
        <div className="grid grow grid-cols-2 gap-4 sm:max-w-80">
          <DayParts period={period} />
        </div>
      </div>
      <DaysError daysError={period.daysError} />
    </search>
  )
}
