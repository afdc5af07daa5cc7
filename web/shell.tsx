import { useEffect } from 'react'
import { Outlet, useBlocker, useLocation, useNavigate } from 'react-router'
import { offlineStay } from './api/errors.ts'
import { sessionEnded } from './api/session.ts'
import { leadingBackTo } from './landing.ts'
import { paths } from './paths.ts'
import type { RouteHandle } from './root.tsx'
import { toast } from './ui/toast.ts'
import { Toaster } from './ui/toaster.tsx'

/** Everything that runs in the browser stands in here: account, dashboard and admin pages. */
export const handle: RouteHandle = { scripts: true }

export default function Shell() {
  useLoginWhenOver()
  useStayOffline()
  useFreshNotices()
  return (
    <>
      <Outlet />
      <Toaster />
    </>
  )
}

/** A session that ends leads to /login, which leads back; however many reads find out, it is the same place. */
function useLoginWhenOver() {
  const navigate = useNavigate()
  useEffect(
    () =>
      sessionEnded.on(() => {
        const { pathname, search, hash } = location
        if (pathname === paths.login) return
        void navigate(paths.login, { state: leadingBackTo(pathname + search + hash) })
      }),
    [navigate],
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
