import { useEffect } from 'react'
import { Outlet, useBlocker, useLocation, useNavigate } from 'react-router'
import { offlineStay } from './api/errors.ts'
import { sessionEnded } from './api/session.ts'
import { paths } from './paths.ts'
import type { RouteHandle } from './root.tsx'
import { toast } from './ui/toast.ts'
import { Toaster } from './ui/toaster.tsx'

/** Everything that runs in the browser stands in here: account, dashboard and admin pages. */
export const handle: RouteHandle = { scripts: true }

export default function Shell() {
  const navigate = useNavigate()
  useEffect(() => sessionEnded.on(() => void navigate(paths.login)), [navigate])
  useStayOffline()
  useFreshNotices()
  return (
    <>
      <Outlet />
      <Toaster />
    </>
  )
}

/**
 * Without a connection no other page opens: it would be without its figures, or be the browser's error page, and what is
 * on this one would be gone. Whoever logs out may leave.
 */
function useStayOffline() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation: { pathname } }) =>
      !navigator.onLine && pathname !== currentLocation.pathname && pathname !== paths.login,
  )
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    blocker.reset()
    toast.error(offlineStay)
  }, [blocker])
}

/** What was refused on one page does not follow to the next. */
function useFreshNotices() {
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the page is another one.
  useEffect(() => toast.retractRefusal, [pathname])
}
