import { useLayoutEffect, useSyncExternalStore } from 'react'
import { signal } from '#web/api/signal.ts'

/** Whether an investor's amounts are hidden from who looks over his shoulder: kept in this browser, in all its tabs. */

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

/** For what styles do not reach: names read out, and drawings. */
export function useAmountsHidden(): boolean {
  return useSyncExternalStore(onChange, isHidden, () => false)
}

/** Hides the amounts of the pages below (styles/amounts.css), from their first paint on. */
export function useHiddenAmounts(): boolean {
  const hidden = useAmountsHidden()
  useLayoutEffect(() => {
    const { classList } = document.documentElement
    classList.toggle('amounts-hidden', hidden)
    return () => classList.remove('amounts-hidden')
  }, [hidden])
  return hidden
}
