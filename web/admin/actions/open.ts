import { type ReactNode, useSyncExternalStore } from 'react'
import { signal } from '#web/api/signal.ts'

/** The dialog of an act, about its record as it was when it was opened. */
export type OpenedDialog = (close: () => void) => ReactNode

let opened: OpenedDialog | undefined
const changed = signal()

/**
 * Opens the dialog of an act over the page. Kept apart from the list that offers it: what others change meanwhile takes
 * away neither the dialog nor what is typed in it.
 */
export function openAction(dialog: OpenedDialog): void {
  opened = dialog
  changed.emit()
}

/** Closes this one, or whichever is open; an act that is done late closes no other that was opened since. */
export function closeAction(dialog = opened): void {
  if (dialog !== opened) return
  opened = undefined
  changed.emit()
}

export function useOpenAction(): OpenedDialog | undefined {
  return useSyncExternalStore(changed.on, () => opened)
}
