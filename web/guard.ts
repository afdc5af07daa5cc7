import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { me } from '#shared/contract/accounts.ts'
import { sessionExpired } from './api/errors.ts'
import { queries, readOf } from './api/read.ts'
import { isRootRestored, restoreRoot } from './api/root-state.ts'
import { checkSession } from './api/session.ts'
import { mustSetUp, typeLoggedIn } from './api/tokens.ts'
import { go } from './go.ts'
import { paths } from './paths.ts'
import { withReturnTo } from './return-to.ts'
import { useHydrated } from './ui/hydrated.ts'
import { toast } from './ui/toast.ts'

export type GuardedArea = 'dashboard' | 'admin'

/**
 * Where a visit of a page is sent instead: to /login unless somebody is signed in; from the console an
 * investor to his own pages, and an admin of a live firm who has shown no second factor to where he sets one
 * up (F-08). Undefined where it may go on; the persisted state is there then. The server checks it all again at every call.
 */
export async function redirectFor(area: GuardedArea, pathname: string): Promise<string | undefined> {
  const session = await checkSession()
  if (session === 'expired') toast.error(sessionExpired)
  if (session !== 'in') return paths.login
  await restoreRoot()
  if (area === 'dashboard') return undefined
  // Once read is enough: a type never changes, and the console opens its pages while the server cannot be asked.
  const { type } = await queries.ensureQueryData(readOf(me, {}))
  if (type !== 'admin') return paths.dashboard.home
  return mayShowConsole(pathname) ? undefined : paths.admin.security
}

function mayShowConsole(pathname: string): boolean {
  return !mustSetUp() || pathname === paths.admin.security
}

/** Whether a visit may go on as far as can be told without asking: what was looked at before need not be waited for. */
function isOpenAtOnce(area: GuardedArea, pathname: string): boolean {
  const type = typeLoggedIn()
  if (!isRootRestored() || type === undefined) return false
  return area === 'dashboard' || (type === 'admin' && mayShowConsole(pathname))
}

/** Guards an area: looks at every visit of every page, and leads away. False until it is known that pages may be shown. */
export function useGuard(area: GuardedArea): boolean {
  const { pathname } = useLocation()
  const hydrated = useHydrated()
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
  return openAt === pathname || (hydrated && isOpenAtOnce(area, pathname))
}
