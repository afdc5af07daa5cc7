import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { accountNames, kindNames } from '#shared/statement.ts'
import { cx } from '#web/ui/cx.ts'
import { Input, Select } from '#web/ui/input.tsx'
import type { useStatementFilter } from './filter.ts'
import { isDay, presets } from './period.ts'

type Filter = ReturnType<typeof useStatementFilter>

/** Which part of the statement: a period, an account, a kind. */
export function Filters({ filter, fault }: { filter: Filter; fault: string | undefined }) {
  const { days, account, kind } = filter
  return (
    <search aria-label="Part of the statement" className="mb-6 grid gap-5">
      <Presets filter={filter} />
      <div className="grid max-w-4xl grid-cols-2 gap-4 lg:grid-cols-4">
        <Part label="From">
          <DayInput day={days.from} onDay={from => filter.setDays({ ...days, from })} />
        </Part>
        <Part label="To">
          <DayInput
            day={days.to}
            onDay={to => filter.setDays({ ...days, to })}
            aria-invalid={fault !== undefined || undefined}
            aria-describedby={fault && 'days-fault'}
          />
        </Part>
        <Part label="Account">
          <Select value={account ?? ''} onChange={event => filter.setAccount(event.target.value)}>
            <option value="">All accounts</option>
            <Options names={accountNames} />
          </Select>
        </Part>
        <Part label="Kind">
          <Select value={kind ?? ''} onChange={event => filter.setKind(event.target.value)}>
            <option value="">All kinds</option>
            <Options names={kindNames} />
          </Select>
        </Part>
      </div>
      {fault && (
        <p id="days-fault" role="alert" className="text-bad text-sm">
          {fault}
        </p>
      )}
    </search>
  )
}

function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
    <label className="grid content-start gap-1.5">
      <span className="font-medium text-sm">{label}</span>
      {children}
    </label>
  )
}

function Options({ names }: { names: Record<string, string> }) {
  return Object.entries(names).map(([value, name]) => (
    <option key={value} value={value}>
      {name}
    </option>
  ))
}

function Presets({ filter }: { filter: Filter }) {
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
            checked={filter.preset === name}
            onChange={() => filter.setPreset(name)}
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
