/** Events of the window, by which a document knows how far its script is. */
export const scriptEvents = {
  /** From now on React keeps what is pressed, until the page can do it. */
  runs: 'script-runs',
  /** The page's buttons and forms do what they say. */
  ready: 'script-ready',
} as const
