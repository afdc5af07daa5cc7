import { followChanges } from './api/live.ts'
import { onTokenChangedElsewhere } from './api/tokens.ts'

/**
 * Shows other people's changes, and follows logouts and account changes in other tabs.
 * @returns stops it
 */
export function follow(): () => void {
  const stops = [followChanges(), onTokenChangedElsewhere(() => location.reload()), passGuardAgain()]
  return () => {
    for (const stop of stops) stop()
  }
}

/** A page restored from the back-forward cache must pass the guard again. */
function passGuardAgain(): () => void {
  const until = new AbortController()
  addEventListener('pageshow', event => event.persisted && location.reload(), { signal: until.signal })
  return () => until.abort()
}
