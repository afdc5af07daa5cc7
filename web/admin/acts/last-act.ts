import { useSyncExternalStore } from 'react'
import { signal } from '#web/api/signal.ts'

/** What an act has brought about: the record, and where what it posted is shown. */
export type LastAct = { words: string; of: string; to: string }

let last: LastAct | undefined
const changed = signal()

/** Said by an act that has succeeded; undefined: nothing to look at any more. */
export function tellLastAct(act: LastAct | undefined): void {
  last = act
  changed.emit()
}

export function useLastAct(): LastAct | undefined {
  return useSyncExternalStore(changed.on, () => last)
}
