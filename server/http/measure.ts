import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { liveStreams, requestSeconds, requestsInFlight } from '#server/platform/metrics.ts'
import { allCalls } from '#shared/contract/index.ts'
import { live } from '#shared/contract/live.ts'

const liveRoute = `/api${live.path}`
/** Only these routes have a label of their own. */
const named = new Set([...allCalls.map(({ path }) => `/api${path}`), liveRoute])
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE'])
/** Status 0: the client had disconnected. */
const GONE = 0

/** Counts and times every external request. */
export function measureRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    // In-process API calls of a page are part of the page's time.
    if (request.raw.socket instanceof Socket) measure(request, reply)
    done()
  })
}

function measure(request: FastifyRequest, reply: FastifyReply): void {
  const route = routeLabel(request.routeOptions.url)
  const method = methods.has(request.method) ? request.method : '_OTHER'
  const open = route === liveRoute ? liveStreams : requestsInFlight
  open.inc()
  // 'close' always fires, whether the answer was sent or the client disconnected.
  reply.raw.once('close', () => {
    open.dec()
    // A stream lasts as long as its page is open.
    if (route === liveRoute) return
    const status = reply.raw.writableFinished ? reply.statusCode : GONE
    const labels = { http_request_method: method, http_route: route, http_response_status_code: status }
    requestSeconds.observe(labels, reply.elapsedTime / 1000)
  })
}

/** @param pattern of the route; undefined without one */
export function routeLabel(pattern: string | undefined): string {
  if (pattern === undefined) return 'none'
  if (named.has(pattern)) return pattern
  if (pattern === '/*') return 'page'
  return pattern.startsWith('/api/') ? 'other call' : 'file'
}
