const format = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })

/** The name of a month (YYYY-MM): 'Nov' */
export function shortMonth(month: string): string {
  return format.format(new Date(`${month}-01`))
}

/** 'Jan' to 'Dec' */
export const monthNames = Array.from({ length: 12 }, (_, n) =>
  shortMonth(`2026-${String(n + 1).padStart(2, '0')}`),
)
