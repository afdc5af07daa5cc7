import type { Failure } from '#shared/contract/define.ts'
import type { ErrorCode, FieldErrors } from '#shared/errors.ts'
import { msg, translate } from '#shared/i18n/t.ts'
import { inLocalTime } from '#web/local-time.ts'

/** Messages for refusals (X-01 to X-04, D10). */
export const verifyFirst = msg(
  'This action requires you to verify your email address. Please address that to continue',
)
export const sessionExpired = msg('Your session has expired, you will be redirected to the login page')
export const oops = msg(
  'Oops! Something went wrong. Please try again later. If the problem persists, feel free to contact our support team',
)
export const anError = msg('An error occurred')
export const offline = msg('We cannot reach the server. Check your connection and try again')
export const offlineStay = msg('You are offline. You can open other pages once you are connected again')
export const loginFirst = msg('Please log in to continue')

export const outcomeUnknown = msg(
  'We lost the connection while saving this, so it may have been done. Check whether it was before you try again',
)

/** The user's message for a status and the server's refusal, whose message is in the user's language. */
export function wordsFor(status: number, { code, message }: Partial<Failure>): string {
  // Or by the message, as specified.
  const says = (words: string) => status === 401 && message?.includes(words)
  if (code === 'email_not_verified' || says('Please verify email address')) return translate(verifyFirst)
  if (code === 'token_expired' || says('expired')) return translate(sessionExpired)
  if (status >= 500) return translate(oops)
  return message || translate(anError)
}

/** What happened and what to do, if the server says that it will pass. */
function passingWords({ code, reason, message }: Partial<Failure>): string | undefined {
  if (code !== 'not_ready') return undefined
  return reason === 'outcome_unknown' ? translate(outcomeUnknown) : message
}

/** A refused or failed call. `message` is for the user. */
export class ApiError extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number
  readonly code: ErrorCode | undefined
  /** Distinguishes refusals with the same code (shared/refusals.ts). */
  readonly reason: string | undefined
  /** One message per invalid field. */
  readonly fields: FieldErrors | undefined
  /** The server's message, for pages that explain a 503. */
  readonly detail: string | undefined

  /** Retry-After in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, refusal?: Partial<Failure> | null, retryAfterMs?: number) {
    const failure: Partial<Failure> = JSON.parse(inLocalTime(JSON.stringify(refusal ?? {})))
    super(status === 0 ? translate(offline) : (passingWords(failure) ?? wordsFor(status, failure)))
    this.name = 'ApiError'
    this.status = status
    this.code = failure.code
    this.reason = failure.reason
    this.fields = failure.fields
    this.detail = failure.message
    this.retryAfterMs = retryAfterMs
  }

  /** True if the access token has expired or its session has ended. */
  get isStaleToken(): boolean {
    return (
      this.status === 401 && (this.message === translate(sessionExpired) || this.code === 'token_invalid')
    )
  }

  /** True if the same read may soon succeed (C-29): a paused method waits for staff. */
  get isPassing(): boolean {
    if (this.code === 'method_paused') return false
    return this.unclear || this.status === 408 || this.status === 429
  }

  /** True if the call may have taken effect: retry with the same key. */
  get unclear(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** The user's message for anything thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof ApiError ? error.message : translate(anError)
}
