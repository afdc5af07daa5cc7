import type { Kysely } from 'kysely'
import type { Transporter } from 'nodemailer'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { serverOf } from '#server/platform/tracing/outgoing.ts'
import { startStep, traced } from '#server/platform/tracing/tracing.ts'
import { Pause } from './pause.ts'
import type { Mail } from './queue.ts'

/** An email with the firm's logo, which its HTML shows as `cid:` of `logoId`. */
export type DressedMail = Mail & { logo?: { content: Buffer; path: string } }
export const logoId = 'logo'

/** Sends email: to a mail server, or to the demonstration's mailbox. */
export type Mailer = {
  /**
   * @param id a UUIDv7, the same if the email is sent again: as its Message-ID it lets mail servers and readers
   * recognise a repetition (RFC 5322, 3.6.4)
   * @param signal ends a wait for a mail server that is down
   * @throws if a retry may help; `refused` if the mail server rejects the address for good
   */
  send(mail: DressedMail, id: string, signal?: AbortSignal): Promise<'sent' | 'refused'>
  close(): void
}

/**
 * The configured mailer: SMTP_URL's server, or app.mailbox without one (demo mode).
 * @param connections to the mail server, at most
 */
export function mailerOf(
  config: Pick<Config, 'smtp' | 'publicUrl'>,
  db: Kysely<Schema>,
  connections: number,
): Mailer {
  if (config.smtp === null) return mailbox(db)
  return smtp({ ...config.smtp, connections }, new URL(config.publicUrl).hostname)
}

function mailbox(db: Kysely<Schema>): Mailer {
  return {
    async send({ to, subject, text, html: sent, logo }, id) {
      // The mailbox shows it on a page, which has the picture at its address.
      const html = logo ? sent.replace(`src="cid:${logoId}"`, `src="${logo.path}"`) : sent
      await db
        .insertInto('app.mailbox')
        .values({ id, recipient: to, subject, text, html })
        .onConflict(conflict => conflict.column('id').doNothing())
        .execute()
      return 'sent'
    },
    close() {},
  }
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

type Server = NonNullable<Config['smtp']> & { connections: number }

/** Its package loads with the first email: only a worker sends any. */
async function openTransport({ url, connections }: Server): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    pool: true,
    // Otherwise an attacker on the network could strip the offer of TLS, and read emails with login codes.
    requireTLS: !loopback.has(new URL(url).hostname),
    maxConnections: connections,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    // Nothing in an email may make the server read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof createTransport>[0])
}

function smtp(server: Server, host: string): Mailer {
  const { url, from } = server
  const pause = new Pause()
  const attributes = serverOf(new URL(url))
  let transport: Promise<Transporter> | undefined
  return {
    async send({ to, subject, text, html, replyTo, logo }, id, signal) {
      await pause.wait(signal)
      try {
        const message = {
          messageId: `<${id}@${host}>`,
          from,
          // As an object it is one address, whatever it contains, never a list.
          to: { name: '', address: to },
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated' },
          ...(logo ? { attachments: [inline(logo)] } : {}),
          ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
        }
        transport ??= openTransport(server)
        const opened = await transport
        await traced(startStep('SMTP send', { kind: 'CLIENT', attributes }), () => opened.sendMail(message))
        pause.end()
        return 'sent'
      } catch (error) {
        if (isRefusedForGood(error)) return 'refused'
        if (isServerDown(error)) pause.prolong()
        throw error
      }
    },
    close: () => void transport?.then(opened => opened.close()),
  }
}

/** Within the email: a picture that a mail program loads from us would tell us who reads, and most show it only when asked. */
function inline({ content }: { content: Buffer }) {
  return {
    filename: 'logo.png',
    contentType: 'image/png',
    content,
    cid: logoId,
    contentDisposition: 'inline' as const,
  }
}

/** A 5xx answer to this recipient or message (RFC 5321, 4.2.1): a retry would fail too. */
function isRefusedForGood(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500
}

/** Not about this recipient or message: no connection, no login, or a server that closes (421; RFC 5321, 3.8). */
function isServerDown(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return responseCode === 421 || (code !== 'EENVELOPE' && code !== 'EMESSAGE')
}
