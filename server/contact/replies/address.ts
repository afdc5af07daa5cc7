import { createHmac, timingSafeEqual } from 'node:crypto'
import { base32nopad } from '@scure/base'
import { parse, stringify } from 'uuid'
import type { Config } from '#server/config.ts'
import { keyFor, keyRing, type Secrets } from '#server/platform/encrypted.ts'

const ID_BYTES = 16
/** Of the MAC: nobody can try tokens but by sending emails. */
const MAC_BYTES = 12
/** Lengthens the name by a + and 45 characters: `longestReplyName` leaves room for them. */
const token = /^[a-z2-7]{45}$/

/**
 * The Reply-To of an email about a conversation: with a token that shows to whom we sent it. It survives lower-casing.
 * @returns undefined if replies by email are off
 */
export function replyAddressFor(
  config: Secrets & Pick<Config, 'replies'>,
  conversation: string,
  email: string,
): string | undefined {
  if (config.replies === null) return undefined
  const mac = macOf(keyFor(config, 'reply address'), conversation, email)
  const bytes = Buffer.concat([parse(conversation), mac])
  const [name, domain] = partsOf(config.replies.address)
  return `${name}+${base32nopad.encode(bytes).toLowerCase()}@${domain}`
}

/** A conversation named by an address that a message was sent to, and what shows that we told its sender. */
export type ReplyToken = { conversation: string; mac: Buffer }

/** The token of the first address that has one; null if none has. */
export function tokenIn(ownAddress: string, addresses: readonly string[]): ReplyToken | null {
  const [name, domain] = partsOf(ownAddress)
  for (const address of addresses) {
    const [given, at] = partsOf(address)
    if (at !== domain || !given.startsWith(`${name}+`)) continue
    const text = given.slice(name.length + 1)
    if (!token.test(text)) continue
    const bytes = bytesOf(text)
    if (bytes === null) continue
    return { conversation: stringify(bytes.subarray(0, ID_BYTES)), mac: bytes.subarray(ID_BYTES) }
  }
  return null
}

/** True if we have sent this token to this address. Compares in constant time. */
export function isTokenOf(secrets: Secrets, { conversation, mac }: ReplyToken, email: string): boolean {
  return keyRing(secrets, 'reply address').some(key => timingSafeEqual(macOf(key, conversation, email), mac))
}

function macOf(key: Buffer, conversation: string, email: string): Buffer {
  const mac = createHmac('sha256', key).update(parse(conversation)).update(email.toLowerCase())
  return mac.digest().subarray(0, MAC_BYTES)
}

/** Name and domain, in lower case. */
function partsOf(address: string): [name: string, domain: string] {
  const at = address.lastIndexOf('@')
  return [address.slice(0, at).toLowerCase(), address.slice(at + 1).toLowerCase()]
}

/** Null for an id that is no UUID, and for stray last bits. */
function bytesOf(text: string): Buffer | null {
  try {
    const bytes = Buffer.from(base32nopad.decode(text.toUpperCase()))
    stringify(bytes.subarray(0, ID_BYTES))
    return bytes
  } catch {
    return null
  }
}
