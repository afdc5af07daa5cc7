import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type Received = { from: string; to: string[]; content: string }

/** A real mail server that keeps what it is given. */
export type MailServer = {
  readonly received: Received[]
  readonly port: number
  /** Shuts down: it closes all connections and accepts no new ones. */
  stop(): Promise<void>
  /** Comes back, at the same port. */
  start(): Promise<void>
}

/** @param options.host where it listens */
export async function startMailServer({
  host = '127.0.0.1',
  ...options
}: SMTPServerOptions & { host?: string } = {}): Promise<MailServer> {
  const received: Received[] = []
  let server: SMTPServer
  const listen = async (port: number) => {
    server = new SMTPServer({
      onData(stream, { envelope }, done) {
        text(stream).then(content => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          received.push({ from, to: envelope.rcptTo.map(({ address }) => address), content })
          done()
        }, done)
      },
      // Milliseconds: those who are connected when it goes away are not waited for.
      closeTimeout: 1,
      ...options,
    })
    server.on('error', () => {})
    server.listen(port, host)
    await once(server.server, 'listening')
  }
  const stop = () => new Promise<void>(resolve => server.close(resolve))
  await listen(0)
  const { port } = server!.server.address() as AddressInfo
  return { received, port, stop, start: () => listen(port) }
}

/** What people read of an email: its text, quoted-printable decoded (RFC 2045, 6.7). */
export function readable(content: string): string {
  return content
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
