import { type ReactNode, useSyncExternalStore } from 'react'
import { signal } from '#web/api/signal.ts'

/** Renders an action's dialog with the record as it was when opened. */
export type OpenedDialog = (close: () => void) => ReactNode

let opened: OpenedDialog | undefined
const changed = signal()

/**
 * Opens an action's dialog over the page, independent of its list: other people's changes neither close it nor lose
 * what is typed.
 */
export function openAction(dialog: OpenedDialog): void {
  opened = dialog
  changed.emit()
}

/** Closes this dialog, or any; a late answer does not close a newer one. */
export function closeAction(dialog = opened): void {
  if (dialog !== opened) return
  opened = undefined
  changed.emit()
}

export function useOpenAction(): OpenedDialog | undefined {
  return useSyncExternalStore(changed.on, () => opened)
}
