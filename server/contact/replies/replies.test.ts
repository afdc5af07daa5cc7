import { createTransport, type SendMailOptions } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { limitCall } from '#server/http/limits.ts'
import { jobs } from '#server/jobs/jobs.ts'
import { startWorker } from '#server/jobs/runner.ts'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { replyLine } from '#server/platform/mail/compose-email.ts'
import { mail as queuedMail } from '#server/platform/mail/queue.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { startReceiving } from '#server/process/reply-worker.ts'
import { freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import * as own from '#shared/contract/conversations.ts'
import * as call from '#shared/contract/site.ts'
import { longestMessage, maximumAttachments, maximumReplyBytes, replyRefusalsAnHour } from '#shared/limits.ts'
import { eicar, startClamd, withoutClamd } from '#test/support/clamd.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type Dovecot, startDovecot, withoutDovecot } from '#test/support/dovecot.ts'
import { type MailServer, startMailServer } from '#test/support/mail-server.ts'
import { until } from '#test/support/processes.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { replyAddressFor } from './address.ts'
import { repliesReadAt } from './read-at.ts'
import { receiveReplies } from './receive.ts'

/** Answers to our emails (N-14), in a real mailbox. */
const OWN_ADDRESS = 'replies@probity.test'
const pdf = Buffer.from('%PDF-1.7\ntrailer <<>>\n%%EOF\n')
let world: World
let carer: Person
let ada: Person
let box: Dovecot
let mails: MailServer

describe.skipIf(withoutDovecot)('replies by email', () => {
  beforeAll(async () => {
    box = await startDovecot()
    atEnd(() => box.close())
    mails = await startMailServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
    atEnd(() => mails.stop())
    world = await openWorld({
      rateLimit: false,
      smtp: { url: `smtp://127.0.0.1:${mails.port}`, from: 'Firm <noreply@probity.test>', connections: 6 },
      replies: { mailboxUrl: box.url, address: OWN_ADDRESS },
    })
    carer = await world.person('Sue Support', 'support')
    ada = await world.person('Ada Asking')
  })

  const read = (services = world.services) =>
    receiveReplies(services, limitCall, new AbortController().signal)
  const begin = async (by = ada) =>
    (await world.call(own.newConversation, by, { body: { subject: 'My deposit', text: 'Where is it?' } }))
      .data._id
  const thread = async (id: string, by = ada) =>
    (await world.call(own.getConversation, by, { params: { id } })).data.messages
  const texts = async (id: string) => (await thread(id)).slice(1).map(({ text }) => text)
  const seenByStaff = async (id: string) =>
    (await world.call(call.getContactMessage, carer, { params: { id } })).data
  const addressOf = (id: string, { email }: { email: string } = ada) =>
    replyAddressFor(world.services.config, id, email)!
  const letter = async (options: SendMailOptions): Promise<Buffer> => {
    const transport = createTransport({ streamTransport: true, buffer: true })
    return (await transport.sendMail(options)).message as Buffer
  }
  const answer = async (id: string, options: SendMailOptions = {}) =>
    box.deliver(await letter({ from: ada.email, to: addressOf(id), text: 'Thank you.', ...options }))
  const noticeOf = async (id: string) => {
    const { rows } = await world.owner(
      `SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'id' = '${id}'`,
    )
    return noticeWriter(world.services)(rows[0].payload)
  }
  const told = async (who: { email: string } = ada) => {
    const { rows } = await world.owner(
      `SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'to' = '${who.email}' ORDER BY id`,
    )
    return rows.map(({ payload }) => queuedMail.parse(payload))
  }
  const sent = async (about: string): Promise<Email> => {
    let found: Email | undefined
    await until(async () => {
      const all = await Promise.all(mails.received.map(({ content }) => PostalMime.parse(content)))
      found = all.find(({ text, to }) => to?.[0]?.address === ada.email && text?.includes(about))
      return found !== undefined
    })
    return found!
  }

  test('[N-14] an answer to our email stands in the conversation, without its quote', async () => {
    const id = await begin()
    const body = { text: 'Which wallet did you use?' }
    await world.call(call.replyToMessage, carer, { params: { id }, body })
    const life = new Lifetime()
    await startWorker(world.services, life, { jobs: jobs.filter(({ lane }) => lane === 'notices') })
    const mail = await sent('Which wallet').finally(() => life.end())
    expect(mail.text).toMatch(new RegExp(`^${replyLine}`))
    expect(mail.text).toContain('You can answer this email')
    const to = mail.replyTo![0]!.address!
    expect(to).toBe(addressOf(id))
    expect(to.split('@')[0]!.length).toBeLessThanOrEqual(64)
    const quoted = mail.text!.replaceAll(/^/gm, '> ')
    await answer(id, {
      to: to.toUpperCase(),
      inReplyTo: mail.messageId!,
      text: `The hardware one.\n\nAda\n\nOn Fri, 27 Nov 2026 at 10:00, Firm <noreply@probity.test> wrote:\n${quoted}`,
      attachments: [{ filename: 'receipt.pdf', content: pdf }],
    })
    expect(await read()).toBe(1)
    const [, , theirs] = await thread(id)
    expect(theirs).toMatchObject({
      from: 'you',
      text: 'The hardware one.\n\nAda',
      files: [{ name: 'receipt.pdf' }],
    })
    const seen = await seenByStaff(id)
    expect(seen).toMatchObject({ status: 'open' })
    expect(seen.thread.map(({ byEmail }) => byEmail)).toEqual([false, true])
    expect([box.count('INBOX').all, box.count('Unmatched').all]).toEqual([0, 0])
    expect(box.count('Processed')).toEqual({ all: 1, unread: 0 })
    expect((await noticeOf(theirs!._id))?.text).toContain(`Ada Asking <${ada.email}> answered by email:`)
  })

  test('[N-14] an HTML answer above our line counts, whatever its language', async () => {
    const id = await begin()
    const html = `<p>Děkuji &amp; ano</p><div>pá 27. 11. odesílatel Firm &lt;noreply@probity.test&gt; napsal:</div>
      <blockquote><p>${replyLine}</p><p>Hello</p></blockquote>`
    await answer(id, { text: undefined, html })
    await read()
    expect(await texts(id)).toEqual(['Děkuji & ano'])
  })

  test('[B-06] a message counts once, shown again, replayed or read by two workers', async () => {
    const id = await begin()
    const message = await letter({ from: ada.email, to: addressOf(id), text: 'Only once.' })
    for (const _ of [1, 2]) box.deliver(message)
    const read2 = await Promise.all([read(), read()])
    expect(read2.filter(done => done !== undefined)).not.toEqual([])
    box.deliver(message)
    await read()
    expect(await texts(id)).toEqual(['Only once.'])
    expect(box.count('INBOX').all).toBe(0)
  })

  test('[N-14] neither a token alone nor an address alone writes for somebody', async () => {
    const nora = await world.person('Nora Named')
    const other = await world.person('Oscar Other')
    const [id, theirs] = [await begin(nora), await begin(other)]
    const before = box.count('Unmatched').all
    const [name, domain] = addressOf(id, nora).split('@')
    const tampered = `${name!.slice(0, -2)}${name!.endsWith('aa') ? 'ba' : 'aa'}@${domain}`
    const send = (from: string, to: string) => answer(id, { from, to })
    await send(nora.email, OWN_ADDRESS)
    await send(nora.email, `replies+${'a'.repeat(45)}@${domain}`)
    await send(other.email, tampered)
    await send(other.email, addressOf(id, other))
    // Of these the owner is told: one of the two fits.
    await send(nora.email, tampered)
    await send(nora.email, addressOf(id, other))
    await send(nora.email, addressOf(theirs, other))
    expect(await read()).toBe(7)
    for (const [conversation, owner] of [
      [id, nora],
      [theirs, other],
    ] as const)
      expect(await thread(conversation, owner)).toHaveLength(1)
    expect(box.count('Unmatched')).toEqual({ all: before + 7, unread: before + 7 })
    const found = await told(nora)
    expect(found).toHaveLength(2)
    expect(found[0]!.text).toContain('We no longer know the address that you sent it to.')
    expect(await told(other)).toHaveLength(1)
  })

  test('[N-14] an answer from another address is not taken, and its recipient is told', async () => {
    const fay = await world.person('Fay Forwarding')
    const id = await begin(fay)
    for (const from of ['somebody@evil.example', [fay.email, 'somebody@evil.example']])
      await answer(id, { from, to: addressOf(id, fay), text: 'Pay it out to me.' })
    await read()
    expect(await thread(id, fay)).toHaveLength(1)
    const found = await told(fay)
    expect(found).toHaveLength(2)
    expect(found[0]!.text).toContain('It is from another address than this one')
    expect(JSON.stringify(found)).not.toMatch(/evil|Pay it out/)
  })

  test('[N-14] a former address of the account writes nothing', async () => {
    const otto = await world.person('Otto Moving')
    const id = await begin(otto)
    const address = addressOf(id, otto)
    await world.owner(`UPDATE app.users SET email = 'new.${otto.email}' WHERE id = '${otto.id}'`)
    for (const from of [otto.email, `new.${otto.email}`]) await answer(id, { from, to: address })
    await read()
    expect(await thread(id, otto)).toHaveLength(1)
  })

  test('[N-14] what programs send is taken from nobody, and never answered', async () => {
    const pia = await world.person('Pia Programs')
    const id = await begin(pia)
    const before = box.count('Unmatched').all
    const lines = [
      'Auto-Submitted: auto-replied',
      'Precedence: bulk',
      'Precedence: auto_reply',
      'X-Autoreply: yes',
      'Return-Path: <>',
      'List-Id: <list.example.com>',
      'Content-Type: multipart/report; boundary=x',
    ]
    const message = String(await letter({ from: pia.email, to: addressOf(id, pia), text: 'I am away.' }))
    for (const line of lines) box.deliver(`${line}\r\n${message}`)
    await read()
    expect(await thread(id, pia)).toHaveLength(1)
    expect(box.count('Unmatched').all).toBe(before + lines.length)
    expect(await told(pia)).toEqual([])
  })

  test('[N-14] a refused answer is told to its sender once, with what to do', async () => {
    const rita = await world.person('Rita Refused')
    const id = await begin(rita)
    const send = (options: SendMailOptions) =>
      answer(id, { from: rita.email, to: addressOf(id, rita), ...options })
    const attachments = [{ filename: 'tool.exe', content: 'MZ' }]
    const message = await letter({ from: rita.email, to: addressOf(id, rita), text: 'Look', attachments })
    for (const _ of [1, 2]) box.deliver(message)
    await read()
    expect(await told(rita)).toHaveLength(1)
    await send({ text: 'x'.repeat(longestMessage + 1) })
    await send({ text: '> nothing of mine' })
    const files = Array.from({ length: 1000 }, () => ({ filename: 'a.pdf', content: pdf }))
    await send({ attachments: files })
    await read()
    const found = await told(rita)
    expect(
      found.map(({ text }) =>
        text.split('\n\n')[1]!.replace(/^We could not add your email to our conversation. /, ''),
      ),
    ).toEqual([
      'The file “tool.exe”: Send a PDF, PNG or JPEG file.',
      `Message can have at most ${longestMessage} characters.`,
      'We found no words of yours in it. Please write them above our email.',
      `A message can have at most ${maximumAttachments} files.`,
    ])
    expect(found[0]).toMatchObject({ subject: 'Your reply has not reached us' })
    expect(found[0]!.replyTo).toBeUndefined()
    expect(found[0]!.text).toContain(`/dashboard/messages?message=${id}`)
    await world.owner("DELETE FROM graphile_worker._private_jobs WHERE payload->>'to' LIKE 'rita%'")
    const long = await letter({ from: rita.email, to: addressOf(id, rita), text: 'Long' })
    box.deliver(Buffer.concat([long, Buffer.alloc(maximumReplyBytes, 'long line\r\n')]))
    await read()
    expect((await told(rita))[0]!.text).toContain('A file can have at most 5 MB')
    expect(await thread(id, rita)).toHaveLength(1)
    const { rows } = await world.owner(`SELECT FROM app.contact_files WHERE uploaded_by = '${rita.id}'`)
    expect(rows).toEqual([])
  })

  test('[N-14] the limits of the page hold, and few refusals are told in an hour', async () => {
    const lena = await world.person('Lena Limited')
    const id = await begin(lena)
    const services = { ...world.services, config: { ...world.services.config, rateLimit: true } }
    for (let n = 0; n < 60; n += 1)
      await limitCall(own.writeMessage, { services, caller: lena.caller, ip: '' })
    for (let n = 0; n <= replyRefusalsAnHour; n += 1)
      await answer(id, { from: lena.email, to: addressOf(id, lena) })
    await read(services)
    const found = await told(lena)
    expect(found).toHaveLength(replyRefusalsAnHour)
    expect(found[0]!.text).toContain('Too many requests. Please try again in')
    expect(await thread(id, lena)).toHaveLength(1)
  })

  test('[B-07] a frozen account may answer, a closed one is told whom to write to', async () => {
    const fred = await world.person('Fred Frozen')
    const id = await begin(fred)
    const send = () => answer(id, { from: fred.email, to: addressOf(id, fred) })
    await world.call(freezeUser, world.admin, { params: { id: fred.id }, body: { reason: 'A court order' } })
    await send()
    await read()
    expect(await thread(id, fred)).toHaveLength(2)
    await world.call(unfreezeUser, world.admin, { params: { id: fred.id }, body: { reason: 'Lifted' } })
    await world.owner(`UPDATE app.users SET closed_at = now(), frozen_at = now(), frozen_by = id,
      freeze_reason = 'Closed by its owner' WHERE id = '${fred.id}'`)
    await send()
    await read()
    expect((await told(fred)).at(-1)!.text).toMatch(/This account was closed on .* Write to support@/)
  })

  test('[N-14] an unverified address and a closed account get no address to answer to', async () => {
    const mails: Record<string, string | undefined> = {}
    for (const change of [
      'email_verified_at = NULL',
      `closed_at = now(), frozen_at = now(), frozen_by = id,
      freeze_reason = 'Closed by its owner'`,
      'name = name',
    ]) {
      const una = await world.person('Una Answered')
      const id = await begin(una)
      await world.owner(`UPDATE app.users SET ${change} WHERE id = '${una.id}'`)
      await world.call(call.replyToMessage, carer, { params: { id }, body: { text: 'Here.' } })
      mails[change.split(' ')[0]!] = (await noticeOf((await seenByStaff(id)).thread[0]!._id))?.replyTo
    }
    expect(mails).toEqual({
      email_verified_at: undefined,
      closed_at: undefined,
      name: expect.stringMatching(/^replies\+/),
    })
  })

  test('[N-14] a visitor answers our email, too, without files', async () => {
    const vera = { name: 'Vera Visitor', email: 'vera@example.org' }
    const body = { ...vera, subject: 'Hello', message: 'Which plans are there?' }
    await world.call(call.newContactMessage, null, { body })
    const { data } = await world.call(call.listContactMessages, carer, { query: { q: vera.email } })
    const id = data[0]!._id
    await world.call(call.replyToMessage, carer, { params: { id }, body: { text: 'Three.' } })
    const mail = (await noticeOf((await seenByStaff(id)).thread[0]!._id))!
    expect(mail).toMatchObject({ to: vera.email, replyTo: addressOf(id, vera) })
    const send = (options: SendMailOptions = {}) =>
      answer(id, { from: vera.email, to: mail.replyTo!, text: 'The first, please.', ...options })
    await send()
    await send({ attachments: [{ filename: 'a.pdf', content: pdf }] })
    await send({ from: ada.email })
    await read()
    const seen = await seenByStaff(id)
    expect(seen).toMatchObject({ status: 'open', user: null })
    expect(seen.thread).toMatchObject([
      { kind: 'reply' },
      { kind: 'message', text: 'The first, please.', by: vera.name, byEmail: true },
    ])
    expect((await noticeOf(seen.thread[1]!._id))?.text).toContain(
      'Vera Visitor <vera@example.org> answered by email:',
    )
    const found = await told(vera)
    expect(found.map(({ text }) => text.split('\n\n').slice(1, 3))).toEqual([
      [
        expect.stringContaining('We take files only from people with an account.'),
        'You can answer our email again, or write to support@probity.test.',
      ],
      [expect.stringContaining('It is from another address than this one'), expect.anything()],
    ])
    for (const [conversation, kind] of [
      [id, 'reply'],
      [await begin(), 'message'],
    ])
      await expect(
        world.database.app.query(
          `INSERT INTO app.contact_entries (id, message_id, kind, text, created_at)
           VALUES (gen_random_uuid(), '${conversation}', '${kind}', 'Paid', now())`,
        ),
      ).rejects.toMatchObject({ code: 'PB920' })
  })

  test('[N-14] nothing hostile stops the mailbox', async () => {
    const id = await begin()
    const head = `From: ${ada.email}\r\nTo: ${addressOf(id)}\r\n`
    let nested = 'Content-Type: text/plain\r\n\r\ninnermost\r\n'
    for (let depth = 0; depth < 500; depth += 1)
      nested = `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${nested}\r\n--b${depth}--\r\n`
    const before = (await told()).length
    const hostile = [
      `${head}Message-ID: <1@x>\r\n${nested}`,
      `${head}Message-ID: <2@x>\r\n${'X-Long: y\r\n'.repeat(20_000)}\r\nbody`,
      'no headers at all',
      '',
      `${head}Message-ID: <3@x>\r\nContent-Type: text/plain; charset=no-such-charset\r\n\r\n\xff\xfe fine\r\n`,
      `${head}Message-ID: <4@x>\r\nSubject: =?utf-8?Q?a=0D=0ABcc:_x@y.z?=\r\n\r\nBcc is no header here.\r\n`,
    ]
    for (const message of hostile) box.deliver(Buffer.from(message, 'latin1'))
    await answer(id, { text: 'Still here.\0' })
    await read()
    expect(box.count('INBOX').all).toBe(0)
    const all = await texts(id)
    expect(all).toEqual(expect.arrayContaining(['Bcc is no header here.', 'Still here.']))
    expect(all.some(text => text.endsWith('fine'))).toBe(true)
    const found = (await told()).slice(before)
    expect(
      found.map(({ text }) =>
        text.split('\n\n')[1]!.replace(/^We could not add your email to our conversation. /, ''),
      ),
    ).toEqual(['We could not read it.'])
  })

  test.skipIf(withoutClamd)('[N-14] files are scanned, and wait while nobody can scan them', async () => {
    const mia = await world.person('Mia Malware')
    const id = await begin(mia)
    const { addresses, stop } = await startClamd()
    const services = { ...world.services, config: { ...world.services.config, clamd: addresses[0]! } }
    const send = (content: Buffer) =>
      answer(id, {
        from: mia.email,
        to: addressOf(id, mia),
        attachments: [{ filename: 'a.pdf', content }],
      })
    await send(Buffer.concat([Buffer.from(`%PDF-1.7\n${eicar}\n`), pdf]))
    await read(services)
    expect((await told(mia))[0]!.text).toContain('The file “a.pdf”: This file contains malware')
    await stop()
    await send(pdf)
    const limited = { ...services, config: { ...services.config, rateLimit: true } }
    // More often than an hour allows files: waiting uses nothing up.
    for (let n = 0; n <= 20; n += 1)
      await expect(read(limited)).rejects.toThrow('cannot be checked for malware')
    expect(box.count('INBOX').all).toBe(1)
    await read({ ...limited, config: { ...limited.config, clamd: null } })
    expect((await thread(id, mia))[1]!.files).toHaveLength(1)
  })

  test('[N-14] the database knows each message once, and rewrites nothing', async () => {
    const id = await begin()
    await answer(id)
    await read()
    const [row] = (await world.owner(`SELECT * FROM app.received_replies WHERE message_id = '${id}'`)).rows
    const insert = (conversation: string, hash: string) =>
      world.database.app.query(
        `INSERT INTO app.received_replies (hash, message_id, entry_id, received_at)
         VALUES (${hash}, '${conversation}', '${row.entry_id}', now())`,
      )
    await expect(insert(await begin(), `sha256('another')`)).rejects.toMatchObject({ code: 'PB920' })
    for (const hash of [`'\\x${row.hash.toString('hex')}'`, `sha256('another')`])
      await expect(insert(id, hash)).rejects.toMatchObject({ code: '23505' })
    for (const statement of [
      'UPDATE app.received_replies SET entry_id = NULL',
      'DELETE FROM app.received_replies',
      'DELETE FROM app.reply_mailbox',
    ])
      await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test('[N-14] while the mailbox is down nothing is lost, and its age shows how long', async () => {
    const id = await begin()
    await read()
    const last = (await repliesReadAt(world.services))!
    await answer(id, { text: 'After the outage.' })
    await box.stop()
    world.clock.pass({ minutes: 1 })
    await expect(read()).rejects.toThrow()
    expect(await repliesReadAt(world.services)).toEqual(last)
    await box.start()
    expect(await read()).toBe(1)
    expect(await texts(id)).toEqual(['After the outage.'])
    expect((await repliesReadAt(world.services))!.getTime()).toBeGreaterThan(last.getTime())
  })

  test('[N-14] a worker reads the mailbox again and again, also after an outage', async () => {
    const id = await begin()
    const stop = startReceiving(world.services, 10)
    onTestFinished(stop)
    await answer(id, { text: 'First.' })
    await until(async () => (await texts(id)).length === 1)
    await box.stop()
    await answer(id, { text: 'Second.' })
    await box.start()
    await until(async () => (await texts(id)).length === 2)
    await until(() => box.count('INBOX').all === 0)
    await stop()
    await answer(id, { text: 'Third.' })
    expect(box.count('INBOX').all).toBe(1)
  })
})

test('[N-14] no email can be answered while replies are off', () => {
  const secrets = { tokenSecret: 'x'.repeat(32), formerSecrets: [] }
  const id = '01900000-0000-7000-8000-000000000001'
  expect(replyAddressFor({ ...secrets, replies: null }, id, 'ada@example.org')).toBeUndefined()
  const replies = { mailboxUrl: 'imaps://a:b@c', address: OWN_ADDRESS }
  const address = replyAddressFor({ ...secrets, replies }, id, 'ada@example.org')
  expect(address).toMatch(/^replies\+[a-z2-7]{45}@probity\.test$/)
})
