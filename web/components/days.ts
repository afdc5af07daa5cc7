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
