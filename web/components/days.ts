import { type Fault, faultAt } from '#web/ui/form.tsx'

/** Whether a text is a day that can be asked for: a date field gives unfinished years, too. */
export function isDay(text: string): boolean {
  if (!/^2[01]\d\d-\d\d-\d\d$/.test(text)) return false
  // The 30th of February is parsed as one of March.
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** The reader's own time zone, as the calls take it. */
export function zone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Today as the server counts it, in UTC. */
export function utcToday(): string {
  return new Date().toISOString().slice(0, 10)
}

/** What is wrong with the day in a field where it has not come yet. */
export function futureFault(field: string, day: string): Fault | undefined {
  const today = utcToday()
  return day > today ? faultAt(field, `The date cannot be in the future. Today is ${today} (UTC)`) : undefined
}
