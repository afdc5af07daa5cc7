import { useLayoutEffect, useSyncExternalStore } from 'react'
import { signal } from '#web/api/signal.ts'

/** Hides amounts from onlookers; kept in this browser, for all its tabs. */

const key = 'amounts'
const hiddenValue = 'hidden'
const changed = signal()

function isHidden(): boolean {
  return localStorage.getItem(key) === hiddenValue
}

export function setAmountsHidden(hidden: boolean) {
  if (hidden) localStorage.setItem(key, hiddenValue)
  else localStorage.removeItem(key)
  changed.emit()
}

function onChange(listener: () => void): () => void {
  const stop = changed.on(listener)
  addEventListener('storage', listener)
  return () => {
    stop()
    removeEventListener('storage', listener)
  }
}

/** For places that styles cannot reach: accessible names and drawings. */
export function useAmountsHidden(): boolean {
  return useSyncExternalStore(onChange, isHidden, () => false)
}

/** Hides amounts (styles/amounts.css) from the first paint. */
export function useHiddenAmounts(): boolean {
  const hidden = useAmountsHidden()
  useLayoutEffect(() => {
    const { classList } = document.documentElement
    classList.toggle('amounts-hidden', hidden)
    return () => classList.remove('amounts-hidden')
  }, [hidden])
  return hidden
}
