import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { go } from '#web/go.ts'

/**
 * A step of a page that the browser's Back takes back: an entry of its own in the history, at the same address, so that
 * what was typed before it stays. A reload keeps the entry and forgets what it was about: show it only with that at hand.
 */
export function useStep(name: string) {
  const { state } = useLocation()
  const isOn = state?.step === name
  // Left once, and only from where it is: not again by an answer that comes after the visitor went back himself.
  const open = useRef(false)
  useEffect(() => {
    open.current = isOn
    return () => {
      open.current = false
    }
  }, [isOn])
  return {
    isOn,
    enter() {
      // A second press comes before the first has been drawn, but not before it is in the history.
      if (history.state?.usr?.step === name) return
      return go({ search: location.search }, { state: { step: name } })
    },
    leave() {
      if (!open.current) return
      open.current = false
      return go(-1)
    },
  }
}
