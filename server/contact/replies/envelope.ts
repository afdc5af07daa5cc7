import { createHash } from 'node:crypto'
import PostalMime, { addressParser, type Header } from 'postal-mime'

/** What the headers of a message in the mailbox say. */
export type Envelope = {
  /** The one author, in lower case; null if it names none or several. */
  from: string | null
  /** All addresses that it was sent or delivered to. */
  to: string[]
  /** SHA-256 of its Message-ID; of all its headers if it has none. */
  fingerprint: Buffer
  /** True if a program has sent it: nobody wrote it, and nobody reads an answer. */
  isAutomatic: boolean
}

/** Where mail servers write the address that they delivered to, beside those of the sender. */
const recipientHeaders = new Set(['to', 'cc', 'delivered-to', 'x-original-to', 'envelope-to'])

/** @returns null if these are not the whole headers of a message, or unreadable */
export async function envelopeOf(head: Uint8Array): Promise<Envelope | null> {
  const end = headersEnd(Buffer.from(head))
  if (end === -1) return null
  const own = head.subarray(0, end)
  const parsed = await PostalMime.parse(own).catch(() => null)
  if (parsed === null) return null
  const { headers } = parsed
  const all = (names: ReadonlySet<string>) => headers.filter(({ key }) => names.has(key))
  const authors = all(new Set(['from'])).flatMap(addressesIn)
  const [author] = authors
  const [messageId] = all(new Set(['message-id']))
  return {
    from: authors.length === 1 ? author!.toLowerCase() : null,
    to: all(recipientHeaders).flatMap(addressesIn),
    fingerprint: createHash('sha256')
      .update(messageId?.value ?? own)
      .digest(),
    isAutomatic: headers.some(isOfProgram),
  }
}

function headersEnd(head: Buffer): number {
  const ends = ['\r\n\r\n', '\n\n'].map(empty => head.indexOf(empty)).filter(at => at !== -1)
  return Math.min(...ends, Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY ? -1 : Math.min(...ends)
}

function addressesIn({ value }: Header): string[] {
  return addressParser(value, { flatten: true }).flatMap(({ address }) => (address ? [address] : []))
}

/** RFC 3834, 5; RFC 3464 for reports; the others are older customs and mailing lists. */
function isOfProgram({ key, value }: Header): boolean {
  const said = value.trim().toLowerCase()
  if (key === 'auto-submitted') return said !== 'no'
  if (key === 'precedence') return ['bulk', 'list', 'junk', 'auto_reply'].includes(said)
  if (key === 'return-path') return said === '<>'
  if (key === 'content-type') return said.startsWith('multipart/report')
  return ['x-autoreply', 'x-autorespond', 'list-id', 'x-failed-recipients'].includes(key)
}
