import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/**
 * A mail server that takes 100 ms for each email, over any number of connections. Run as `node bench/mail-server.ts`, with
 * PORT; `/port` answers where it accepts emails, `/accepted` which it has accepted since the last question.
 */
const EMAIL_MS = 100

export type Accepted = {
  /** Emails about a deposit. */
  notices: number
  /** Links to set a new password: the recipient, and the moment in epoch milliseconds. */
  links: { to: string; at: number }[]
}

let accepted: Accepted = { notices: 0, links: [] }

const emails = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, { envelope }, done) {
    Promise.all([text(stream), delay(EMAIL_MS)]).then(([content]) => {
      const [to] = envelope.rcptTo
      if (content.includes('Subject: Set a new password')) {
        accepted.links.push({ to: to!.address, at: Date.now() })
      } else if (content.includes('Subject: Your deposit')) accepted.notices += 1
      done()
    }, done)
  },
})
emails.on('error', () => {})
const listening = emails.listen(0, '127.0.0.1')

const server = createServer((request, response) => {
  if (request.url === '/port') return void response.end(JSON.stringify(listening.address()))
  if (request.url !== '/accepted') return void response.end()
  response.end(JSON.stringify(accepted))
  accepted = { notices: 0, links: [] }
}).listen(Number(process.env.PORT), '127.0.0.1')

const stop = () => {
  server.closeAllConnections()
  server.close()
  emails.close()
}
process.once('SIGTERM', stop)
// The measuring process has ended; its channel must not keep this one alive.
process.once('disconnect', stop)
process.channel?.unref()
