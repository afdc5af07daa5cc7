import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { go } from '#web/go.ts'

/**
 * A page step with its own history entry, so that Back undoes it and keeps what was typed. A reload keeps the entry
 * but not its data: show the step only with its data.
 */
export function useStep(name: string) {
  const { state } = useLocation()
  const isOn = state?.step === name
  // Leave only once: a late answer must not go back again after the user did.
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
      // A second press can come before the first has rendered.
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
