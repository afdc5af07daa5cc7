import { X } from 'lucide-react'
import { Link } from 'react-router'
import { listPostings } from '#shared/contract/console.ts'
import { t } from '#shared/i18n/t.ts'
import { useLeaving } from '#web/admin/leaving.ts'
import { mayCall } from '#web/admin/rights.ts'
import { tr } from '#web/tr.ts'
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
    <div className="fixed inset-x-4 bottom-4 z-30 flex items-center justify-between gap-4 rounded-md border border-rule bg-surface py-2 ps-4 pe-2 shadow-lift sm:inset-x-auto sm:end-6">
      <p className="wrap-anywhere text-sm">
        {tr('{result}: {record}.', { result: words, record: <bdi>{of}</bdi> })}{' '}
        <Link className="prose-link" to={to}>
          {posts && mayCall(listPostings) ? t('View postings') : t('View')}
        </Link>
      </p>
      <IconButton label={t('Dismiss')} onClick={dismiss}>
        <X aria-hidden="true" />
      </IconButton>
    </div>
  )
}
