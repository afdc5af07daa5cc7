import { useLocation } from 'react-router'
import type { UserType } from '#shared/contract/entities.ts'
import { paths } from './paths.ts'

/** Stored in the history entry: a reload keeps it, and the address stays bare. */
type LoginState = { returnTo: string }

export function withReturnTo(place: string): LoginState {
  return { returnTo: place }
}

/** Path to return to after login; unchecked, see `landingPath`. */
export function useReturnTo(): unknown {
  const { state } = useLocation()
  return (state as Partial<LoginState> | null)?.returnTo
}

/** Placeholder origin to resolve paths against. */
const here = 'http://here.invalid'

/** First page after login: the requested path if it is ours and allowed, else the area's home. */
export function landingPath(type: UserType, returnTo?: unknown): string {
  const home = type === 'admin' ? paths.admin.home : paths.dashboard.home
  if (typeof returnTo !== 'string' || !URL.canParse(returnTo, here)) return home
  const { origin, pathname, search, hash } = new URL(returnTo, here)
  const areas = type === 'admin' ? ['/dashboard/', '/admin/'] : ['/dashboard/']
  const isAllowed = origin === here && areas.some(area => pathname.startsWith(area))
  // A request for the dashboard's home means the own home.
  return isAllowed && pathname !== paths.dashboard.home ? pathname + search + hash : home
}
