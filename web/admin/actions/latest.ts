import { useSyncExternalStore } from 'react'
import { postingsAnchor } from '#web/admin/anchor.ts'
import { signal } from '#web/api/signal.ts'

/** The record of an action, its page, and whether its postings are there. */
export type Shown = { of: string; to: string; posts: boolean }
/** The result of an action. */
export type ActionResult = Shown & { words: string }

/** A record's page, at its postings if there are any. */
export function shownAt(page: string, of: string, posts: boolean): Shown {
  return { of, to: posts ? `${page}#${postingsAnchor}` : page, posts }
}

let last: ActionResult | undefined
const changed = signal()

/** Shows the result of a successful action; undefined hides it. */
export function showResult(act: ActionResult | undefined): void {
  last = act
  changed.emit()
}

export function useLatestResult(): ActionResult | undefined {
  return useSyncExternalStore(changed.on, () => last)
}
