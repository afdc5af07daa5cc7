import { text } from 'node:stream/consumers'
import pino from 'pino'
import type { SMTPServerOptions } from 'smtp-server'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { systemClock } from '#server/platform/clock.ts'
import { newId } from '#server/platform/id.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { logoId, mailerOf } from '#server/platform/mail/mailer.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { ownAccents } from '#shared/brand.ts'
import { dressEmail } from '#shared/email-look.ts'
import { testDatabase } from '#test/support/database.ts'
import { type Received, readable, startMailServer } from '#test/support/mail-server.ts'
import { until } from '#test/support/processes.ts'
import { startWorker } from './runner.ts'

const database = await testDatabase()
const base = loadConfig({ TOKEN_SECRET: 'x'.repeat(32), PUBLIC_URL: 'https://invest.example.com' })
const code = composeEmail({
  to: 'ada@example.com',
  subject: '123456 is your verification code',
  greeting: 'Hello <Ada> & co,',
  paragraphs: ['Enter this code:', 'It is valid for 10 minutes.'],
  code: '123456',
  from: 'Example Capital',
})

beforeEach(() => database.app.query('DELETE FROM graphile_worker._private_jobs'))

async function mailServer(options: SMTPServerOptions = {}) {
  const server = await startMailServer({ authOptional: true, disabledCommands: ['STARTTLS'], ...options })
  onTestFinished(() => server.stop())
  return { received: server.received, url: `smtp://127.0.0.1:${server.port}` }
}

async function worker(server: { url: string; from: string } | null, connections = 6) {
  const smtp = server && { ...server, connections }
  const services: Services = {
    config: { ...base, smtp },
    pool: database.app,
    db: database.db,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  }
  const life = new Lifetime()
  onTestFinished(() => life.end())
  await startWorker(services, life)
}

async function mailsQueued(): Promise<number> {
  const { rows } = await database.app.query<{ count: bigint }>(
    "SELECT count(*) FROM graphile_worker.jobs WHERE task_identifier = 'send_mail'",
  )
  return Number(rows[0]?.count)
}

test('[A-11] an email is sent through the mail server once, as text and as escaped HTML', async () => {
  const { received, url } = await mailServer()
  await worker({ url, from: 'Example Capital <noreply@example.com>' })
  await queueMail(database.db, { ...code, replyTo: 'help@example.com' })
  await until(async () => received.length > 0 && (await mailsQueued()) === 0)

  expect(received).toHaveLength(1)
  const [{ from, to, content }] = received as [Received]
  expect({ from, to }).toEqual({ from: 'noreply@example.com', to: ['ada@example.com'] })
  expect(content).toContain('Subject: 123456 is your verification code')
  expect(content).toContain('From: Example Capital <noreply@example.com>')
  expect(content).toContain('Reply-To: help@example.com')
  expect(content).toMatch(/Message-ID: <[0-9a-f-]{36}@invest\.example\.com>/)
  expect(content).toContain('Content-Type: text/plain')
  expect(readable(content)).toContain('Hello &#60;Ada&#62; &#38; co,')
})

test('[W-09] a logo is inside the email, which loads nothing from us', async () => {
  const { received, url } = await mailServer()
  const smtp = { url, from: 'noreply@example.com', connections: 2 }
  const mailer = mailerOf({ smtp, publicUrl: base.publicUrl }, database.db, 2)
  onTestFinished(() => mailer.close())
  const picture = { width: 120, height: 30, withName: false, src: `cid:${logoId}` }
  const html = dressEmail(code.html, { accents: ownAccents, logo: picture })
  const logo = { content: Buffer.from('pixels'), path: '/brand/logo.png' }
  await mailer.send({ ...code, html, logo }, newId(new Date()))
  const [{ content }] = received as [Received]
  expect(content).toContain('Content-Type: multipart/related')
  expect(content).toMatch(/Content-ID: <logo>/i)
  expect(content).toContain('Content-Disposition: inline; filename=logo.png')
  expect(content).toContain(logo.content.toString('base64'))
  expect(readable(content)).toContain('src="cid:logo"')
  expect(readable(content)).not.toContain(logo.path)
})

// Other systems have one loopback address only.
test.skipIf(process.platform !== 'linux')(
  'no email is sent to a remote mail server without encryption',
  async () => {
    // A local address, but not one of those trusted without TLS.
    const host = '127.0.0.2'
    const server = await startMailServer({ authOptional: true, disabledCommands: ['STARTTLS'], host })
    onTestFinished(() => server.stop())
    const smtp = { url: `smtp://${host}:${server.port}`, from: 'noreply@example.com', connections: 2 }
    const mailer = mailerOf({ smtp, publicUrl: base.publicUrl }, database.db, 2)
    onTestFinished(() => mailer.close())
    await expect(mailer.send(code, newId(new Date()))).rejects.toMatchObject({ code: 'ETLS' })
    expect(server.received).toEqual([])
  },
)

test('while the mail server is down, emails wait for its next try', async () => {
  const server = await startMailServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
  onTestFinished(() => server.stop())
  const smtp = { url: `smtp://127.0.0.1:${server.port}`, from: 'noreply@example.com', connections: 2 }
  const mailer = mailerOf({ smtp, publicUrl: base.publicUrl }, database.db, 2)
  onTestFinished(() => mailer.close())
  await server.stop()
  const id = newId(new Date())
  await expect(mailer.send(code, id)).rejects.toMatchObject({ code: 'ESOCKET' })
  await expect(mailer.send(code, id, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  await server.start()
  expect(await mailer.send(code, id)).toBe('sent')
  expect(await mailer.send(code, id, AbortSignal.abort())).toBe('sent')
})

test('an email the server defers is sent later under the same Message-ID', async () => {
  const ids: string[] = []
  const { received, url } = await mailServer({
    onData(stream, _session, done) {
      text(stream).then(content => {
        ids.push(/Message-ID: (\S+)/.exec(content)?.[1] ?? 'none')
        if (ids.length === 1) return done(Object.assign(new Error('try later'), { responseCode: 451 }))
        received.push({ from: '', to: [], content })
        return done()
      }, done)
    },
  })
  await worker({ url, from: 'noreply@example.com' })
  await queueMail(database.db, code)
  await until(async () => received.length > 0 && (await mailsQueued()) === 0)
  expect(ids).toHaveLength(2)
  expect(ids[0]).toBe(ids[1])
})

test('an address that the mail server refuses for good is not tried for ever', async () => {
  let tries = 0
  const { url } = await mailServer({
    onRcptTo(_address, _session, done) {
      tries += 1
      done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
    },
  })
  await worker({ url, from: 'noreply@example.com' })
  await queueMail(database.db, code)
  await until(async () => tries > 0 && (await mailsQueued()) === 0)
  expect(tries).toBe(1)
})

test('an email whose code has expired meanwhile is not sent', async () => {
  const { received, url } = await mailServer()
  await worker({ url, from: 'noreply@example.com' })
  await queueMail(database.db, { ...code, usefulUntil: new Date(Date.now() - 1000).toISOString() })
  await queueMail(database.db, { ...code, subject: 'useful' })
  await until(async () => (await mailsQueued()) === 0)
  expect(received.map(({ content }) => /Subject: (.*)\r/.exec(content)?.[1])).toEqual(['useful'])
})

test('[A-11] without a mail server, email goes to the demonstration mailbox', async () => {
  await worker(null)
  await queueMail(database.db, code)
  await until(async () => (await mailsQueued()) === 0)
  const { rows } = await database.app.query('SELECT recipient, subject, text FROM app.mailbox')
  expect(rows).toEqual([{ recipient: 'ada@example.com', subject: code.subject, text: code.text }])
})
