import type { StatementKind } from '#shared/contract/entities.ts'

/** A record that is open over the page, and where it stands in the page's address: `?withdrawal=<id>`. */
export type RecordAddress = { kind: StatementKind; id: string }

const kinds: readonly StatementKind[] = ['deposit', 'investment', 'earning', 'withdrawal']

export function recordOf(params: URLSearchParams): RecordAddress | undefined {
  for (const kind of kinds) {
    const id = params.get(kind)
    if (id) return { kind, id }
  }
  return undefined
}

/** The address's parameters with this record open, or with none; all others stay. */
export function withRecord(params: URLSearchParams, record?: RecordAddress): URLSearchParams {
  const changed = new URLSearchParams(params)
  for (const kind of kinds) changed.delete(kind)
  if (record) changed.set(record.kind, record.id)
  return changed
}
