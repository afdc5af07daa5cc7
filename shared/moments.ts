const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A moment as pages show it, for who is in no known time zone: '21 Nov 2026, 13:18 UTC'. */
export function utcMinute(moment: Date): string {
  return `${format.format(moment)} UTC`
}
