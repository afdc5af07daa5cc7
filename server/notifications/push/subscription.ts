import { createHash, createPublicKey } from 'node:crypto'
import { keyFor, keyRing, type Secrets, seal, unseal } from '#server/platform/encrypted.ts'

/** Where a browser gets notifications, and with which keys. */
export type Subscription = {
  endpoint: string
  keys: { p256dh: string; auth: string }
  /** Our public key that its push service accepts. */
  vapidKey: string
}

export const devicePurpose = 'push device'

/** @param id of its row */
export function sealedSubscription(secrets: Secrets, id: string, subscription: Subscription): Buffer {
  return seal(keyFor(secrets, devicePurpose), id, Buffer.from(JSON.stringify(subscription)))
}

/** @throws Error if it was sealed under an unknown secret, or for another row */
export function unsealedSubscription(secrets: Secrets, id: string, sealed: Buffer): Subscription {
  return JSON.parse(unseal(keyRing(secrets, devicePurpose), id, sealed).toString())
}

/** An address has a secret part of 128 bits and more, so its hash needs no salt. */
export function endpointHash(endpoint: string): Buffer {
  return createHash('sha256').update(endpoint).digest()
}

/** True for a point of P-256 (RFC 8291): with any other, nothing could be encrypted. */
export function isPoint(p256dh: string): boolean {
  const point = Buffer.from(p256dh, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(part => part.toString('base64url'))
  try {
    createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
    return point[0] === 4
  } catch {
    return false
  }
}
