import { t, translate } from '#shared/i18n/t.ts'
import { DayInput, Part } from '#web/components/day-input.tsx'
import { cx } from '#web/ui/cx.ts'
import { presets } from './period.ts'
import type { PeriodChoice } from './use-period.ts'

/** Fields for the first and last day, as parts of a grid. */
export function DayParts({ period: { days, daysError, setDays } }: { period: PeriodChoice }) {
  return (
    <>
      <Part label={t('From')}>
        <DayInput day={days.from} onDay={from => setDays({ ...days, from })} />
      </Part>
      <Part label={t('To')}>
        <DayInput
          day={days.to}
          onDay={to => setDays({ ...days, to })}
          aria-invalid={daysError !== undefined || undefined}
          aria-describedby={daysError && 'days-error'}
        />
      </Part>
    </>
  )
}

export function DaysError({ daysError }: Pick<PeriodChoice, 'daysError'>) {
  if (daysError === undefined) return null
  return (
    <p id="days-error" role="alert" className="text-bad text-sm">
      {daysError}
    </p>
  )
}

export function Presets({ period }: { period: PeriodChoice }) {
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="mb-1.5 font-medium text-sm">{t('Period')}</legend>
      {presets.map(([name, words]) => (
        <label
          key={name}
          className={cx(
            'relative flex min-h-9 cursor-pointer items-center rounded-sm border border-edge bg-surface px-3 text-sm hover:border-ink-soft',
            'has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent',
          )}
        >
          <input
            type="radio"
            name="period"
            className="sr-only"
            value={name}
            checked={period.preset === name}
            onChange={() => period.setPreset(name)}
          />
          {translate(words)}
        </label>
      ))}
    </fieldset>
  )
}
