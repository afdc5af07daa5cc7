/**
 * Where the focus goes after an act that took its own button away: the list or the part of the page around that button.
 * Spread on it.
 */
export const focusHome = { tabIndex: -1, 'data-focus-home': '' } as const

/** The place around what has the focus now. */
export function focusHomeHere(): HTMLElement | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-focus-home]') ?? undefined
}
