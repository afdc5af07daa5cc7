/** A line of a table (RFC 4180, with LF). */
export function csvLine(fields: readonly string[]): string {
  return `${fields.map(field => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\n`
}
