const dateAndTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const dateOnly = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** A moment of the wire (ISO 8601) in the reader's own time zone. For pages that run in the browser. */
export function When({ at, date }: { at: string; date?: boolean }) {
  const format = date ? dateOnly : dateAndTime
  return (
    <time dateTime={at} className="whitespace-nowrap tabular-nums">
      {format.format(new Date(at))}
    </time>
  )
}

/** The reader's own time zone, in which `When` shows everything: 'UTC+11 (Australia/Sydney)', by its offset of today. */
export function timeZone(): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset' })
  const offset = format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'
  const { timeZone } = format.resolvedOptions()
  // Zero is 'GMT' to some browsers, 'GMT+0' to others.
  const utc = offset.replace('GMT', 'UTC').replace(/^UTC[+-]0$/, 'UTC')
  return timeZone === utc ? utc : `${utc} (${timeZone.replaceAll('_', ' ')})`
}

const calendarDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** A day of the calendar (YYYY-MM-DD): the same day wherever the reader is. */
export function Day({ on }: { on: string }) {
  return (
    <time dateTime={on} className="whitespace-nowrap tabular-nums">
      {calendarDay.format(new Date(on))}
    </time>
  )
}
