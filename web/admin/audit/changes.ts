/** What an entry of the audit log has changed: a field, what it was, and what it became. */
export type LogChange = { field: string; before: string; after: string }

type Details = Record<string, unknown>

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—'
  if (Array.isArray(value)) return value.map(shown).join(', ') || '—'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function fieldsOf(value: unknown): Details {
  if (value === undefined || value === null) return {}
  return typeof value === 'object' && !Array.isArray(value) ? (value as Details) : { value }
}

/** 'streetAddress' is 'Street address'. */
export function fieldWords(field: string): string {
  const words = field.replace(/([a-z])([A-Z])/g, (_, end, start: string) => `${end} ${start.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The fields of `before` and `after` that differ; all of what came into being. */
export function logChanges({ before, after }: Details): LogChange[] {
  const was = fieldsOf(before)
  const became = fieldsOf(after)
  return [...new Set([...Object.keys(was), ...Object.keys(became)])]
    .filter(field => !['_id', 'version', 'changedAt'].includes(field))
    .map(field => ({ field: fieldWords(field), before: shown(was[field]), after: shown(became[field]) }))
    .filter(change => change.before !== change.after)
}

/** What else an entry says. */
export function otherDetails({ before: _, after: __, ...others }: Details): [field: string, value: string][] {
  return Object.entries(others).map(([field, value]) => [fieldWords(field), shown(value)])
}
