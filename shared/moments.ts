/** A moment for who is in no known time zone: '2026-11-21 13:18 UTC'. */
export function utcMinute(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
