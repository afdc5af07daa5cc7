import { Socket } from 'node:net'
import type { Span } from '@opentelemetry/api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endSpan, isTracing, startAct, within } from '#server/platform/tracing/tracing.ts'
import { live } from '#shared/contract/live.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined
  }
}

const liveRoute = `/api${live.path}`
/** Methods that have a name of their own in a span (RFC 9110, RFC 5789). */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

/**
 * A span for each external request, by OpenTelemetry's conventions of HTTP without url.path and client.address: an address can
 * contain an email address, and both lead to a person. A visitor's traceparent is ignored: anyone can write one.
 */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url
    // In-process calls of a page are part of the page's request. A stream lasts as long as its page is open.
    if (!(request.raw.socket instanceof Socket) || route === liveRoute) return done()
    request.span = startRequest(request, route)
    reply.raw.once('close', () => endRequest(request.span, reply))
    within(request.span, done)
  })
  // What received the body, or gave a page its turn, called from outside of the span.
  app.addHook('preValidation', (request, _reply, done) => within(request.span, done))
}

function startRequest({ id, method, protocol }: FastifyRequest, route: string | undefined): Span | undefined {
  const attributes = {
    'http.request.method': methods.has(method) ? method : '_OTHER',
    'url.scheme': protocol,
    'http.response.header.x-request-id': [id],
    ...(route !== undefined && { 'http.route': route }),
  }
  const name = methods.has(method) ? method : 'HTTP'
  return startAct(route === undefined ? name : `${name} ${route}`, { kind: 'SERVER', attributes })
}

/** Without a status code if the client had disconnected. */
function endRequest(span: Span | undefined, { raw, statusCode }: FastifyReply): void {
  if (span === undefined) return
  if (raw.writableFinished) span.setAttribute('http.response.status_code', statusCode)
  endSpan(span, raw.writableFinished && statusCode >= 500 ? String(statusCode) : undefined)
}
