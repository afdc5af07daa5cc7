/** The closed set of error codes and their HTTP status (D8). Maps that translate refusals are exhaustive over it. */
export const errorStatus = {
  invalid_input: 400,
  invalid_json: 400,
  invalid_code: 400,
  code_expired: 400,
  invalid_reset_token: 400,
  invalid_passkey: 400,
  invalid_credentials: 401,
  second_factor_required: 401,
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  email_not_verified: 401,
  forbidden: 403,
  proof_required: 403,
  second_factor_setup_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  email_taken: 409,
  insufficient_funds: 409,
  insufficient_returns: 409,
  no_active_investment: 409,
  nothing_accrued: 409,
  wrong_state: 409,
  address_waiting: 409,
  account_frozen: 409,
  same_approver: 409,
  own_request: 409,
  transaction_reused: 409,
  quote_expired: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  too_many_tries: 429,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  rate_unavailable: 503,
  method_paused: 503,
  not_ready: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** One message per invalid field, by its name in the request. */
export type FieldErrors = Record<string, string>

/**
 * A refusal for the caller: a message that says what to do, a code and any field messages. Everything else thrown is
 * a 500.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  /** Distinguishes refusals with the same code (shared/refusals.ts). */
  readonly reason: string | undefined
  readonly fields: FieldErrors | undefined
  /** Seconds until a retry makes sense (RFC 9110 Retry-After); only with 429 and 503. */
  readonly retryAfterSeconds: number | undefined
  /** Who was refused, if the request does not say it; for the log alone. */
  readonly userId: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      reason?: string | undefined
      fields?: FieldErrors | undefined
      retryAfterSeconds?: number
      userId?: string
      cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.reason = options.reason
    this.fields = options.fields
    this.retryAfterSeconds = options.retryAfterSeconds
    this.userId = options.userId
  }

  get status(): number {
    return errorStatus[this.code]
  }
}

/** The refusal of one field's value. */
export function invalidField(field: string, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } })
}
