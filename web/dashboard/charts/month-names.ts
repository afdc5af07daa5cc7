import { perLanguage } from '#shared/i18n/intl.ts'

const format = perLanguage(({ dates }) => new Intl.DateTimeFormat(dates, { month: 'short', timeZone: 'UTC' }))

/** The name of a month (YYYY-MM): 'Nov' */
export function shortMonth(month: string): string {
  return format().format(new Date(`${month}-01`))
}

const ofDay = perLanguage(
  ({ dates }) => new Intl.DateTimeFormat(dates, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
)

/** A day (YYYY-MM-DD) without its year: '3 Nov' */
export function shortDay(day: string): string {
  return ofDay().format(new Date(day))
}

/** 'Jan' to 'Dec' */
export function monthNames(): string[] {
  return Array.from({ length: 12 }, (_, n) => shortMonth(`2026-${String(n + 1).padStart(2, '0')}`))
}
