import { useRef, useState } from 'react'
import type { BulkResult } from '#shared/contract/bulk.ts'
import { bulkStep } from '#shared/limits.ts'
import { call } from '#web/api/call.ts'
import { ApiError, wordsOf } from '#web/api/errors.ts'
import { written } from '#web/api/mutation.ts'
import { withReauthentication } from '#web/api/reauthentication.ts'
import { toast } from '#web/ui/toast.ts'
import type { BulkAction, BulkRow } from './bulk.tsx'
import { countOf, resultWords, verbs } from './words.ts'

/** Outcome of a row with the server's message. 'first': a second approval is needed. */
export type Outcome = { state: 'running' | 'done' | 'first' | 'refused' | 'unclear'; words?: string }
export type Outcomes = ReadonlyMap<string, Outcome>

/** What the user said: a reason, '' for none, and each row's own value, if the action asks for them. */
export type Said = { reason: string; own: readonly string[] }

/** `stopping`: the calls under way are answered, and no other is sent. */
type Phase = 'asked' | 'running' | 'stopping' | 'over'

/** Acts on rows in steps, each one call with its own Idempotency-Key, which a retry keeps (B-06). */
export function useBulkRun<Row extends BulkRow>(list: string, action: BulkAction<Row>, rows: readonly Row[]) {
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map())
  const [phase, setPhase] = useState<Phase>('asked')
  const [keys] = useState(() => new Map<number, string>())
  const stopped = useRef(false)
  const isBusy = useRef(false)

  async function actOn(from: number, { reason, own }: Said): Promise<[string, Outcome][]> {
    const step = rows.slice(from, from + bulkStep)
    const idempotencyKey = keys.get(from) ?? crypto.randomUUID()
    keys.set(from, idempotencyKey)
    const records = step.map((row, at) => ({
      id: row._id,
      ...action.recordOf?.(row),
      ...(action.own && { [action.own.field]: own[from + at] }),
    }))
    const body = { records, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) }
    try {
      const { data } = await withReauthentication(() =>
        call(action.call, { body } as never, { idempotencyKey }),
      )
      return (data as BulkResult[]).map(result => [result.id, outcomeOf(result)])
    } catch (error) {
      // The step goes on where it was interrupted, once it is sent again with its key.
      const state = error instanceof ApiError && error.unclear ? 'unclear' : 'refused'
      return step.map(({ _id }) => [_id, { state, words: wordsOf(error) }])
    }
  }

  async function run(said: Said): Promise<void> {
    if (isBusy.current) return
    isBusy.current = true
    stopped.current = false
    setPhase('running')
    const progress = toast.loading(verbs[action.verb].doingTo(countOf(rows.length, list)))
    const next = new Map(outcomes)
    for (let from = 0; from < rows.length && !stopped.current; from += bulkStep) {
      const step = rows.slice(from, from + bulkStep)
      if (!step.some(({ _id }) => isOpen(next.get(_id)))) continue
      for (const { _id } of step) next.set(_id, { state: 'running' })
      setOutcomes(new Map(next))
      for (const [id, outcome] of await actOn(from, said)) next.set(id, outcome)
      setOutcomes(new Map(next))
    }
    const states = [...next.values()].map(({ state }) => state)
    const words = rows.length === 1 ? next.get(rows[0]!._id)?.words : undefined
    const result = words ?? resultOf(rows, next, list, action)
    if (states.includes('done') || states.includes('first')) progress.success(result)
    else progress.error(result)
    // Even if all were refused: then the list was out of date.
    written.emit()
    setPhase('over')
    isBusy.current = false
  }

  return {
    outcomes,
    isRunning: phase === 'running' || phase === 'stopping',
    isStopping: phase === 'stopping',
    isOver: phase === 'over',
    run,
    stop() {
      stopped.current = true
      setPhase('stopping')
    },
  }
}

function outcomeOf({ done, needsSecondApproval, message }: BulkResult): Outcome {
  if (!done) return { state: 'refused', words: message }
  return { state: needsSecondApproval ? 'first' : 'done', words: message }
}

function isOpen(outcome: Outcome | undefined): boolean {
  return outcome === undefined || outcome.state === 'unclear'
}

/** Rows that a further run would send. */
export function openRows(rows: readonly BulkRow[], outcomes: Outcomes): number {
  return rows.filter(({ _id }) => isOpen(outcomes.get(_id))).length
}

/** '2 deposits approved, 1 refused' */
export function resultOf(
  rows: readonly BulkRow[],
  outcomes: Outcomes,
  list: string,
  { verb }: Pick<BulkAction<never>, 'verb'>,
): string {
  const count = (state: Outcome['state'] | undefined) =>
    rows.filter(({ _id }) => outcomes.get(_id)?.state === state).length
  return resultWords({
    done: verbs[verb].done(countOf(count('done'), list)),
    first: count('first'),
    refused: count('refused'),
    unclear: count('unclear'),
    unsent: count(undefined),
  })
}
