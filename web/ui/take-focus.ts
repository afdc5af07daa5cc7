/** A ref that takes the focus, for replacements of the focused element. */
export function takeFocus(element: HTMLElement | null) {
  element?.focus()
}
