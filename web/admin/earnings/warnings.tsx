import { returnSummary } from '#shared/contract/returns.ts'
import { t } from '#shared/i18n/t.ts'
import { formatUsd } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Day } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
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
        <p>
          {t('{beyondCents} above the unpaid target accrual, so a second person must approve it.', {
            beyondCents: formatUsd(beyondCents),
          })}
        </p>
      )}
      {tooEarly && (
        <p>
          {tr(
            'Warning: this would be paid from a return, “{source}”, realised on {day}, before {of} started.',
            { source: next.source, day: <Day on={next.realisedAt} />, of },
          )}
        </p>
      )}
    </div>
  )
}
