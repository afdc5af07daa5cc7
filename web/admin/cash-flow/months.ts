import { once } from '#shared/once.ts'

const format = once(
  () => new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' }),
)

/** '2026-11' as 'Nov 2026', in every time zone. */
export function monthWords(month: string): string {
  return format().format(new Date(`${month}-01`))
}
