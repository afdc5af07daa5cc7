import { createHash } from 'node:crypto'
import webPush from 'web-push'
import { requestOutside } from './outside-request.ts'
import type { PushService } from './push-services.ts'

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
  now: Date
}

/** What a push service answered, and how long it asks us to wait. */
export type Answer = { status: number; retryAfterSeconds: number | null }

/**
 * Sends one message by RFC 8030, encrypted (RFC 8291), with our signature (RFC 8292).
 * @throws Error if nothing answered, or only something that is not on the internet
 */
export async function sendWebPush(
  { url, isOwn }: PushService,
  push: Push,
  signal: AbortSignal,
): Promise<Answer> {
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint: url.href, keys: push.keys },
    JSON.stringify(push.content),
    {
      vapidDetails: push.vapid,
      TTL: push.ttlSeconds,
      topic: createHash('sha256').update(push.topic).digest('base64url').slice(0, 32),
    },
  )
  const answer = await requestOutside(url, {
    method: 'POST',
    headers: headers as Record<string, string | number>,
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    mayBePrivate: isOwn,
  })
  answer.on('error', () => {}).resume()
  return {
    status: answer.statusCode!,
    retryAfterSeconds: secondsIn(answer.headers['retry-after'], push.now),
  }
}

/** What Retry-After says: seconds, or a date (RFC 9110, 10.2.3), which may be over; null for anything else. */
function secondsIn(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null
  if (/^\d+$/.test(header)) return Number(header)
  const date = new Date(header)
  // Only in the form that HTTP writes: the engine makes a date of many a text.
  if (Number.isNaN(date.getTime()) || date.toUTCString() !== header) return null
  return Math.ceil((date.getTime() - now.getTime()) / 1000)
}
