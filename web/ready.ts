/** Event of the window: the page's script runs, and its buttons do what they say. */
export const readyEvent = 'ready'
