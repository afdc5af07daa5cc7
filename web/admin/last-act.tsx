import { X } from 'lucide-react'
import { useEffect } from 'react'
import { Link, useLocation } from 'react-router'
import { listPostings } from '#shared/contract/console.ts'
import { IconButton } from '#web/ui/button.tsx'
import { tellLastAct, useLastAct } from './acts/last-act.ts'
import { mayCall } from './rights.ts'

/** After an act: the way to what it posted, until the page is left or somebody puts it away. */
export function LastAct() {
  const { pathname } = useLocation()
  const act = useLastAct()
  // biome-ignore lint/correctness/useExhaustiveDependencies: of one page.
  useEffect(() => () => tellLastAct(undefined), [pathname])
  if (!act) return null
  return (
    <div className="fixed inset-x-4 bottom-4 z-30 flex items-center justify-between gap-4 rounded-md border border-rule bg-surface py-2 pr-2 pl-4 shadow-lift sm:inset-x-auto sm:right-6">
      <p className="wrap-anywhere text-sm">
        {act.words}: {act.of}.{' '}
        <Link className="prose-link" to={act.to}>
          {mayCall(listPostings) ? 'See what it posted' : 'See it'}
        </Link>
      </p>
      <IconButton label="Put away" onClick={() => tellLastAct(undefined)}>
        <X aria-hidden="true" />
      </IconButton>
    </div>
  )
}
