import { returnSummary } from '#shared/contract/returns.ts'
import { formatUsd } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Day } from '#web/components/when.tsx'
import { beganAfter } from './preview.ts'

type EarningWarningsProps = {
  /** How much more it is than has accrued and is not paid, in cents. */
  beyondCents?: bigint
  /** When the investments began on which it is paid. */
  began: readonly (string | null)[]
  /** What began then, in words. */
  of?: string
}

/** What is unusual about an earning, before it is confirmed. Nothing of it forbids it. */
export function EarningWarnings({ beyondCents = 0n, began, of = 'the investment' }: EarningWarningsProps) {
  const { data } = useRead(returnSummary, {})
  const next = data?.next
  const tooEarly = next && began.some(at => beganAfter(at, next.realisedAt))
  if (beyondCents <= 0n && !tooEarly) return null
  return (
    <div className="grid gap-2 border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      {beyondCents > 0n && (
        <p>This is {formatUsd(beyondCents)} more than the plan's target has accrued and is not paid yet.</p>
      )}
      {tooEarly && (
        <p>
          The return that pays it first, “{next.source}”, was realised on <Day on={next.realisedAt} />, before{' '}
          {of} began.
        </p>
      )}
    </div>
  )
}
