import { databaseTrouble } from '#server/platform/database/trouble.ts'
import type { Failure } from '#shared/contract/define.ts'
import { AppError, type ErrorCode, errorStatus } from '#shared/errors.ts'
import { msg, translate } from '#shared/i18n/t.ts'

/** The pages have the same words (web/api/errors.ts). */
export const internalErrorMessage = msg(
  'Oops! Something went wrong. Please try again later. If the problem persists, feel free to contact our support team',
)

/** Our errors for Fastify's own refusals, by code. */
const byFastifyCode: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large', message: msg('This request is too large') },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: msg('Send the request as application/json'),
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_input',
    message: msg('The request does not have the length that its Content-Length states'),
  },
}

/** What Fastify and its plugins refuse is the caller's mistake: a path out of a folder, a range beyond a file's end. */
function refusedByFastify(error: unknown): { code: ErrorCode; message: string } | undefined {
  const {
    code,
    statusCode = 500,
    expose,
  } = error as { code?: unknown; statusCode?: number; expose?: boolean }
  const name = typeof code === 'string' && code.startsWith('FST_') ? code : undefined
  // Errors of the package http-errors have no code.
  if (statusCode >= 500 || (name === undefined && expose !== true)) return undefined
  const known = name === undefined ? undefined : byFastifyCode[name]
  if (known) return known
  return statusCode === 403 || statusCode === 404
    ? { code: 'not_found', message: msg('There is nothing at this address') }
    : { code: 'invalid_input', message: msg('This is not a valid HTTP request') }
}

/**
 * The caller's view of any error. Anything but our own refusals is unexpected: status 500, and words that reveal
 * nothing internal.
 */
export function refusalOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  const refused = refusedByFastify(error)
  if (refused) return new AppError(refused.code, translate(refused.message))
  const trouble = databaseTrouble(error)
  if (trouble) {
    const { message, retryAfterSeconds } = trouble
    return new AppError('not_ready', translate(message), { retryAfterSeconds, cause: error })
  }
  return new AppError('internal', translate(internalErrorMessage), { cause: error })
}

export function failureOf(error: AppError): Failure {
  const { message, code, reason, fields } = error
  return { status: 'error', message, code, ...(reason ? { reason } : {}), ...(fields ? { fields } : {}) }
}

/** Stored with an idempotency key and thrown again on repetition, in the language of the first request. */
export type KeptRefusal = Pick<Failure, 'message' | 'code' | 'reason' | 'fields'>

/** Not stored: errors that pass, or that the caller can fix and retry with the same key. */
export function isKept(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.code === 'proof_required') return false
  return errorStatus[error.code] < 500 && errorStatus[error.code] !== 429
}
