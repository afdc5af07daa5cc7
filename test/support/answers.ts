import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { afterAll, afterEach } from 'vitest'
import { openApiDocument, refusalsOf } from '#server/http/openapi.ts'
import { type CallDefinition, type Failure, page, type Success } from '#shared/contract/define.ts'
import { allCalls } from '#shared/contract/index.ts'
import { live } from '#shared/contract/live.ts'
import { type ErrorCode, errorStatus } from '#shared/errors.ts'
import { languageCodes } from '#shared/i18n/languages.ts'
import { messageIn } from '#shared/i18n/message.ts'

const violations: string[] = []

/**
 * Compares every answer under /api of an app in this test file's process with the contract and the OpenAPI document; a
 * mismatch fails the test.
 */
export function checkAnswers(): void {
  subscribe(announced, check)
  afterEach(failIfViolated)
  afterAll(() => {
    unsubscribe(announced, check)
    failIfViolated()
  })
}

function failIfViolated(): void {
  const found = violations.splice(0)
  if (found.length > 0) throw new Error(`answers that do not fit the contract:\n${found.join('\n')}`)
}

// Fastify announces each app before it has routes, so this hook applies to all of them.
const announced = 'fastify.initialization'
function check(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onSend', async (request, reply, payload) => {
    const violation = violationOf(request, reply, payload)
    if (violation !== undefined)
      violations.push(`${request.method} ${request.url.slice(0, 200)}: ${violation}`)
  })
}

const callAt = new Map<string, CallDefinition>(
  [...allCalls, live].map(call => [`${call.method} /api${call.path}`, call]),
)
const documented = openApiDocument().paths as Record<
  string,
  Record<string, { responses: Record<string, unknown> }>
>

function violationOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): string | undefined {
  const { url = '' } = request.routeOptions
  const status = reply.statusCode
  const isHead = request.method === 'HEAD'
  const call = callAt.get(`${isHead ? 'GET' : request.method} ${url}`)
  if (call === undefined)
    return url.startsWith('/api') && status >= 400 ? failureViolation(status, payload) : undefined
  const path = call.path.replace(/:(\w+)/g, '{$1}')
  const responses = documented[path]?.[call.method.toLowerCase()]?.responses ?? {}
  if (!Object.hasOwn(responses, status)) return `status ${status} is not in the OpenAPI document`
  if (isHead) return undefined
  if (status >= 400) return failureViolation(status, payload, refusalsOf(call))
  if (call.stream || call.file !== undefined) return typeViolation(call, reply)
  return successViolation(call, payload)
}

function failureViolation(
  status: number,
  payload: unknown,
  codes?: readonly ErrorCode[],
): string | undefined {
  const failure = parsed(payload) as Partial<Failure> | undefined
  if (failure === undefined) return 'a refusal that is not JSON'
  const { status: kind, message, code, reason, fields, ...others } = failure
  if (kind !== 'error' || typeof message !== 'string' || message === '' || code === undefined) {
    return `not the shape of a refusal: ${String(payload).slice(0, 300)}`
  }
  if (Object.keys(others).length > 0) return `a refusal with ${Object.keys(others).join(', ')}`
  if (reason !== undefined && !/^[a-z_]+$/.test(reason)) return `reason ${reason}`
  if (fields !== undefined && !Object.values(fields).every(text => typeof text === 'string' && text !== '')) {
    return 'fields that are not messages'
  }
  if (!Object.hasOwn(errorStatus, code) || errorStatus[code] !== status)
    return `${code} with status ${status}`
  return codes?.includes(code) === false ? `${code} is not among the refusals of the contract` : undefined
}

function typeViolation({ stream, file }: CallDefinition, reply: FastifyReply): string | undefined {
  const type = String(reply.getHeader('content-type')).split(';')[0]!
  const declared: readonly string[] = stream ? ['text/event-stream'] : [file ?? []].flat()
  return declared.includes(type) ? undefined : `${type} instead of ${declared.join(' or ')}`
}

/** Parsing drops unknown fields, so their presence shows as a difference. */
function successViolation(call: CallDefinition, payload: unknown): string | undefined {
  const answer = parsed(payload) as Partial<Success<unknown>> | undefined
  if (answer === undefined) return 'an answer that is not JSON'
  const { status, message, data, page: given, ...others } = answer
  const wanted = call.messageFor?.(data as never) ?? call.message
  if (status !== 'success' || !languageCodes.some(language => message === messageIn(language, wanted)))
    return `status ${status} and message ${message}`
  if (Object.keys(others).length > 0) return `an answer with ${Object.keys(others).join(', ')}`
  if (call.list !== true && given !== undefined) return 'a page that the contract does not declare'
  const schemas = call.list
    ? ([
        [call.data, data],
        [page, given],
      ] as const)
    : ([[call.data, data]] as const)
  for (const [schema, value] of schemas) {
    const result = schema.safeParse(value)
    if (!result.success) return `not the contract's shape: ${result.error.message.slice(0, 600)}`
    if (!isDeepStrictEqual(result.data, value)) {
      return `fields that the contract does not declare: ${JSON.stringify(value).slice(0, 600)}`
    }
  }
  return undefined
}

function parsed(payload: unknown): object | undefined {
  try {
    const value: unknown = JSON.parse(String(payload))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
