import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '#server/context.ts'
import { addressOf } from '#shared/call-address.ts'
import type { CallData, CallDefinition, CallInput, Failure, Success } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import type { WebHandler, WebHost } from '#shared/web.ts'
import { faultMessage } from './errors.ts'
import { pagePolicy, permissionsPolicy } from './security.ts'

/** The built pages: the folder of their files, and what renders the documents. */
export type Pages = { clientFolder: string; handle: WebHandler }

/** Form posts of pages are as small as API requests. */
const FORM_LIMIT = 64 * 1024

/** Files of the build, and documents for every other address. */
export async function servePages(app: FastifyInstance, services: Services, pages: Pages): Promise<void> {
  await app.register(fastifyStatic, {
    root: pages.clientFolder,
    wildcard: false,
    index: false,
    preCompressed: true,
    // Hashed names never change their content; everything else is asked for again.
    setHeaders(response, path) {
      const hashed = path.includes('/assets/')
      response.header(
        'cache-control',
        hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      )
    },
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: FORM_LIMIT },
    (_request, body, done) => done(null, body),
  )
  app.route({
    method: ['GET', 'POST'],
    url: '/*',
    handler: (request, reply) => document(app, services, pages, request, reply),
  })
}

async function document(
  app: FastifyInstance,
  services: Services,
  { handle }: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const cspNonce = randomBytes(16).toString('base64')
  const host: WebHost = {
    call: (call, input) => callInProcess(app, request, call, input),
    cspNonce,
    logError: error => request.log.error({ err: error }, 'fault of a page'),
  }
  const response = await handle(webRequest(services, request), host)
  reply.status(response.status)
  // A document is asked for again each time; what it shows is of this moment.
  reply.header('cache-control', 'no-cache')
  for (const [name, value] of response.headers) reply.header(name, value)
  reply.header('content-security-policy', pagePolicy(cspNonce, services.config))
  reply.header('permissions-policy', permissionsPolicy)
  if (services.config.mode === 'demo') reply.header('x-robots-tag', 'noindex')
  if (!response.body) return reply.send()
  return reply.send(Readable.fromWeb(response.body as ReadableStream))
}

function webRequest({ config }: Services, request: FastifyRequest): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const item of [value ?? []].flat()) headers.append(name, item)
  }
  const url = urlOf(config, request)
  const body =
    request.method === 'POST' && Buffer.isBuffer(request.body) ? new Uint8Array(request.body) : undefined
  return new Request(url, { method: request.method, headers, ...(body ? { body } : {}) })
}

/** @throws AppError invalid_input where path or Host make no address */
function urlOf({ publicUrl }: Services['config'], { url, host, protocol }: FastifyRequest): URL {
  const origin = host ? `${protocol}://${host}` : publicUrl
  // Put together and not resolved: a path that starts with two slashes would name another host.
  const address = url.startsWith('/') ? `${origin}${url}` : url
  if (URL.canParse(address)) return new URL(address)
  throw new AppError('invalid_input', 'This address is not valid')
}

/** The API, called in process as the visitor of this request: his address counts, but he is signed in as nobody. */
async function callInProcess<C extends CallDefinition>(
  app: FastifyInstance,
  request: FastifyRequest,
  call: C,
  input: CallInput<C>,
): Promise<CallData<C>> {
  const { body, ...rest } = input as {
    params?: Record<string, unknown>
    query?: Record<string, unknown>
    body?: object
  }
  const answer = await app.inject({
    method: call.method,
    url: addressOf(call, rest),
    remoteAddress: request.ip,
    headers: { 'x-request-id': request.id, 'content-type': 'application/json' },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  })
  const content = answer.json<Success<CallData<C>> | Failure>()
  if (content.status === 'success') return content.data
  if (answer.statusCode >= 500) throw new AppError(content.code, faultMessage)
  throw new AppError(content.code, content.message, content.fields ? { fields: content.fields } : {})
}
