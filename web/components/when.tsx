import { perLanguage } from '#shared/i18n/intl.ts'
import { once } from '#shared/once.ts'
import { dateAndTime, dayWords } from '#web/local-time.ts'

const dateOnly = perLanguage(({ dates }) => new Intl.DateTimeFormat(dates, { dateStyle: 'medium' }))
const timeOnly = perLanguage(({ dates }) => new Intl.DateTimeFormat(dates, { timeStyle: 'short' }))

/** A wire moment (ISO 8601) in the user's time zone; browser only. */
export function When({ at, date }: { at: string; date?: boolean }) {
  const moment = new Date(at)
  return (
    <time dateTime={at} className="whitespace-nowrap tabular-nums">
      {date ? dateOnly().format(moment) : dateAndTime(moment)}
    </time>
  )
}

/** The same, on phones without the time of the day. */
export function ShortWhen({ at }: { at: string }) {
  const moment = new Date(at)
  return (
    <time dateTime={at} className="whitespace-nowrap tabular-nums">
      {dateOnly().format(moment)}
      <span className="max-[44rem]:sr-only">, {timeOnly().format(moment)}</span>
    </time>
  )
}

const withOffset = once(() => new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset' }))

/** The user's time zone with today's offset: 'UTC+11 (Australia/Sydney)'. */
export function timeZone(): string {
  const offset =
    withOffset()
      .formatToParts()
      .find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'
  const { timeZone } = withOffset().resolvedOptions()
  // Browsers write offset zero as 'GMT' or 'GMT+0'.
  const utc = offset.replace('GMT', 'UTC').replace(/^UTC[+-]0$/, 'UTC')
  return timeZone === utc ? utc : `${utc} (${timeZone.replaceAll('_', ' ')})`
}

/** A calendar day (YYYY-MM-DD), the same in every time zone. */
export function Day({ on }: { on: string }) {
  return (
    <time dateTime={on} className="whitespace-nowrap tabular-nums">
      {dayWords(on)}
    </time>
  )
}
