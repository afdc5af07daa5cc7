import { type ComponentProps, type ReactNode, useDeferredValue, useEffect, useRef } from 'react'
import { Input } from '#web/ui/input.tsx'
import { isDay } from './days.ts'

/** A labelled control. */
export function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
    <label className="grid content-start gap-1.5">
      <span className="font-medium text-sm">{label}</span>
      {children}
    </label>
  )
}

type DayInputProps = ComponentProps<'input'> & {
  day: string | undefined
  onDay: (day: string | undefined) => void
}

/**
 * A date field. Ignores the unfinished dates that browsers report while typing; empty means no limit. Never
 * overwrites a date that is being typed.
 */
export function DayInput({ day = '', onDay, ...rest }: DayInputProps) {
  const input = useRef<HTMLInputElement>(null)
  // A browser takes long to show another date: the press that changed it is painted first.
  const shown = useDeferredValue(day)
  useEffect(() => {
    const field = input.current
    if (field && field !== document.activeElement) field.value = shown
  }, [shown])
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
      defaultValue={shown}
      onChange={event => changed(event.target.value)}
      onBlur={event => {
        event.target.value = day
      }}
    />
  )
}
