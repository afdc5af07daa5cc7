import { addressOf } from '#shared/call-address.ts'
import type { CallData, CallDefinition, CallInput, Page, Success } from '#shared/contract/define.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { ApiError } from './errors.ts'

/** Options of a call. */
export type SendOptions = {
  signal?: AbortSignal
  /** The same for every retry of one attempt (B-06). */
  idempotencyKey?: string
}

export type Answer<C extends CallDefinition> = { data: CallData<C>; message: string; page?: Page }

type LooseInput = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

function headersFor(call: CallDefinition, body: unknown, access: string | null, key?: string): Headers {
  const headers = new Headers({ Accept: 'application/json', 'Accept-Language': languageNow() })
  if (body !== undefined) headers.set('Content-Type', body instanceof Blob ? body.type : 'application/json')
  // Reads send Token, writes Bearer, as specified (C-28).
  if (access) headers.set('Authorization', `${call.method === 'GET' ? 'Token' : 'Bearer'} ${access}`)
  if (key) headers.set('Idempotency-Key', key)
  return headers
}

/** Retry-After (RFC 9110, 10.2.3), seconds or a date, in milliseconds from now. */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('Retry-After')
  if (value === null) return undefined
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(milliseconds) ? undefined : Math.max(milliseconds, 0)
}

/**
 * One request without token renewal or retries.
 * @throws ApiError for every refusal, status 0 without an answer; passes on an abort
 */
export async function send<C extends CallDefinition>(
  call: C,
  input: CallInput<C>,
  access: string | null,
  { signal, idempotencyKey }: SendOptions = {},
): Promise<Answer<C>> {
  const { body, ...rest } = input as LooseInput
  let response: Response
  try {
    response = await fetch(addressOf(call, rest), {
      method: call.method,
      headers: headersFor(call, body, access, idempotencyKey),
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0)
  }
  const answer = await response.json().catch(() => undefined)
  if (!response.ok || answer === undefined) {
    throw new ApiError(response.ok ? 502 : response.status, answer, retryAfterOf(response.headers))
  }
  const { data, message, page } = answer as Success<CallData<C>>
  return page === undefined ? { data, message } : { data, message, page }
}
