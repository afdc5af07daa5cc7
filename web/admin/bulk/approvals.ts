import { useRef, useState } from 'react'
import type { CallDefinition } from '#shared/contract/define.ts'
import { withReason } from '#web/admin/actions/reason-field.tsx'
import { call } from '#web/api/call.ts'
import { ApiError, wordsOf } from '#web/api/errors.ts'
import { written } from '#web/api/mutation.ts'
import { withReauthentication } from '#web/api/reauthentication.ts'
import { toast } from '#web/ui/toast.ts'
import { type Bulk, type BulkRow, countOf } from './bulk.tsx'

/** Outcome of a row with the server's message. 'first': a second approval is needed. */
export type Outcome = { state: 'running' | 'done' | 'first' | 'refused' | 'unclear'; words?: string }
type Outcomes = Record<string, Outcome>

/** Approves rows one by one, each with its own Idempotency-Key, which a retry keeps (B-06). */
export function useApprovals<Row extends BulkRow>(bulk: Bulk<Row>, rows: readonly Row[]) {
  const [outcomes, setOutcomes] = useState<Outcomes>({})
  const [phase, setPhase] = useState<'asked' | 'running' | 'over'>('asked')
  const keys = useRef(new Map<string, string>())
  const isBusy = useRef(false)

  async function approve(id: string, reason: string): Promise<Outcome> {
    const idempotencyKey = keys.current.get(id) ?? crypto.randomUUID()
    keys.current.set(id, idempotencyKey)
    try {
      const input = withReason({ params: { id } }, reason) as never
      const { message } = await withReauthentication(() =>
        call(bulk.call as CallDefinition, input, { idempotencyKey }),
      )
      return message === bulk.call.message ? { state: 'done' } : { state: 'first', words: message }
    } catch (error) {
      const isUnclear = error instanceof ApiError && error.unclear
      return { state: isUnclear ? 'unclear' : 'refused', words: wordsOf(error) }
    }
  }

  async function run(reason: string): Promise<void> {
    if (isBusy.current) return
    isBusy.current = true
    setPhase('running')
    const progress = toast.loading(`Approving ${countOf(rows.length, bulk)}`)
    const next = { ...outcomes }
    for (const { _id } of rows.filter(({ _id }) => isOpen(next[_id]))) {
      setOutcomes({ ...next, [_id]: { state: 'running' } })
      next[_id] = await approve(_id, reason)
      setOutcomes({ ...next })
    }
    const all = Object.values(next)
    const [only, ...others] = all
    const words = others.length === 0 ? (only?.words ?? bulk.call.message) : resultOf(rows, next, bulk)
    if (all.some(({ state }) => state === 'done' || state === 'first')) progress.success(words)
    else progress.error(words)
    // Even if all were refused: then the list was out of date.
    written.emit()
    setPhase('over')
    isBusy.current = false
  }

  return { outcomes, isRunning: phase === 'running', isOver: phase === 'over', run }
}

function isOpen(outcome: Outcome | undefined): boolean {
  return outcome === undefined || outcome.state === 'unclear'
}

/** '2 deposits approved, 1 refused' */
export function resultOf(rows: readonly BulkRow[], outcomes: Outcomes, bulk: Bulk<never>): string {
  const count = (state: Outcome['state']) => rows.filter(({ _id }) => outcomes[_id]?.state === state).length
  const others = [
    [count('first'), 'waiting for a second approval'],
    [count('refused'), 'refused'],
    [count('unclear'), 'without an answer'],
  ].filter(([number]) => number !== 0)
  return [`${countOf(count('done'), bulk)} approved`, ...others.map(part => part.join(' '))].join(', ')
}
