import type { components } from './contract.ts'

type Failure = components['schemas']['Failure']
/** The closed set of codes with which the server refuses. */
export type Code = Failure['code']

/** The server's refusal: what is wrong, in words and as codes to compare. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** HTTP status. */
  readonly status: number
  readonly code: Code
  /** The cause, if the code has several. */
  readonly reason: string | undefined
  /** What is wrong with a parameter, by its name. */
  readonly fields: Readonly<Record<string, string>>
  /** When a repetition makes sense; undefined if the server names no time. */
  readonly retryAfterSeconds: number | undefined
  /** By which the server's log names the request. */
  readonly requestId: string | undefined

  constructor(failure: Failure, answered: Answered) {
    super(failure.message)
    this.status = answered.status
    this.code = failure.code
    this.reason = failure.reason
    this.fields = failure.fields ?? {}
    this.retryAfterSeconds = answered.retryAfterSeconds
    this.requestId = answered.requestId
  }
}

/** An answer that is not the API's: a proxy's page, or that of another server. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined

  constructor(answered: Answered, options?: ErrorOptions) {
    super(`status ${answered.status} without an answer of the API`, options)
    this.status = answered.status
    this.retryAfterSeconds = answered.retryAfterSeconds
    this.requestId = answered.requestId
  }
}

/** The answer took longer than `limits.answerMs`. */
export class TimeLimit extends Error {
  override readonly name = 'TimeLimit'
  readonly limitMs: number

  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms (limits.answerMs)`)
    this.limitMs = limitMs
  }
}

type Answered = {
  status: number
  retryAfterSeconds: number | undefined
  requestId: string | undefined
}

/** The error for an answer that is not a success; `body` is its parsed JSON, if it was any. */
export function refusalOf({ status, headers }: Response, body: unknown): Refusal | UnexpectedAnswer {
  const retryAfter = headers.get('retry-after')
  const answered = {
    status,
    retryAfterSeconds: retryAfter === null ? undefined : secondsOf(retryAfter),
    requestId: headers.get('x-request-id') ?? undefined,
  }
  return isFailure(body) ? new Refusal(body, answered) : new UnexpectedAnswer(answered)
}

/** Retry-After in seconds, or as a date from a proxy (RFC 9110, 10.2.3). */
function secondsOf(retryAfter: string): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter)
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

function isFailure(body: unknown): body is Failure {
  return (
    typeof body === 'object' &&
    body !== null &&
    'status' in body &&
    body.status === 'error' &&
    'message' in body &&
    typeof body.message === 'string' &&
    'code' in body &&
    typeof body.code === 'string'
  )
}
