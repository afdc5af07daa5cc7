import { returnSummary } from '#shared/contract/returns.ts'
import { formatUsd } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Day } from '#web/components/when.tsx'
import { startedAfter } from './preview.ts'

type EarningWarningsProps = {
  /** Cents beyond the unpaid accrual. */
  beyondCents?: bigint
  /** Start of the investments that it is paid on. */
  began: readonly (string | null)[]
  /** Names the investment in the warning. */
  of?: string
}

/** Warns about an unusual earning before it is confirmed; it remains allowed. */
export function EarningWarnings({ beyondCents = 0n, began, of = 'the investment' }: EarningWarningsProps) {
  const { data } = useRead(returnSummary, {})
  const next = data?.next
  const tooEarly = next && began.some(at => startedAfter(at, next.realisedAt))
  if (beyondCents <= 0n && !tooEarly) return null
  return (
    <div className="grid gap-2 border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      {beyondCents > 0n && (
        <p>{formatUsd(beyondCents)} above the unpaid target accrual, so a second person must approve it.</p>
      )}
      {tooEarly && (
        <p>
          Warning: this would be paid from a return, “{next.source}”, realised on <Day on={next.realisedAt} />
          , before {of} started.
        </p>
      )}
    </div>
  )
}
