import { useLocation } from 'react-router'
import type { UserType } from '#shared/contract/entities.ts'
import { paths } from './paths.ts'

/** What goes with the way to /login. It stays with that entry of the history: a reload keeps it, the address is bare. */
type LoginState = { wanted: string }

export function withReturnTo(place: string): LoginState {
  return { wanted: place }
}

/** Where this visit of /login leads back to; not checked yet, see `landingPath`. */
export function useReturnTo(): unknown {
  const { state } = useLocation()
  return (state as Partial<LoginState> | null)?.wanted
}

/** Stands for our origin, which is the same for whatever place is ours. */
const here = 'http://here.invalid'

/**
 * Where somebody comes to who is logged in: the place that he wanted, if it is one of ours and for him, else the
 * first page of his area.
 */
export function landingPath(type: UserType, wanted?: unknown): string {
  const home = type === 'admin' ? paths.admin.home : paths.dashboard.home
  if (typeof wanted !== 'string' || !URL.canParse(wanted, here)) return home
  const { origin, pathname, search, hash } = new URL(wanted, here)
  const areas = type === 'admin' ? ['/dashboard/', '/admin/'] : ['/dashboard/']
  const isHis = origin === here && areas.some(area => pathname.startsWith(area))
  // Whoever wanted no more than a first page gets his own.
  return isHis && pathname !== paths.dashboard.home ? pathname + search + hash : home
}
