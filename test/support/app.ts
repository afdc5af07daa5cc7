import type { FastifyInstance } from 'fastify'
import type { Caller, Services } from '#server/context.ts'
import { createApp } from '#server/http/app.ts'
import { accessTokens } from '#server/platform/tokens.ts'
import { addressOf } from '#shared/call-address.ts'
import type { CallData, CallDefinition, CallInput, Failure, Page, Success } from '#shared/contract/define.ts'
import { atEnd } from './clean-up.ts'

/** An answer, with the common fields of all calls. */
export type Answer<T> = {
  status: number
  headers: Record<string, unknown>
  message: string
  reason?: string
  data: T
  page?: Page
  code?: string
  fields?: Record<string, string>
}

/** `language`: Accept-Language. */
export type CallOptions = { idempotencyKey?: string; token?: string; ip?: string; language?: string }

/** The product's HTTP side on these services, closed after the test file. */
export async function testApp(services: Services): Promise<FastifyInstance> {
  const app = await createApp(services)
  atEnd(() => app.close())
  return app
}

/** Calls the API over HTTP; answers.ts compares every answer with the contract. */
export function httpCaller(app: FastifyInstance, services: Services) {
  return async <C extends CallDefinition>(
    call: C,
    caller: Caller | null,
    input: Partial<CallInput<C>> = {},
    {
      idempotencyKey,
      token = caller ? tokenOf(services, caller) : undefined,
      ip,
      language,
    }: CallOptions = {},
  ): Promise<Answer<CallData<C>>> => {
    const { body, ...rest } = input as {
      params?: Record<string, unknown>
      query?: Record<string, unknown>
      body?: unknown
    }
    const response = await app.inject({
      method: call.method,
      url: addressOf(call, rest),
      ...(ip ? { remoteAddress: ip } : {}),
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(language ? { 'accept-language': language } : {}),
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    const content = response.json<Success<CallData<C>> | Failure>()
    const { status: _status, ...answer } = { data: undefined as never, ...content }
    return { ...answer, status: response.statusCode, headers: response.headers }
  }
}

/** An access token, signed as the server signs them. */
export function tokenOf({ config, clock }: Services, { userId, role, sessionId }: Caller): string {
  const as = role === null ? ({ type: 'investor' } as const) : ({ type: 'admin', role } as const)
  return accessTokens(config, clock).sign({ sub: userId, ...as, sid: sessionId })
}
