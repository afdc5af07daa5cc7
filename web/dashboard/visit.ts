import { useState } from 'react'
import { ApiError } from '#web/api/errors.ts'
import type { IdempotencyKeys } from '#web/api/mutation.ts'

/** The request of a visit; 'unknown' if only the server knows it. */
export type Made = { _id: string; invoiceId: string } | 'unknown'

/** Outcomes of visits since this document opened. */
const outcomes = new Map<string, Made | 'refused'>()

/** True if the server refused a repeated request with other figures. */
export function isRepeatedRequest(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'idempotency_key_reused'
}

/** Idempotency key of the current history entry. */
function currentKey(): string | undefined {
  const key: unknown = history.state?.visit
  return typeof key === 'string' ? key : undefined
}

/**
 * One visit of a payment page: one history entry with one Idempotency-Key (B-06). Back, reload and duplicated tabs
 * are the same visit, so nothing is requested twice; a refusal gets a new key.
 */
export type Visit = {
  keys: IdempotencyKeys
  /** The request made before the page was opened. */
  made: Made | undefined
  /** True while the user is still on this visit. */
  isOpen(): boolean
}

function openVisit(): Visit {
  let sent: string | undefined
  const outcome = outcomes.get(currentKey() ?? '')
  return {
    made: outcome === 'refused' ? undefined : outcome,
    isOpen: () => sent !== undefined && sent === currentKey(),
    keys: {
      keyFor() {
        sent = currentKey()
        if (sent === undefined || outcomes.get(sent) === 'refused') sent = crypto.randomUUID()
        history.replaceState({ ...history.state, visit: sent }, '')
        return sent
      },
      succeeded(made) {
        outcomes.set(sent!, made as Made)
      },
      refused(error) {
        outcomes.set(sent!, isRepeatedRequest(error) ? 'unknown' : 'refused')
      },
    },
  }
}

/** The current visit; key the component by the location's key. */
export function useVisit(): Visit {
  const [visit] = useState(openVisit)
  return visit
}
