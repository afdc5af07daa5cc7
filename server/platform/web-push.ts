import { createHash } from 'node:crypto'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP } from 'node:net'
import webPush from 'web-push'
import { publicAddressOf } from './public-address.ts'
import type { PushService } from './push-services.ts'
import { serverOf } from './tracing/outgoing.ts'
import { endSpan, errorTypeOf, startStep } from './tracing/tracing.ts'

/** Time limit of a request to a push service. */
const LIMIT_MS = 10_000

export type Push = {
  keys: { p256dh: string; auth: string }
  /** Our key, and how its service can reach us. */
  vapid: { subject: string; publicKey: string; privateKey: string }
  /** What the browser gets, as JSON. */
  content: object
  /** A waiting message of the same topic is replaced. */
  topic: string
  /** How long the service keeps it for a browser that is away. */
  ttlSeconds: number
}

/** What a push service answered, and how long it asks us to wait. */
export type Answer = { status: number; retryAfterSeconds: number | null }

/**
 * Sends one message by RFC 8030, encrypted (RFC 8291), with our signature (RFC 8292). The service's name is resolved once, all
 * its addresses must be public, and the connection goes there; redirects are answers like others.
 * @throws Error if nothing answered, or only something that is not on the internet
 */
export async function sendWebPush(
  { url, isOwn }: PushService,
  push: Push,
  signal: AbortSignal,
): Promise<Answer> {
  const { method, headers, body } = webPush.generateRequestDetails(
    { endpoint: url.href, keys: push.keys },
    JSON.stringify(push.content),
    {
      vapidDetails: push.vapid,
      TTL: push.ttlSeconds,
      topic: createHash('sha256').update(push.topic).digest('base64url').slice(0, 32),
    },
  )
  const span = startStep(method, {
    kind: 'CLIENT',
    attributes: { 'http.request.method': method, ...serverOf(url) },
  })
  try {
    const address = await publicAddressOf(url.hostname, isOwn)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
    const answer = await answerOf(url, address, { method, headers: headers as Headers, body, limit })
    span?.setAttribute('http.response.status_code', answer.status)
    if (span) endSpan(span, answer.status >= 400 ? String(answer.status) : undefined)
    return answer
  } catch (error) {
    if (span) endSpan(span, errorTypeOf(error))
    throw error
  }
}

type Headers = Record<string, string | number>
type Sent = { method: string; headers: Headers; body: Buffer | null; limit: AbortSignal }

function answerOf(url: URL, address: string, { method, headers, body, limit }: Sent): Promise<Answer> {
  const request = url.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers,
      agent: false,
      signal: limit,
      // The address that was checked: a second answer of the resolver could be another one.
      lookup: (_name, { all }, done) => {
        const family = isIP(address)
        if (all) done(null, [{ address, family }])
        else done(null, address, family)
      },
    })
    sent.once('error', reject)
    sent.once('response', answer => {
      const retryAfter = Number(answer.headers['retry-after'] ?? Number.NaN)
      resolve({
        status: answer.statusCode!,
        retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
      })
      answer.resume()
      answer.on('error', () => {})
    })
    sent.end(body)
  })
}
