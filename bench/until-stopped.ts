/** Closes everything given, in reverse order of opening. */
export type Closers = (() => Promise<void>)[]

/**
 * Measures until done or stopped, and then closes everything.
 * @param measure adds a closer to `closers` for each thing that it opens
 * @throws the reason of `stop`
 */
export async function untilStopped<T>(
  stop: AbortSignal,
  measure: (closers: Closers) => Promise<T>,
): Promise<T> {
  const closers: Closers = []
  const stopped = new Promise<never>((_, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason))
  })
  try {
    return await Promise.race([measure(closers), stopped])
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** Aborts on a signal to end, or when the parent process has ended. */
export function stopBySignals(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
    process.once(signal, () => stop.abort(new Error(`Stopped by ${signal}`)))
  }
  return stop.signal
}
