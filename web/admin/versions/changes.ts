import { t } from '#shared/i18n/t.ts'

/** A version's fields with their labels. */
export type Values = readonly (readonly [field: string, value: string])[]

const nothing = '—'

/** The fields that differ: '30 days → 60 days'. */
export function changesBetween(before: Values, after: Values): [field: string, change: string][] {
  const was = new Map(before)
  return after
    .filter(([field, value]) => (was.get(field) ?? '') !== value)
    .map(([field, value]) => [
      field,
      t('{before} → {after}', { before: was.get(field) || nothing, after: value || nothing }),
    ])
}
