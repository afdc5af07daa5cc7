import { followChanges } from '#web/api/live.ts'
import { onTokenChangedElsewhere } from '#web/api/tokens.ts'

/**
 * What signed-in pages are readable without: it loads after the first one. Other people's changes, and other tabs'
 * logouts and changes of account.
 * @returns stops it
 */
export function startExtras(): () => void {
  const stops = [followChanges(), onTokenChangedElsewhere(() => location.reload()), passGuardAgain()]
  return () => {
    for (const stop of stops) stop()
  }
}

/** A page restored from the back-forward cache must pass the guard again. */
function passGuardAgain(): () => void {
  const shown = (event: PageTransitionEvent) => event.persisted && location.reload()
  addEventListener('pageshow', shown)
  return () => removeEventListener('pageshow', shown)
}
