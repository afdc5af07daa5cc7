import { msg } from '#shared/i18n/t.ts'

/** Days in the user's time zone, YYYY-MM-DD, both included; undefined means no limit. */
export type Days = { from: string | undefined; to: string | undefined }

/** Periods that end today, by their name in the address, with words for `translate`; '' means all time. */
export const presets = [
  ['1m', msg('1 month')],
  ['3m', msg('3 months')],
  ['ytd', msg('This year')],
  ['1y', msg('1 year')],
  ['', msg('All')],
] as const
export type Preset = (typeof presets)[number][0]

/** The moment's day in the user's time zone. */
export function dayOf(moment: Date): string {
  const [month, day] = [moment.getMonth() + 1, moment.getDate()].map(part => String(part).padStart(2, '0'))
  return `${moment.getFullYear()}-${month}-${day}`
}

/** The day so many months earlier, or the last day of that month. */
export function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const lastOfMonth = new Date(Date.UTC(year, month - months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 - months, Math.min(date, lastOfMonth))).toISOString().slice(0, 10)
}

export function daysOf(preset: Preset, today: string): Days {
  switch (preset) {
    case '1m':
      return { from: monthsBefore(today, 1), to: undefined }
    case '3m':
      return { from: monthsBefore(today, 3), to: undefined }
    case '1y':
      return { from: monthsBefore(today, 12), to: undefined }
    case 'ytd':
      return { from: `${today.slice(0, 4)}-01-01`, to: undefined }
    case '':
      return { from: undefined, to: undefined }
  }
}
