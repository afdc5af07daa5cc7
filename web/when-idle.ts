/** Does some work while the browser has nothing else to do. */
export function whenIdle(work: () => void) {
  // Safari has no idle callback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work)
  else setTimeout(work)
}
