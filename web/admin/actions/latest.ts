import { useSyncExternalStore } from 'react'
import { postingsAnchor } from '#web/admin/anchor.ts'
import { signal } from '#web/api/signal.ts'

/** Which record an act is done to, where that is shown, and whether what the act posted is shown there. */
export type Shown = { of: string; to: string; posts: boolean }
/** What an act has brought about. */
export type ActionResult = Shown & { words: string }

/** A record on its own page, and there at what was posted, where something was. */
export function shownAt(page: string, of: string, posts: boolean): Shown {
  return { of, to: posts ? `${page}#${postingsAnchor}` : page, posts }
}

let last: ActionResult | undefined
const changed = signal()

/** Said by an act that has succeeded; undefined: nothing to look at any more. */
export function showResult(act: ActionResult | undefined): void {
  last = act
  changed.emit()
}

export function useLatestResult(): ActionResult | undefined {
  return useSyncExternalStore(changed.on, () => last)
}
