import { databaseTrouble } from '#server/platform/database/trouble.ts'
import type { Failure } from '#shared/contract/define.ts'
import { AppError, type ErrorCode, errorStatus } from '#shared/errors.ts'

export const faultMessage =
  'Oops! Something went wrong. Please try again later. If the problem persists, feel free to contact our support team'

/** Fastify's own refusals, by their code, as ours. */
const byFastifyCode: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large', message: 'This request is too large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: 'Send the request as application/json',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_input',
    message: 'The length of the request is not what it says',
  },
}

/**
 * The database gave up waiting (for a lock, a statement, a connection), is going down, or is not there. Trying again
 * makes sense; with the same Idempotency-Key it is safe, too.
 */
const busyCodes = new Set([
  '55P03', // lock_not_available
  '57014', // query_canceled: the statement's time is over
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '25P03', // idle_in_transaction_session_timeout
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** What pg says without a code when a connection breaks, or none becomes free in time. */
const busyWords = /^Connection terminated|^timeout exceeded when trying to connect|not queryable/

function isBusy(error: unknown): boolean {
  const { code, syscall, message } = error as { code?: unknown; syscall?: unknown; message?: unknown }
  // No such file, where the database's socket should be.
  if (code === 'ENOENT') return syscall === 'connect'
  if (typeof code === 'string') return busyCodes.has(code)
  return typeof message === 'string' && busyWords.test(message)
}

/**
 * Whatever was thrown, as what the caller may see. Everything that is not a refusal of ours is a fault: status 500
 * and words that tell nothing about the inside.
 */
export function refusalOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  const code = (error as { code?: unknown }).code
  const known = typeof code === 'string' ? byFastifyCode[code] : undefined
  if (known) return new AppError(known.code, known.message)
  const trouble = databaseTrouble(error)
  if (trouble) {
    const { message, retryAfterSeconds } = trouble
    return new AppError('not_ready', message, { retryAfterSeconds, cause: error })
  }
  if (isBusy(error)) {
    return new AppError('not_ready', 'The server is busy. Please try again in a moment.', {
      retryAfterSeconds: 2,
      cause: error,
    })
  }
  return new AppError('internal', faultMessage, { cause: error })
}

export function failureOf(error: AppError): Failure {
  const { message, code, reason, fields } = error
  return { status: 'error', message, code, ...(reason ? { reason } : {}), ...(fields ? { fields } : {}) }
}

/** Kept with an idempotency key, and thrown again for its replays. */
export type KeptRefusal = Pick<Failure, 'message' | 'code' | 'reason' | 'fields'>

/** Not what passes, nor what is put right and sent again with the same key. */
export function isKept(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.code === 'proof_required') return false
  return errorStatus[error.code] < 500 && errorStatus[error.code] !== 429
}
