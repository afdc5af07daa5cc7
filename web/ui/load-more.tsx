import { Button } from './button.tsx'

type LoadMoreProps = {
  shown: number
  total: number | undefined
  hasMore: boolean
  loading: boolean
  onMore: () => void
}

/** How much of a list is on show, and the next page of it. */
export function LoadMore({ shown, total, hasMore, loading, onMore }: LoadMoreProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-4 py-3">
      <p role="status" className="text-ink-faint text-sm tabular-nums">
        {total === undefined ? `${shown} shown` : `${shown} of ${total}`}
      </p>
      {hasMore && (
        <Button tone="quiet" size="sm" busy={loading} onClick={onMore}>
          Load more
        </Button>
      )}
    </div>
  )
}
