/** Words for calendar days (YYYY-MM-DD) and months (YYYY-MM), independent of the time zone. */

const at = (text: string) => new Date(text.length === 7 ? `${text}-01` : text)
const format = (options: Intl.DateTimeFormatOptions) => {
  const words = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  return (text: string) => words.format(at(text))
}

/** '21 Nov 2026' */
export const dayWords = format({ dateStyle: 'medium' })
/** 'Nov 2026' */
export const monthWords = format({ month: 'short', year: 'numeric' })
/** 'Nov' */
export const shortMonth = format({ month: 'short' })

export const monthNames = Array.from({ length: 12 }, (_, n) =>
  shortMonth(`2026-${String(n + 1).padStart(2, '0')}`),
)
