import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { me } from '#shared/contract/accounts.ts'
import { translate } from '#shared/i18n/t.ts'
import { sessionExpired } from './api/errors.ts'
import { queries, readOf } from './api/read.ts'
import { isRootRestored, restoreRoot } from './api/root-state.ts'
import { checkSession } from './api/session.ts'
import { mustSetUp, typeLoggedIn } from './api/tokens.ts'
import { go } from './go.ts'
import { paths } from './paths.ts'
import { withReturnTo } from './return-to.ts'
import { toast } from './ui/toast.ts'

export type GuardedArea = 'dashboard' | 'admin'

/**
 * Redirect target of a visit: /login if signed out, an investor's own pages, or two-
 * factor setup (F-08). Undefined if the visit may continue; the stored state is then restored. The server checks
 * every call again.
 */
export async function redirectFor(area: GuardedArea, pathname: string): Promise<string | undefined> {
  const session = await checkSession()
  if (session === 'expired') toast.error(translate(sessionExpired), true)
  if (session !== 'in') return paths.login
  await restoreRoot()
  if (area === 'dashboard') return undefined
  // One read is enough: the type never changes, and the console opens while the server is away.
  const { type } = await queries.ensureQueryData(readOf(me, {}))
  if (type !== 'admin') return paths.dashboard.home
  return mayShowConsole(pathname) ? undefined : paths.admin.security
}

function mayShowConsole(pathname: string): boolean {
  return !mustSetUp() || pathname === paths.admin.security
}

/** True if the visit is allowed by what this tab already knows, so that nothing has to load first. */
function isOpenAtOnce(area: GuardedArea, pathname: string): boolean {
  if (!isRootRestored()) return false
  const type = typeLoggedIn()
  if (type === undefined) return false
  return area === 'dashboard' || (type === 'admin' && mayShowConsole(pathname))
}

/** Checks every visit of an area and redirects. False until its pages may be shown. */
export function useGuard(area: GuardedArea): boolean {
  const { pathname } = useLocation()
  const [openAt, setOpenAt] = useState<string>()
  useEffect(() => {
    let isGone = false
    const look = async () => {
      const instead = await redirectFor(area, pathname)
      if (isGone) return
      if (instead === undefined) return setOpenAt(pathname)
      setOpenAt(undefined)
      const { search, hash } = location
      const state = instead === paths.login ? withReturnTo(pathname + search + hash) : undefined
      await go(instead, { replace: true, state })
    }
    look().catch(error => {
      setOpenAt(() => {
        throw error
      })
    })
    return () => {
      isGone = true
    }
  }, [area, pathname])
  return openAt === pathname || isOpenAtOnce(area, pathname)
}
