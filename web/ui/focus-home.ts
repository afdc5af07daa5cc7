/** Receives the focus after an action removed its own button. Spread on the list or part around it. */
export const focusHome = { tabIndex: -1, 'data-focus-home': '' } as const

/** The nearest focus home around the focused element. */
export function focusHomeHere(): HTMLElement | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-focus-home]') ?? undefined
}
