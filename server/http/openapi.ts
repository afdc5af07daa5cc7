import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Services } from '#server/context.ts'
import type { CallDefinition, FileType } from '#shared/contract/define.ts'
import { page } from '#shared/contract/define.ts'
import { allCalls } from '#shared/contract/index.ts'
import { live } from '#shared/contract/live.ts'
import { type ErrorCode, errorStatus } from '#shared/errors.ts'
import { idempotencyKeyDays } from '#shared/limits.ts'
import { keyMayCall, may, rightFor, roles } from '#shared/roles.ts'
import { apiDocs } from './api-docs.ts'
import type { DocumentCache } from './document-cache.ts'
import { knownFirm } from './known-firm.ts'
import { sendDocument } from './send-document.ts'

type Json = Record<string, unknown>

/** The contract as OpenAPI 3.1 at /api/openapi.json, to browse at /api/docs. */
export function openApi(api: FastifyInstance, services: Services, documents: DocumentCache): void {
  const address = `${api.prefix}/openapi.json`
  // Named after the current firm profile, or the last known one while the database is unavailable.
  const render = async () => {
    const document = openApiDocument()
    document.info.title = (await knownFirm(services)).productName
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    return {
      status: 200,
      headers,
      body: Buffer.from(JSON.stringify(document)),
      until: Number.POSITIVE_INFINITY,
    }
  }
  api.get('/openapi.json', async (request, reply) => {
    const document = documents.find(address) ?? (await documents.make(address, render))
    return sendDocument(document, request, reply.header('vary', 'accept-encoding'))
  })
  apiDocs(api, services, documents)
}

/** Made once for every app of the process: the schemas of all calls take a tenth of a second. */
let described: Record<string, Json> | undefined

function describedPaths(): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const call of [...allCalls, live]) {
    const path = call.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operationOf(call) }
  }
  return paths
}

export function openApiDocument(): Json & { info: Json } {
  described ??= describedPaths()
  return {
    openapi: '3.1.0',
    info: {
      title: 'API',
      version: '1',
      description: `Amounts are US dollars with at most two decimals. Every call that moves money takes an Idempotency-Key header. \
The access token or API key is sent as \`Authorization: Bearer\` or \`Authorization: Token\`, on every call. A call refuses query parameters \
that it does not list. Other methods on a path are refused with 405 and an Allow header.`,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/api' }],
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A person’s access token.',
        },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'probity_…',
          description:
            'An API key of the firm: only calls that read, that its rights include, and from its addresses. Admins propose and revoke keys in the console, under Integrations.',
        },
      },
      schemas: { Failure: failureSchema() },
    },
    paths: described,
  }
}

function operationOf(call: CallDefinition): Json {
  const parameters = [
    ...parametersOf('path', call.params),
    ...parametersOf('query', call.query),
    ...(call.money ? [idempotencyHeader] : []),
  ]
  return {
    operationId: call.id,
    summary: call.summary,
    description: `Permission: ${permissionInWords(call)}${call.verified ? ', with a verified email address' : ''}.`,
    tags: [call.id.split('.')[0]],
    security: securityOf(call),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(call.upload ? { requestBody: { required: true, content: filesOf(call.upload.types) } } : {}),
    ...(call.body
      ? {
          requestBody: {
            required: !call.body.safeParse({}).success,
            content: { 'application/json': { schema: schemaOf(call.body, 'input') } },
          },
        }
      : {}),
    responses: responsesOf(call),
  }
}

/** A right with the roles that give it. */
function permissionInWords(call: CallDefinition): string {
  const right = rightFor(call)
  if (right === undefined) return call.permission
  return `${right} (${roles.filter(role => may(role, right)).join(', ')})`
}

/** Alternative schemes; an empty one means that the call also works without. */
function securityOf(call: CallDefinition): Json[] {
  const { permission, knowsCaller } = call
  if (keyMayCall(call)) return [{ token: [] }, { apiKey: [] }]
  if (permission !== 'public') return [{ token: [] }]
  return knowsCaller ? [{}, { token: [] }] : []
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `A repetition with the same key gets the first answer again, for ${idempotencyKeyDays} days. Status and body are then the same bytes; only the headers X-Request-Id and Date, and those of the connection, may differ. With another request, or later, it is refused (idempotency_key_reused): no key ever has a second effect. After an answer 503 with the reason outcome_unknown, or none at all, repeat the request with its key: that tells what happened, or does it.`,
  schema: { type: 'string', maxLength: 200 },
}

const retryAfterHeader = {
  description: 'Seconds after which a retry makes sense',
  schema: { type: 'integer', minimum: 0 },
}

/** Every error code of a call: its own and those of its kind. */
export function refusalsOf(call: CallDefinition): ErrorCode[] {
  const codes: ErrorCode[] = [
    'invalid_input',
    'method_not_allowed',
    'request_timeout',
    'rate_limited',
    'headers_too_large',
    'internal',
    'not_ready',
    ...(call.refusals ?? []),
  ]
  if (call.permission !== 'public') codes.push('token_missing', 'token_invalid', 'token_expired', 'forbidden')
  if (rightFor(call) !== undefined) codes.push('second_factor_setup_required')
  if (call.method !== 'GET') codes.push('invalid_json', 'payload_too_large', 'unsupported_media_type')
  if (call.money) codes.push('idempotency_key_reused')
  if (call.verified) codes.push('email_not_verified', 'account_frozen')
  return [...new Set(codes)]
}

function responsesOf(call: CallDefinition): Json {
  const codes = refusalsOf(call)
  const responses: Record<string, Json> = {
    200: {
      description: call.message,
      content: contentOf(call),
    },
  }
  for (const status of new Set(codes.map(code => errorStatus[code]))) {
    responses[status] = {
      description: codes.filter(code => errorStatus[code] === status).join(', '),
      ...(status === 429 || status === 503 ? { headers: { 'Retry-After': retryAfterHeader } } : {}),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
    }
  }
  return responses
}

function contentOf(call: CallDefinition): Json {
  if (call.stream) return { 'text/event-stream': { schema: eventSchema(call) } }
  if (call.file !== undefined) return filesOf([call.file].flat())
  return { 'application/json': { schema: answerSchema(call) } }
}

/** Bytes of these types; OpenAPI 3.1 cannot state a maximum size. */
function filesOf(types: readonly FileType[]): Json {
  return Object.fromEntries(types.map(type => [type, { schema: { type: 'string', contentMediaType: type } }]))
}

/** OpenAPI 3.1 cannot describe a stream: a text whose events carry JSON. */
function eventSchema(call: CallDefinition): Json {
  const contentSchema = schemaOf(call.data, 'output')
  return { type: 'string', contentMediaType: 'application/json', contentSchema }
}

function answerSchema(call: CallDefinition): Json {
  return {
    type: 'object',
    required: ['status', 'message', 'data', ...(call.list ? ['page'] : [])],
    properties: {
      status: { const: 'success' },
      message: { type: 'string' },
      data: schemaOf(call.data, 'output'),
      ...(call.list ? { page: schemaOf(page, 'output') } : {}),
    },
  }
}

function failureSchema(): Json {
  return {
    type: 'object',
    required: ['status', 'message', 'code'],
    properties: {
      status: { const: 'error' },
      message: { type: 'string' },
      code: { enum: Object.keys(errorStatus) },
      reason: { type: 'string', pattern: '^[a-z_]+$', description: 'The cause, if a code has several' },
      fields: { type: 'object', additionalProperties: { type: 'string' } },
    },
  }
}

function parametersOf(place: 'path' | 'query', schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return []
  const json = schemaOf(schema, 'input') as { properties?: Record<string, Json>; required?: string[] }
  return Object.entries(json.properties ?? {}).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || (json.required ?? []).includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return json
}
