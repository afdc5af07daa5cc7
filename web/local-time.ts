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

/** `utcMinute` of shared/moments.ts, as it stands in the server's sentences. */
const utcMoments = /\d+ \w+ \d+, \S+ UTC/g

/** A sentence of the server with its moments in the reader's time zone; browser only. */
export function inLocalTime(words: string): string {
  return words.replace(utcMoments, moment => {
    const at = Date.parse(moment)
    return at ? dateAndTime(at) : moment
  })
}
