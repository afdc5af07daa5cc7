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
