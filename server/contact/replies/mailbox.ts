import { ImapFlow } from 'imapflow'
import { isLoopback } from '#server/config/environment.ts'
import { maximumReplyBytes, maximumReplyHeaderBytes } from '#shared/limits.ts'
import type { Message } from './checked-reply.ts'
import type { Outcome } from './take.ts'

const MEGABYTE = 1024 * 1024

/** Folders in which staff find what has left the inbox. Nothing is deleted. */
const folders: Record<Outcome, string> = { taken: 'Processed', refused: 'Unmatched', unmatched: 'Unmatched' }

/** The mailbox of replies, connected. */
export type Mailbox = {
  /** Ids of the oldest messages in the inbox. */
  oldest(most: number): Promise<number[]>
  /** Null if it has left the inbox meanwhile. */
  message(uid: number): Promise<Message | null>
  /** Moves a message out of the inbox; no error if another process has. */
  file(uid: number, outcome: Outcome): Promise<void>
  close(): void
}

/**
 * Connects to a mailbox over IMAP (RFC 9051): with TLS, unless it is on this machine.
 * @param signal ends the connection
 * @throws Error if it cannot be reached, or refuses the login
 */
export async function openMailbox(url: string, signal: AbortSignal): Promise<Mailbox> {
  const client = clientFor(new URL(url))
  // A broken connection also fails what waits for it; without a listener the event would end the process.
  client.on('error', () => {})
  const close = () => client.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    await client.connect()
    await client.mailboxOpen('INBOX')
    for (const folder of new Set(Object.values(folders))) await client.mailboxCreate(folder)
  } catch (error) {
    close()
    throw error
  }
  return {
    async oldest(most) {
      const uids = await client.search({ deleted: false }, { uid: true })
      if (!uids) throw new Error('the mailbox does not list its messages')
      return uids.toSorted((one, other) => one - other).slice(0, most)
    },
    async message(uid) {
      const query = { size: true, source: { start: 0, maxLength: maximumReplyHeaderBytes } }
      const found = await client.fetchOne(`${uid}`, query, { uid: true })
      if (!found || found.source === undefined) return null
      return { head: found.source, bytes: found.size!, source: () => wholeOf(client, uid) }
    },
    async file(uid, outcome) {
      // What nobody has dealt with stays unread.
      if (outcome === 'taken') await client.messageFlagsAdd(`${uid}`, ['\\Seen'], { uid: true })
      await client.messageMove(`${uid}`, folders[outcome], { uid: true })
    },
    close,
  }
}

async function wholeOf(client: ImapFlow, uid: number): Promise<Uint8Array> {
  const found = await client.fetchOne(`${uid}`, { source: true }, { uid: true })
  if (!found || found.source === undefined) throw new Error('the message has left the mailbox')
  return found.source
}

function clientFor({ protocol, hostname, port, username, password }: URL): ImapFlow {
  const secure = protocol === 'imaps:'
  return new ImapFlow({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 993 : 143),
    secure,
    // Otherwise an attacker on the network could strip the offer of TLS, and read the password.
    ...(secure ? {} : { doSTARTTLS: !isLoopback(hostname) }),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    // With room for sizes that a server has told too small, and for what it says about a message.
    maxLiteralSize: maximumReplyBytes + 2 * MEGABYTE,
    maxResponseSize: maximumReplyBytes + 3 * MEGABYTE,
    maxLineLength: MEGABYTE,
  })
}
