import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { liveStreams, requestSeconds, requests, requestsInFlight } from '#server/platform/metrics.ts'
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
  const method = methods.has(request.method) ? request.method : 'other'
  const open = route === liveRoute ? liveStreams : requestsInFlight
  open.inc()
  // 'close' always fires, whether the answer was sent or the client disconnected.
  reply.raw.once('close', () => {
    open.dec()
    const status = reply.raw.writableFinished ? reply.statusCode : GONE
    requests.inc({ method, route, status })
    const statusClass = status === GONE ? 'gone' : `${Math.floor(status / 100)}xx`
    // A stream lasts as long as its page is open.
    if (route !== liveRoute)
      requestSeconds.observe({ method, route, status: statusClass }, reply.elapsedTime / 1000)
  })
}

/** @param pattern of the route; undefined without one */
export function routeLabel(pattern: string | undefined): string {
  if (pattern === undefined) return 'none'
  if (named.has(pattern)) return pattern
  if (pattern === '/*') return 'page'
  return pattern.startsWith('/api/') ? 'other call' : 'file'
}
