import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { cx } from '#web/ui/cx.ts'
import { Input } from '#web/ui/input.tsx'
import { isDay, presets } from './period.ts'
import type { PeriodChoice } from './use-period.ts'

/** A control with its name above it. */
export function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
    <label className="grid content-start gap-1.5">
      <span className="font-medium text-sm">{label}</span>
      {children}
    </label>
  )
}

/** The first and the last day, as parts of a grid. */
export function DayParts({ period: { days, fault, setDays } }: { period: PeriodChoice }) {
  return (
    <>
      <Part label="From">
        <DayInput day={days.from} onDay={from => setDays({ ...days, from })} />
      </Part>
      <Part label="To">
        <DayInput
          day={days.to}
          onDay={to => setDays({ ...days, to })}
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={fault && 'days-fault'}
        />
      </Part>
    </>
  )
}

/** What is wrong with the days. */
export function DaysFault({ fault }: Pick<PeriodChoice, 'fault'>) {
  if (fault === undefined) return null
  return (
    <p id="days-fault" role="alert" className="text-bad text-sm">
      {fault}
    </p>
  )
}

export function Presets({ period }: { period: PeriodChoice }) {
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="mb-1.5 font-medium text-sm">Period</legend>
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
          {words}
        </label>
      ))}
    </fieldset>
  )
}

type DayInputProps = ComponentProps<'input'> & {
  day: string | undefined
  onDay: (day: string | undefined) => void
}

/**
 * A day. While it is typed the browser gives unfinished ones, which are waited out; only an empty field is no limit. What
 * is being typed is never overwritten.
 */
function DayInput({ day = '', onDay, ...rest }: DayInputProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const field = input.current
    if (field && field !== document.activeElement) field.value = day
  }, [day])
  function changed(text: string) {
    if (text === '' ? day !== '' : isDay(text) && text !== day) onDay(text || undefined)
  }
  return (
    <Input
      {...rest}
      ref={input}
      type="date"
      min="2000-01-01"
      max="2199-12-31"
      defaultValue={day}
      onChange={event => changed(event.target.value)}
      onBlur={event => {
        event.target.value = day
      }}
    />
  )
}
