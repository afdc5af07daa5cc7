/** What a version says, field by field, in the words of its form. */
export type Values = readonly (readonly [field: string, value: string])[]

const nothing = '—'

/** The fields that differ, each with what it was and what it became: '30 days → 60 days'. */
export function changesBetween(before: Values, after: Values): [field: string, change: string][] {
  const was = new Map(before)
  return after
    .filter(([field, value]) => (was.get(field) ?? '') !== value)
    .map(([field, value]) => [field, `${was.get(field) || nothing} → ${value || nothing}`])
}
