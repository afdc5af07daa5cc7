import { translate } from '#shared/i18n/t.ts'
import { offlineStay } from './api/errors.ts'
import { paths } from './paths.ts'
import { toast } from './ui/toast.ts'

/**
 * Blocks navigation while offline: the next page would lack its data or be the browser's error page. Logging out
 * stays possible.
 * @returns permits it again
 */
export function stayOffline(): () => void {
  const until = new AbortController()
  function stays(event: Event, address: string) {
    const { origin, pathname } = new URL(address)
    const leads = origin === location.origin && pathname !== location.pathname && pathname !== paths.login
    if (navigator.onLine || !leads) return
    event.preventDefault()
    toast.plain(translate(offlineStay))
  }
  const clicked = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null
    if (link) stays(event, link.href)
  }
  // Back and forward; browsers without a cancelable event navigate.
  const turned = (event: NavigateEvent) => {
    if (event.navigationType === 'traverse' && event.cancelable) stays(event, event.destination.url!)
  }
  document.addEventListener('click', clicked, { capture: true, signal: until.signal })
  globalThis.navigation?.addEventListener('navigate', turned, { signal: until.signal })
  return () => until.abort()
}
