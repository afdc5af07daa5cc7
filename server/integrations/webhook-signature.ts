import { createHmac, randomBytes } from 'node:crypto'

/** Standard Webhooks: secrets are base64 with this prefix. */
const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new secret as text. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** A message: the id is the same for every attempt, the seconds since 1970 are of this one. */
export type SignedContent = { id: string; timestamp: number; body: string }

/** The headers of Standard Webhooks, signed with each of the secrets. */
export function signedHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: SignedContent,
): Record<string, string> {
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
