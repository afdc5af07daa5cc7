/** Runs work while the browser is idle. */
export function whenIdle(work: () => void) {
  // Safari has no idle callback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work)
  else setTimeout(work)
}
