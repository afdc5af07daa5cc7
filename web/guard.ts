import { replace } from 'react-router'
import { me } from '#shared/contract/accounts.ts'
import { sessionExpired } from './api/errors.ts'
import { queries, readOf } from './api/read.ts'
import { restoreRoot } from './api/root-state.ts'
import { checkSession } from './api/session.ts'
import { mustSetUp } from './api/tokens.ts'
import { rememberWanted } from './landing.ts'
import { paths } from './paths.ts'
import { toast } from './ui/toast.ts'

/**
 * Lets a visit go on when somebody is signed in, once the persisted state is there; else to /login, which leads back
 * here.
 */
export async function requireSession(visit: Request) {
  const session = await checkSession()
  if (session === 'expired') toast.error(sessionExpired)
  if (session !== 'in') {
    rememberWanted(placeOf(visit))
    throw replace(paths.login)
  }
  await restoreRoot()
}

/** Where the visit leads. A loader's request has no fragment; where the document began with it, the address has. */
function placeOf({ url }: Request): string {
  const { pathname, search } = new URL(url)
  return pathname + search + (location.pathname === pathname ? location.hash : '')
}

/**
 * Admins only; an investor is sent to his own pages, and an admin of a live firm who has shown no second factor
 * to where he sets one up (F-08). The server checks it again at every call.
 */
export async function requireAdmin(visit: Request) {
  await requireSession(visit)
  // Once read is enough: a type never changes, and the console opens its pages while the server cannot be asked.
  const user = await queries.ensureQueryData(readOf(me, {}))
  if (user.type !== 'admin') throw replace(paths.dashboard.home)
  if (mustSetUp() && new URL(visit.url).pathname !== paths.admin.security) throw replace(paths.admin.security)
}
