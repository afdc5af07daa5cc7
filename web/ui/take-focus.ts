/** For what comes in place of what had the focus: a `ref` that takes it, so that it never gets lost. */
export function takeFocus(element: HTMLElement | null) {
  element?.focus()
}
