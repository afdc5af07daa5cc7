import { perLanguage } from '#shared/i18n/intl.ts'

const dayFormat = perLanguage(
  ({ dates }) => new Intl.DateTimeFormat(dates, { dateStyle: 'long', timeZone: 'UTC' }),
)
const timeFormat = perLanguage(
  ({ dates }) => new Intl.DateTimeFormat(dates, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
)

/** For pages without script, which cannot know the reader's time zone. */
export function utcDay(at: string): string {
  return dayFormat().format(new Date(at))
}

export function utcTime(at: string): string {
  return `${timeFormat().format(new Date(at))} UTC`
}
