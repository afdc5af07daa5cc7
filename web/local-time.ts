import { perLanguage } from '#shared/i18n/intl.ts'
import { utcDay } from '#shared/moments.ts'

const format = perLanguage(
  ({ dates }) => new Intl.DateTimeFormat(dates, { dateStyle: 'medium', timeStyle: 'short' }),
)

/** A moment in the reader's time zone: '22 Nov 2026, 00:18'; browser only. */
export function dateAndTime(at: Date | number): string {
  return format().format(at)
}

/** A calendar day (YYYY-MM-DD), the same in every time zone: '22 Nov 2026'. */
export function dayWords(on: string): string {
  return utcDay(new Date(on))
}

const month = perLanguage(
  ({ dates }) => new Intl.DateTimeFormat(dates, { month: 'short', year: 'numeric', timeZone: 'UTC' }),
)

/** A calendar month (YYYY-MM), the same in every time zone: 'Nov 2026'. */
export function monthWords(of: string): string {
  return month().format(new Date(`${of}-01`))
}

/**
 * `utcMinute` of shared/moments.ts, as it stands in the server's sentences in each language: '21 Nov 2026, 13:18 UTC',
 * '21.11.2026, 13:18 UTC', and in Arabic with marks of direction.
 */
const utcMoments = /(\d+)[ ./\u200f]+(\p{L}+|\d+)[ ./\u200f]+(\d{4})\D{1,3}(\d+):(\d+) UTC/gu

/** A sentence of the server with its moments in the reader's time zone; browser only. */
export function inLocalTime(words: string): string {
  return words.replace(utcMoments, (moment, ...parts: string[]) => {
    const [day, named, year, hour, minutes] = parts as [string, string, string, string, string]
    const at = Date.UTC(+year, monthOf(named), +day, +hour, +minutes)
    return at ? dateAndTime(at) : moment
  })
}

/** Names of months differ between browsers and the server after their third letter: 'Sep', 'Sept'. */
function monthOf(name: string): number {
  if (+name) return +name - 1
  const months = Array.from({ length: 12 }, (_, at) => monthWords(`2026-${String(at + 1).padStart(2, '0')}`))
  const found = months.findIndex(words => words.slice(0, 3) === name.slice(0, 3))
  return found < 0 ? Number.NaN : found
}
