import { announcePages } from './announce-pages.ts'
import { chooseInPlace } from './choose-theme.ts'
import { stayOffline } from './stay-offline.ts'
import { keepPresses } from './ui/keep-presses.ts'

/**
 * What pages are readable without: it loads after the first one.
 * @returns stops it
 */
export function startExtras(): () => void {
  const stops = [announcePages(), chooseInPlace(), stayOffline(), keepPresses()]
  return () => {
    for (const stop of stops) stop()
  }
}
