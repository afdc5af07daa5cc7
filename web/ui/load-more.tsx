import { t } from '#shared/i18n/t.ts'
import { Button } from './button.tsx'

type LoadMoreProps = {
  shown: number
  total: number | undefined
  totalIsAtLeast?: boolean
  /** What it counts, if not the rows: 'postings'. */
  unit?: string | undefined
  hasMore: boolean
  loading: boolean
  onMore: () => void
}

/** How many rows are shown, and a button for more. */
export function LoadMore({ shown, total, totalIsAtLeast, unit, hasMore, loading, onMore }: LoadMoreProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-4 py-3">
      <p role="status" className="text-ink-faint text-sm tabular-nums">
        {amount(shown, total, totalIsAtLeast)} {unit}
      </p>
      {hasMore && (
        <Button tone="quiet" size="sm" busy={loading} onClick={onMore}>
          {t('Load more')}
        </Button>
      )}
    </div>
  )
}

function amount(shown: number, total: number | undefined, totalIsAtLeast = false): string {
  // We only know that there is one more.
  if (total === undefined || (totalIsAtLeast && total <= shown + 1)) return t('{shown} shown', { shown })
  return totalIsAtLeast
    ? t('{shown} of more than {total}', { shown, total })
    : t('{shown} of {total}', { shown, total })
}
