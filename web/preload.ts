import { useEffect } from 'react'
import { whenIdle } from './when-idle.ts'

/**
 * Loads a dialog's module while the browser is idle, so that it opens without the server.
 * @param load must be stable
 */
export function usePreload(load: () => Promise<unknown>, isWanted = true) {
  useEffect(() => {
    // A failure is retried when the dialog opens.
    if (isWanted) whenIdle(() => void load().catch(() => {}))
  }, [load, isWanted])
}
