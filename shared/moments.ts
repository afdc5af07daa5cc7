import { perLanguage } from './i18n/intl.ts'

const minute = perLanguage(
  ({ dates }) => new Intl.DateTimeFormat(dates, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
)
const day = perLanguage(
  ({ dates }) => new Intl.DateTimeFormat(dates, { dateStyle: 'medium', timeZone: 'UTC' }),
)

/** A moment for a reader whose time zone is unknown: '21 Nov 2026, 13:18 UTC'. */
export function utcMinute(moment: Date): string {
  return `${minute().format(moment)} UTC`
}

/** '21 Nov 2026', the day in UTC. */
export function utcDay(moment: Date): string {
  return day().format(moment)
}

/** The day in UTC: '2026-11-28'. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

/** The day in UTC some days after a moment: '2026-11-28'. */
export function dayAfter(moment: Date, days: number): string {
  return dayOf(new Date(moment.getTime() + days * 86_400_000))
}

/** Whole months from one day to a later one: '2026-11-27' to '2027-01-26' is one. */
export function monthsUntil(from: string, to: string): number {
  const [fromYear, fromMonth, fromDay] = from.split('-').map(Number) as [number, number, number]
  const [toYear, toMonth, toDay] = to.split('-').map(Number) as [number, number, number]
  return (toYear - fromYear) * 12 + toMonth - fromMonth - (toDay < fromDay ? 1 : 0)
}
