import { X } from 'lucide-react'
import { Link } from 'react-router'
import { listPostings } from '#shared/contract/console.ts'
import { useLeaving } from '#web/admin/leaving.ts'
import { mayCall } from '#web/admin/rights.ts'
import { IconButton } from '#web/ui/button.tsx'
import { type ActionResult, showResult, useLatestResult } from './latest.ts'

const dismiss = () => showResult(undefined)

/** After an action: a link to its result, until dismissed or the page is left. */
export function LatestNotice() {
  const act = useLatestResult()
  useLeaving(dismiss)
  // Rendered before the message, so that screen readers announce it.
  return <div role="status">{act && <Notice act={act} />}</div>
}

function Notice({ act: { words, of, to, posts } }: { act: ActionResult }) {
  return (
    <div className="fixed inset-x-4 bottom-4 z-30 flex items-center justify-between gap-4 rounded-md border border-rule bg-surface py-2 pr-2 pl-4 shadow-lift sm:inset-x-auto sm:right-6">
      <p className="wrap-anywhere text-sm">
        {words}: {of}.{' '}
        <Link className="prose-link" to={to}>
          {posts && mayCall(listPostings) ? 'View postings' : 'View'}
        </Link>
      </p>
      <IconButton label="Dismiss" onClick={dismiss}>
        <X aria-hidden="true" />
      </IconButton>
    </div>
  )
}
