import { Link } from 'react-router'
import { returnSummary } from '#shared/contract/returns.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { Day } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { tr } from '#web/tr.ts'
import { startedAfter } from './preview.ts'

type EarningWarningsProps = {
  /** Cents beyond the unpaid accrual. */
  beyondCents?: bigint
  /** Start of the investments that it is paid on. */
  began: readonly (string | null)[]
  /** It is paid on several investments; `began` is the latest start. */
  several?: boolean
}

/** Warns about an unusual earning before it is confirmed; it remains allowed. */
export function EarningWarnings({ beyondCents = 0n, began, several = false }: EarningWarningsProps) {
  const { data } = useRead(returnSummary, {})
  const next = data?.next
  const tooEarly = next && began.some(at => startedAfter(at, next.realisedAt))
  if (beyondCents <= 0n && !tooEarly) return null
  return (
    <div className="grid gap-2 border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      {beyondCents > 0n && (
        <p>
          {t('{amount} above the unpaid target accrual, so a second person must approve it.', {
            amount: localUsd(beyondCents),
          })}
        </p>
      )}
      {tooEarly && (
        <p>
          {several
            ? tr(
                'Warning: this would be paid from a return, “{source}”, realised on {day}, before the latest of these investments started.',
                { source: <bdi>{next.source}</bdi>, day: <Day on={next.realisedAt} /> },
              )
            : tr(
                'Warning: this would be paid from a return, “{source}”, realised on {day}, before the investment started.',
                { source: <bdi>{next.source}</bdi>, day: <Day on={next.realisedAt} /> },
              )}
        </p>
      )}
    </div>
  )
}

/** Says by how many cents recorded returns are too few, and where to record one. */
export function TooFewReturns({ cents }: { cents: bigint }) {
  return (
    <p className="text-bad text-sm">
      {tr('{amount} more than the recorded returns available. <link>Record a return</link> first.', {
        amount: localUsd(cents),
        link: words => (
          <Link className="prose-link" to={consolePaths.returns}>
            {words}
          </Link>
        ),
      })}
    </p>
  )
}
