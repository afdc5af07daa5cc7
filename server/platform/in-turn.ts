/** One run at a time. All calls during a run share the next one, which starts after each of them. */
export function inTurn<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      const own = run()
      running = own.catch(() => {})
      return own
    })
    return next
  }
}
