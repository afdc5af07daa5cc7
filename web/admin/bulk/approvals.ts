import { useRef, useState } from 'react'
import type { CallDefinition } from '#shared/contract/define.ts'
import { written } from '#web/api/act.ts'
import { call } from '#web/api/call.ts'
import { ApiError, wordsOf } from '#web/api/errors.ts'
import { withProof } from '#web/api/proof.ts'
import { toast } from '#web/ui/toast.ts'
import { type Bulk, type BulkRow, countOf } from './bulk.tsx'

/** What has become of one row; why not, where it was refused. */
export type Outcome = { state: 'running' | 'done' | 'refused' | 'unclear'; words?: string }
type Outcomes = Record<string, Outcome>

/**
 * Approves rows one after the other, each under an Idempotency-Key of its own: one that got no clear answer is sent again under the
 * same key, so that it has its effect once (B-06).
 */
export function useApprovals<Row extends BulkRow>(bulk: Bulk<Row>, rows: readonly Row[]) {
  const [outcomes, setOutcomes] = useState<Outcomes>({})
  const [phase, setPhase] = useState<'asked' | 'running' | 'over'>('asked')
  const keys = useRef(new Map<string, string>())
  const isBusy = useRef(false)

  async function approve(id: string): Promise<Outcome> {
    const idempotencyKey = keys.current.get(id) ?? crypto.randomUUID()
    keys.current.set(id, idempotencyKey)
    try {
      await withProof(() =>
        call(bulk.call as CallDefinition, { params: { id } } as never, { idempotencyKey }),
      )
      return { state: 'done' }
    } catch (fault) {
      const isUnclear = fault instanceof ApiError && fault.unclear
      return { state: isUnclear ? 'unclear' : 'refused', words: wordsOf(fault) }
    }
  }

  async function run(): Promise<void> {
    if (isBusy.current) return
    isBusy.current = true
    setPhase('running')
    const open = rows.filter(({ _id }) => !['done', 'refused'].includes(outcomes[_id]?.state ?? ''))
    let done = 0
    for (const { _id } of open) {
      setOutcomes(current => ({ ...current, [_id]: { state: 'running' } }))
      const outcome = await approve(_id)
      if (outcome.state === 'done') done += 1
      setOutcomes(current => ({ ...current, [_id]: outcome }))
    }
    if (done > 0) {
      toast.success(done === 1 ? bulk.call.message : `${countOf(done, bulk)} approved`)
    }
    // Also where all were refused: then the list on show was out of date.
    written.emit()
    setPhase('over')
    isBusy.current = false
  }

  return { outcomes, isRunning: phase === 'running', isOver: phase === 'over', run }
}
