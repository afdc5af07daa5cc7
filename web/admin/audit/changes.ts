import { capital } from '#web/ui/capital.ts'

/** A field that an audit entry changed. */
export type LogChange = { field: string; before: string; after: string }

type Details = Record<string, unknown>

/** 'streetAddress' is 'Street address'. */
function fieldWords(field: string): string {
  return capital(field.replace(/([a-z])([A-Z])/g, (_, end, start: string) => `${end} ${start.toLowerCase()}`))
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—'
  return Array.isArray(value) ? value.map(shown).join(', ') || '—' : String(value)
}

function isObject(value: unknown): value is Details {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The fields of a value by their names; those of objects inside as 'Texts: Sectors 1: Title'. */
function* fieldsIn(value: unknown, name: string): Generator<[name: string, value: string]> {
  if (isObject(value)) {
    const prefix = name === '' ? '' : `${name}: `
    for (const [key, part] of Object.entries(value)) yield* fieldsIn(part, prefix + fieldWords(key))
  } else if (Array.isArray(value) && value.some(isObject)) {
    for (const [place, part] of value.entries()) yield* fieldsIn(part, `${name} ${place + 1}`)
  } else {
    yield [name === '' ? 'Value' : name, shown(value)]
  }
}

function withoutVersion(value: unknown): unknown {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) return value
  const { _id, version, changedAt, ...fields } = value
  return fields
}

/** The fields that differ between `before` and `after`; without `before`, all of them. */
export function logChanges({ before, after }: Details): LogChange[] {
  const was = new Map(fieldsIn(withoutVersion(before), ''))
  const is = new Map(fieldsIn(withoutVersion(after), ''))
  return [...new Set([...was.keys(), ...is.keys()])]
    .map(field => ({ field, before: was.get(field) ?? '—', after: is.get(field) ?? '—' }))
    .filter(change => change.before !== change.after)
}

/** The other details of an entry. */
export function otherDetails({ before: _, after: __, ...others }: Details): [field: string, value: string][] {
  return [...fieldsIn(others, '')]
}
