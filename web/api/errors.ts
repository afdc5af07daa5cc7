import type { Failure } from '#shared/contract/define.ts'
import type { ErrorCode, FieldErrors } from '#shared/errors.ts'

/** The words for what the server refuses (X-01 to X-04, D10). */
export const verifyFirst =
  'This action requires you to verify your email address. Please address that to continue'
export const sessionExpired = 'Your session has expired, you will be redirected to the login page'
export const oops =
  'Oops! Something went wrong. Please try again later. If the problem persists, feel free to contact our support team'
export const anError = 'An error occurred'
export const offline = 'We cannot reach the server. Check your connection and try again'
export const offlineStay = 'You are offline. You can open other pages once you are connected again'
export const loginFirst = 'Please log in to continue'

/** What the visitor is told about an answer with this status and message. */
export function wordsFor(status: number, message: string | undefined): string {
  if (status === 401 && message?.includes('Please verify email address')) return verifyFirst
  if (status === 401 && message?.includes('expired')) return sessionExpired
  if (status >= 500) return oops
  return message || anError
}

/** A call that was refused or failed. `message` is for the visitor. */
export class ApiError extends Error {
  /** HTTP status; 0 where no answer came. */
  readonly status: number
  readonly code: ErrorCode | undefined
  /** Which of the refusals that share the code it is (shared/refusals.ts). */
  readonly reason: string | undefined
  /** One message per faulty field of the request. */
  readonly fields: FieldErrors | undefined
  /** The server's own words: of use where a page explains a 503, whose toast is the general one. */
  readonly detail: string | undefined

  /** How long the server asks to wait before another try, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, failure?: Partial<Failure>, retryAfterMs?: number) {
    super(status === 0 ? offline : wordsFor(status, failure?.message))
    this.name = 'ApiError'
    this.status = status
    this.code = failure?.code
    this.reason = failure?.reason
    this.fields = failure?.fields
    this.detail = failure?.message
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the access token was refused as expired, or as one of a session that has ended. */
  get isStaleToken(): boolean {
    return this.status === 401 && (this.message === sessionExpired || this.code === 'token_invalid')
  }

  /** Whether the same read may succeed later: no answer, a fault of the server, or a refusal that is about time (C-29). */
  get isPassing(): boolean {
    return this.unclear || this.status === 408 || this.status === 429
  }

  /** Whether the call may have had its effect although no clear answer came: ask again with the same key. */
  get unclear(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** The visitor's words for anything that was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof ApiError ? error.message : anError
}
