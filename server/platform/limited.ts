import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

const RETRY_SECONDS = 10

/**
 * Limits how many of something run at once, and how many wait for it.
 * @param refusal of what cannot even wait: AppError not_ready
 */
export function limited(
  atOnce: number,
  mostWaiting: number,
  refusal: () => AppError = overloaded,
): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async work => {
    if (running < atOnce) running++
    else if (waiting.length >= mostWaiting) throw refusal()
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The next one takes over this one's place.
      if (next) next()
      else running--
    }
  }
}

/** The refusal of what cannot even wait. */
export function overloaded(): AppError {
  return new AppError(
    'not_ready',
    t('The server has too many requests right now. Please try again in a few seconds.'),
    {
      retryAfterSeconds: RETRY_SECONDS,
    },
  )
}
