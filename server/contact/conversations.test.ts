import { beforeAll, describe, expect, test } from 'vitest'
import { cleanUp } from '#server/jobs/clean-up.ts'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { freezeUser } from '#shared/contract/console.ts'
import * as own from '#shared/contract/conversations.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import * as call from '#shared/contract/site.ts'
import { maximumAttachmentBytes, maximumThread, maximumUnusedAttachments } from '#shared/limits.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** Conversations of investors with the firm (N-14, L-06). */
let world: World
let carer: Person
let ada: Person
beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  carer = await world.person('Sue Support', 'support')
  ada = await world.person('Ada Asking')
})

const begin = async (body: object = {}, by = ada) =>
  world.call(own.newConversation, by, { body: { subject: 'My deposit', text: 'Where is it?', ...body } })
const thread = async (id: string) => (await world.call(own.getConversation, ada, { params: { id } })).data
const seenByStaff = async (id: string) =>
  (await world.call(call.getContactMessage, carer, { params: { id } })).data
const answer = (id: string, text = 'Here it is.', files: string[] = []) =>
  world.call(call.replyToMessage, carer, { params: { id }, body: { text, files } })
const write = (id: string, text = 'Thank you.') =>
  world.call(own.writeMessage, ada, { params: { id }, body: { text } })
const jobs = async (id: string) =>
  (
    await world.owner(`SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'id' = '${id}'`)
  ).rows.map(({ payload }) => payload)

test('[N-14] staff read an investor’s message beside those of the contact form', async () => {
  const { data, status, message } = await begin()
  expect({ status, message }).toEqual({ status: 200, message: 'Message sent' })
  expect(data).toMatchObject({ status: 'open', unread: false, about: null })
  expect(data).not.toHaveProperty('messages')
  expect((await thread(data._id)).messages).toMatchObject([{ from: 'you', text: 'Where is it?', files: [] }])
  await world.call(call.newContactMessage, null, {
    body: { name: 'Vera Visitor', email: 'vera@example.org', subject: 'Hello', message: 'Good day' },
  })
  const list = async (query: object) =>
    (await world.call(call.listContactMessages, carer, { query })).data.map(({ name }) => name)
  expect(await list({})).toEqual(expect.arrayContaining(['Ada Asking', 'Vera Visitor']))
  expect(await list({ origin: 'account' })).not.toContain('Vera Visitor')
  expect(await list({ origin: 'form' })).toEqual(['Vera Visitor'])
  expect(await seenByStaff(data._id)).toMatchObject({ user: ada.id, name: 'Ada Asking', status: 'open' })
  const mail = await noticeWriter(world.services)((await jobs(data._id))[0])
  expect(mail).toMatchObject({ to: 'support@probity.test', subject: 'Message from Ada Asking: My deposit' })
  expect(mail?.replyTo).toBeUndefined()
  expect(mail?.text).toContain(`/admin/messages?q=${data._id}`)
})

test('[N-14, L-06] a reply appears in the account, in the bell, and in an email with its text', async () => {
  const { _id: id } = (await begin({ subject: 'The rate' })).data
  expect((await answer(id, 'At the locked rate.\n\nKind regards')).data.status).toBe('answered')
  expect(await thread(id)).toMatchObject({ status: 'answered', unread: true })
  const { messages } = await thread(id)
  expect(messages).toMatchObject([
    { from: 'you' },
    { from: 'us', text: 'At the locked rate.\n\nKind regards' },
  ])
  expect(JSON.stringify(await thread(id))).not.toContain('Sue')
  const [bell] = (await world.call(listNotifications, ada)).data
  expect(bell).toMatchObject({
    kind: 'message.replied',
    text: 'We replied to your message “The rate”.',
    subject: id,
    read: false,
  })
  const mail = await noticeWriter(world.services)((await jobs(messages[1]!._id))[0])
  expect(mail).toMatchObject({ to: ada.email, subject: 'Our reply: The rate' })
  expect(mail?.text).toContain('At the locked rate.')
  expect(mail?.text).toContain(`/dashboard/messages?message=${id}`)

  await world.call(own.readConversation, ada, { params: { id } })
  expect((await thread(id)).unread).toBe(false)
  expect((await world.call(listNotifications, ada)).data[0]).toMatchObject({ read: true })
})

test('[N-14] our mail to an unverified address has neither their words nor ours', async () => {
  const mallory = await world.person('Mallory Unverified')
  await world.owner(`UPDATE app.users SET email_verified_at = NULL WHERE id = '${mallory.id}'`)
  const { _id: id } = (await begin({ subject: 'Your payout is ready at evil.example' }, mallory)).data
  const [received] = await jobs(id)
  expect((await noticeWriter(world.services)(received))?.text).toContain('(address not verified)')
  expect(await seenByStaff(id)).toMatchObject({ isVerified: false })
  await answer(id, 'Please send us the number.')
  const { _id: entry } = (await seenByStaff(id)).thread[0]!
  const mail = await noticeWriter(world.services)((await jobs(entry))[0])
  expect(mail).toMatchObject({ to: mallory.email, subject: 'Our reply to your message' })
  expect(mail?.text).toContain(`/dashboard/messages?message=${id}`)
  expect(JSON.stringify(mail)).not.toMatch(/evil|send us the number|Mallory/)
})

test('[N-14] closing an unanswered message records no answer', async () => {
  const { _id: id } = (await begin()).data
  await world.call(call.closeMessage, carer, { params: { id }, body: { reason: 'Sent twice' } })
  expect(await seenByStaff(id)).toMatchObject({ status: 'closed', answeredAt: null, answeredBy: null })
  const open = await world.call(call.listContactMessages, carer, { query: { status: 'open', limit: 200 } })
  expect(open.data.map(({ _id }) => _id)).not.toContain(id)
  const reopened = await world.call(call.reopenMessage, carer, {
    params: { id },
    body: { reason: 'Not the same' },
  })
  expect(reopened.data.status).toBe('open')
})

test('[N-14] a full conversation takes no more, but notes, and shows the newest', async () => {
  const { _id: id } = (await begin()).data
  const entryId = `('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
  await world.owner(
    `INSERT INTO app.contact_entries (id, message_id, kind, text, created_by, created_at)
     SELECT ${entryId}, '${id}', 'comment', 'Noted', '${carer.id}', now() FROM generate_series(1001, 1003) AS n`,
  )
  await world.owner(
    `INSERT INTO app.contact_entries (id, message_id, kind, text, created_by, created_at)
     SELECT ${entryId}, '${id}', 'message', 'Again', '${ada.id}', now() FROM generate_series(2, ${maximumThread}) AS n`,
  )
  expect((await write(id, 'The last.')).status).toBe(200)
  expect(await write(id)).toMatchObject({ status: 409, reason: 'too_long' })
  expect(await answer(id)).toMatchObject({ status: 409, reason: 'no_room' })
  const note = { params: { id }, body: { text: 'Called her' } }
  expect((await world.call(call.commentMessage, carer, note)).status).toBe(200)
  const { messages } = await thread(id)
  expect(messages).toHaveLength(maximumThread + 1)
  expect(messages.at(-1)).toMatchObject({ text: 'The last.' })
})

test('[N-14] writing again reopens an answered and a closed conversation', async () => {
  const { _id: id } = (await begin()).data
  await answer(id)
  expect((await write(id)).data.status).toBe('open')
  const close = () =>
    world.call(call.closeMessage, carer, { params: { id }, body: { reason: 'Nothing to add' } })
  expect((await close()).data.status).toBe('closed')
  expect(await close()).toMatchObject({ status: 409, reason: 'already_closed' })
  expect((await thread(id)).status).toBe('closed')
  const { data } = await write(id, 'One more thing.')
  expect(data).toMatchObject({ status: 'open' })
  expect(data).not.toHaveProperty('messages')
  const { messages } = await thread(id)
  expect(messages.map(({ text }) => text)).toEqual([
    'Where is it?',
    'Here it is.',
    'Thank you.',
    'One more thing.',
  ])
  const mail = await noticeWriter(world.services)((await jobs(messages[3]!._id))[0])
  expect(mail?.text).toContain('One more thing.')
})

test('[N-14] the conversation with the latest message comes first', async () => {
  const who = await world.person('Otto Order')
  const [first, second] = [(await begin({}, who)).data._id, (await begin({}, who)).data._id]
  const mine = async () => (await world.call(own.listOwnConversations, who)).data.map(({ _id }) => _id)
  const staffs = async () => {
    const { data } = await world.call(call.listContactMessages, carer, { query: { q: who.id } })
    return data.map(({ _id }) => _id)
  }
  for (const list of [mine, staffs]) expect(await list()).toEqual([second, first])
  const body = { text: 'One more thing.' }
  await world.call(own.writeMessage, who, { params: { id: first }, body })
  for (const list of [mine, staffs]) expect(await list()).toEqual([first, second])
})

test('[N-14] notes and reasons are for staff, and a message is assigned to who may answer', async () => {
  const { _id: id } = (await begin()).data
  await world.call(call.commentMessage, carer, { params: { id }, body: { text: 'Called the bank' } })
  const assign = (to: string | null) =>
    world.call(call.assignMessage, carer, { params: { id }, body: { to } })
  expect(await assign(carer.id)).toMatchObject({ message: 'Assigned to Sue Support' })
  const mine = await world.call(call.listContactMessages, carer, { query: { assigned: carer.id } })
  expect(mine.data.map(({ _id }) => _id)).toEqual([id])
  expect(await assign(ada.id)).toMatchObject({ status: 409, reason: 'cannot_answer' })
  expect(await assign(null)).toMatchObject({ data: { assigned: null } })
  expect((await seenByStaff(id)).thread).toMatchObject([{ kind: 'comment', text: 'Called the bank' }])
  expect((await thread(id)).messages).toHaveLength(1)
  const { rows } = await world.owner(
    `SELECT action, details FROM app.audit_log WHERE subject_id = '${id}' ORDER BY id`,
  )
  expect(rows.map(({ action }) => action)).toEqual(['message.noted', 'message.assigned', 'message.assigned'])
  expect(JSON.stringify(rows)).not.toContain('bank')
})

test('[N-14] a conversation is about a record of its owner only', async () => {
  const body = { method: 'usdt', amount: 150 } as const
  const { data: deposit } = await world.call(newDeposit, ada, { body })
  const about = { kind: 'deposit', id: deposit._id }
  expect((await begin({ about })).data.about).toEqual({ ...about, label: deposit.invoiceId })
  const other = await world.person('Oscar Other')
  expect(await begin({ about }, other)).toMatchObject({ status: 403, code: 'forbidden' })
  expect(await begin({ about: { kind: 'withdrawal', id: deposit._id } })).toMatchObject({ status: 403 })
})

test('[B-07] a frozen account may still write', async () => {
  const fred = await world.person('Fred Frozen')
  await world.call(freezeUser, world.admin, { params: { id: fred.id }, body: { reason: 'A court order' } })
  expect((await begin({}, fred)).status).toBe(200)
})

test('[B-06] a message sent again under its key arrives once', async () => {
  const options = { idempotencyKey: crypto.randomUUID() }
  const input = { body: { subject: 'Once', text: 'Only once.' } }
  await world.call(own.newConversation, ada, input, options)
  await world.call(own.newConversation, ada, input, options)
  const { data } = await world.call(own.listOwnConversations, ada)
  expect(data.filter(({ subject }) => subject === 'Once')).toHaveLength(1)
})

describe('files', () => {
  const pdf = Buffer.from('%PDF-1.7\ntrailer <<>>\n%%EOF\n')
  const jpeg = Buffer.from('ffd8ffe000104a464946ffd900', 'hex')
  const upload = async (content: Buffer, type: string, name = 'receipt', by = ada) => {
    const answer = await world.app.inject({
      method: 'POST',
      url: '/api/message/file',
      query: { name },
      headers: { 'content-type': type, authorization: `Bearer ${world.tokenOf(by)}` },
      payload: content,
    })
    return { ...answer.json(), status: answer.statusCode }
  }
  const download = async (id: string, by: Person) => {
    const answer = await world.app.inject({
      url: `/api/message/file/${id}`,
      headers: { authorization: `Token ${world.tokenOf(by)}` },
    })
    return { status: answer.statusCode, content: answer.rawPayload, headers: answer.headers }
  }

  test('[N-14] the owner and staff who answer can save the files of a message', async () => {
    const { data: receipt } = await upload(pdf, 'application/pdf', '../my receipt.exe')
    expect(receipt).toMatchObject({ name: 'my receipt.pdf', size: pdf.length })
    const { data: photo } = await upload(jpeg, 'image/jpeg')
    const { data } = await begin({ files: [receipt._id, photo._id] })
    expect((await thread(data._id)).messages[0]!.files.map(({ name }) => name)).toEqual([
      'my receipt.pdf',
      'receipt.jpg',
    ])
    expect((await seenByStaff(data._id)).files).toHaveLength(2)
    for (const by of [ada, carer]) {
      const file = await download(receipt._id, by)
      expect(file.content).toEqual(pdf)
      expect(file.headers['content-disposition']).toMatch(/^attachment/)
    }
    const auditor = await world.person('Aud Auditor', 'auditor')
    for (const by of [auditor, await world.person('Oscar Other')]) {
      expect((await download(receipt._id, by)).status).toBe(403)
    }
  })

  test('[N-14] a file belongs to one message, and is its sender’s', async () => {
    const { data: file } = await upload(pdf, 'application/pdf')
    const other = await world.person('Oscar Other')
    expect((await begin({ files: [file._id] }, other)).status).toBe(400)
    await begin({ files: [file._id] })
    expect((await begin({ files: [file._id] })).fields).toHaveProperty('files')
    expect((await begin({ files: Array.from({ length: 6 }, () => crypto.randomUUID()) })).status).toBe(400)
  })

  test('[N-14] other kinds, broken files and large ones are refused', async () => {
    const refused = await upload(pdf, 'text/html')
    expect(refused).toMatchObject({ status: 415, message: 'Send a PDF, PNG or JPEG file' })
    expect(await upload(pdf, 'image/png')).toMatchObject({ status: 400 })
    const large = Buffer.concat([pdf, Buffer.alloc(maximumAttachmentBytes)])
    expect(await upload(large, 'application/pdf')).toMatchObject({ status: 413 })
  })

  test('[N-14] staff send files to investors, and none to people without an account', async () => {
    const { data: file } = await upload(pdf, 'application/pdf', 'statement', carer)
    const body = { name: 'Vera', email: 'vera@example.org', subject: 'Hi', message: 'Good morning' }
    await world.call(call.newContactMessage, null, { body })
    const { data } = await world.call(call.listContactMessages, carer, { query: { q: 'Good morning' } })
    expect(await answer(data[0]!._id, 'Here', [file._id])).toMatchObject({ reason: 'no_account' })
    const { _id: id } = (await begin()).data
    await answer(id, 'Here', [file._id])
    const { rows } = await world.owner(
      `SELECT details FROM app.audit_log WHERE subject_id = '${id}' AND action = 'message.replied'`,
    )
    const { _id: reply } = (await thread(id)).messages[1]!
    expect(rows).toMatchObject([{ details: { reply, files: ['statement.pdf'] } }])
    expect((await thread(id)).messages[1]!.files).toMatchObject([{ name: 'statement.pdf' }])
  })

  test('[N-14] few files wait for a message, and an account’s files have a limit', async () => {
    const una = await world.person('Una Uploading')
    const add = () => upload(pdf, 'application/pdf', 'receipt', una)
    const added = []
    for (let n = 0; n < maximumUnusedAttachments; n++) added.push(await add())
    expect(added.at(-1)?.status).toBe(200)
    expect(await add()).toMatchObject({ status: 409, reason: 'unused_files' })
    await begin({ files: [added[0]!.data._id] }, una)
    expect((await add()).status).toBe(200)
    await world.owner(
      `INSERT INTO app.contact_files (id, name, type, content, sha256, uploaded_by, created_at)
       SELECT gen_random_uuid(), 'a.pdf', 'application/pdf', c, sha256(c), '${una.id}', now()
         FROM (SELECT decode(repeat('00', ${maximumAttachmentBytes}), 'hex') AS c) AS large, generate_series(1, 20)`,
    )
    expect(await add()).toMatchObject({ status: 409, reason: 'too_many_bytes' })
  })

  test('[N-14] a file that no message has taken is removed after a day', async () => {
    const { data: unused } = await upload(pdf, 'application/pdf')
    const { data: used } = await upload(pdf, 'application/pdf')
    await begin({ files: [used._id] })
    world.clock.pass({ days: 2 })
    await cleanUp(world.services)
    const { rows } = await world.owner(
      `SELECT id FROM app.contact_files WHERE id IN ('${unused._id}', '${used._id}')`,
    )
    expect(rows).toEqual([{ id: used._id }])
  })
})

test('[N-14] guards compare authors, owners and uploaders, and nothing is rewritten', async () => {
  const { _id: id } = (await begin()).data
  await expect(
    world.database.app.query(
      `INSERT INTO app.contact_entries (id, message_id, kind, text, created_by, created_at)
       VALUES (gen_random_uuid(), '${id}', 'message', 'Pay it out', '${carer.id}', now())`,
    ),
  ).rejects.toMatchObject({ code: 'PB920' })
  const other = await world.person('Oscar Other')
  const { data: deposit } = await world.call(newDeposit, other, { body: { method: 'usdt', amount: 150 } })
  const file = crypto.randomUUID()
  await world.owner(
    `INSERT INTO app.contact_files (id, name, type, content, sha256, uploaded_by, created_at)
     VALUES ('${file}', 'a.pdf', 'application/pdf', 'x', sha256('x'), '${other.id}', now())`,
  )
  for (const statement of [
    ...['reply', 'note', 'comment', 'reopened', 'closed'].map(
      kind => `INSERT INTO app.contact_entries (id, message_id, kind, text, created_by, created_at)
               VALUES (gen_random_uuid(), '${id}', '${kind}', 'Paid', '${ada.id}', now())`,
    ),
    `INSERT INTO app.contact_messages (id, user_id, name, email, subject, message, about_kind, about_id, created_at)
     VALUES (gen_random_uuid(), '${ada.id}', 'Ada', 'a@example.org', 'S', 'M', 'deposit', '${deposit._id}', now())`,
    `INSERT INTO app.contact_attachments (file_id, message_id) VALUES ('${file}', '${id}')`,
  ]) {
    await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: 'PB920' })
  }
  for (const statement of [
    'UPDATE app.contact_messages SET user_id = NULL',
    'UPDATE app.contact_files SET content = NULL',
    'DELETE FROM app.contact_attachments',
  ]) {
    await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: '42501' })
  }
})
