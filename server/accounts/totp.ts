import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { base32nopad } from '@scure/base'
import { secondFactorDigits } from '#shared/limits.ts'

/** Seconds per time step, as every authenticator app assumes (RFC 6238, 5.2). */
const STEP_SECONDS = 30
/** Neighbouring steps whose codes also count: clocks differ, and typing takes time. */
const WINDOW = 1
/** The hash's length (RFC 4226, 4). */
const SECRET_BYTES = 20

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The code of a time step: HOTP with HMAC-SHA-1 (RFC 4226, 5.3), which all apps support. */
export function totpAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const offset = hash.at(-1)! & 0x0f
  const number = (hash.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** secondFactorDigits
  return number.toString().padStart(secondFactorDigits, '0')
}

export function stepAt(moment: Date): number {
  return Math.floor(moment.getTime() / 1000 / STEP_SECONDS)
}

/** The latest step near this moment, after `after`, whose code matches, or undefined. Takes the same time either way. */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  moment: Date,
  after = Number.NEGATIVE_INFINITY,
): number | undefined {
  let found: number | undefined
  for (let step = stepAt(moment) - WINDOW; step <= stepAt(moment) + WINDOW; step++) {
    if (isSame(totpAt(secret, step), code) && step > after) found = step
  }
  return found
}

function isSame(code: string, given: string): boolean {
  return code.length === given.length && timingSafeEqual(Buffer.from(code), Buffer.from(given))
}

/** Base32 in groups of four, for typing. */
export function secretAsText(secret: Uint8Array): string {
  return base32nopad
    .encode(secret)
    .match(/.{1,4}/g)!
    .join(' ')
}

/** The Key URI for the QR code (Google Authenticator's format). */
export function totpUri(
  secret: Uint8Array,
  { issuer, account }: { issuer: string; account: string },
): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const query = `secret=${base32nopad.encode(secret)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=${secondFactorDigits}&period=${STEP_SECONDS}`
}
