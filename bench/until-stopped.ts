/** Ends what it is given, in the order in which it was opened backwards. */
export type Closers = (() => Promise<void>)[]

/**
 * Measures until it is done or stopped; what was opened is closed all the same.
 * @param measure puts what closes each thing that it opens into `closers`
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

/** Aborts when the process gets a signal to end, or its parent process is gone. */
export function stopBySignals(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
    process.once(signal, () => stop.abort(new Error(`Stopped by ${signal}`)))
  }
  return stop.signal
}
