import { useState } from 'react'
import type { IdempotencyKeys } from '#web/api/act.ts'
import { ApiError } from '#web/api/errors.ts'

/** What a visit has asked for; 'unknown' where only the server knows what it was. */
export type Made = { _id: string; invoiceId: string } | 'unknown'

/** What came of the visits since this document was opened. */
const outcomes = new Map<string, Made | 'refused'>()

/** The server's answer to a visit that has asked before, with figures that are others by now. */
export function isRepeatedRequest(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'idempotency_key_reused'
}

/** The key that is kept with the current entry of the browser's history. */
function currentKey(): string | undefined {
  const key: unknown = history.state?.visit
  return typeof key === 'string' ? key : undefined
}

/**
 * One visit of a page that asks for money is one entry of the browser's history, and has one Idempotency-Key (B-06):
 * the way back and forward, a reload and a duplicated tab are the same visit, in which the same is not asked for twice,
 * whatever the figures on the page are by then. After a refusal nothing was made, and the next try has a key of its own.
 */
export type Visit = {
  keys: IdempotencyKeys
  /** What it had asked for when the page was opened. */
  made: Made | undefined
  /** The visitor has not gone elsewhere meanwhile. */
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

/** The visit of the page around; give the component the location's key, so that each entry has its own. */
export function useVisit(): Visit {
  const [visit] = useState(openVisit)
  return visit
}
