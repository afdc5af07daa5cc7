import type { StatementKind } from '#shared/contract/entities.ts'

/** The open record, as in the address: `?withdrawal=<id>`. */
export type RecordAddress = { kind: StatementKind; id: string }

const kinds: readonly StatementKind[] = ['deposit', 'investment', 'earning', 'withdrawal']

export function recordOf(params: URLSearchParams): RecordAddress | undefined {
  for (const kind of kinds) {
    const id = params.get(kind)
    if (id) return { kind, id }
  }
  return undefined
}

/** The address's parameters with this record open, or none. */
export function withRecord(params: URLSearchParams, record?: RecordAddress): URLSearchParams {
  const changed = new URLSearchParams(params)
  for (const kind of kinds) changed.delete(kind)
  if (record) changed.set(record.kind, record.id)
  return changed
}
