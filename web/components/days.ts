import { t } from '#shared/i18n/t.ts'
import { once } from '#shared/once.ts'
import { dayWords } from '#web/local-time.ts'
import { fieldError, type ValidationError } from '#web/ui/form.tsx'

/** True for a complete, plausible date: date fields also report unfinished years. */
export function isDay(text: string): boolean {
  if (!/^2[01]\d\d-\d\d-\d\d$/.test(text)) return false
  // Date parses 30 February as a day in March.
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const localFormat = once(() => new Intl.DateTimeFormat())

/** The user's time zone, as calls take it. */
export function zone(): string {
  return localFormat().resolvedOptions().timeZone
}

/** Today in UTC. */
export function utcToday(): string {
  return new Date().toISOString().slice(0, 10)
}

/** The field's error if its day is in the future. */
export function futureDateError(field: string, day: string): ValidationError | undefined {
  const today = utcToday()
  return day > today
    ? fieldError(
        field,
        t('The date cannot be in the future. Today is {today} (UTC)', { today: dayWords(today) }),
      )
    : undefined
}
