import { beforeAll, expect, test } from 'vitest'
import { noticeWriter } from '#server/notifications/deliver.ts'
import * as call from '#shared/contract/site.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** Answering contact messages (N-14). */
let world: World
let carer: Person
beforeAll(async () => {
  world = await openWorld()
  carer = await world.person('Sue Support', 'support')
})

let count = 0
/** A new message for each test. */
async function write(): Promise<{ id: string; email: string }> {
  count += 1
  const email = `vera${count}@example.org`
  const body = { name: 'Vera Visitor', email, subject: 'A question', message: 'Which firms?\n\nThank you.' }
  await world.call(call.newContactMessage, null, { body })
  const { data } = await world.call(call.listContactMessages, carer, { query: { q: email } })
  return { id: data[0]!._id, email }
}

const one = async (id: string) => (await world.call(call.getContactMessage, carer, { params: { id } })).data
const list = async (status: string) =>
  (await world.call(call.listContactMessages, carer, { query: { status, limit: 200 } })).data.map(
    ({ _id }) => _id,
  )
const logged = async (id: string) =>
  (await world.owner(`SELECT * FROM app.audit_log WHERE subject_id = '${id}' ORDER BY id`)).rows

test('[N-14, P-11] a reply is emailed, stored with its message and marks it as answered', async () => {
  const { id, email } = await write()
  expect(await list('open')).toContain(id)
  const sent = await world.call(call.replyToMessage, carer, {
    params: { id },
    body: { text: 'Three of them.\n\nKind regards' },
  })
  expect(sent).toMatchObject({
    status: 200,
    message: 'Reply sent',
    data: { status: 'answered', answeredBy: 'Sue Support' },
  })
  const { thread } = await one(id)
  expect(thread).toMatchObject([{ kind: 'reply', text: 'Three of them.\n\nKind regards', by: 'Sue Support' }])
  expect(await list('open')).not.toContain(id)
  expect(await list('answered')).toContain(id)

  const { rows } = await world.owner(
    `SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'id' = '${thread[0]!._id}'`,
  )
  expect(rows).toEqual([{ payload: { notice: 'contact.replied', id: thread[0]!._id } }])
  const mail = await noticeWriter(world.services)(rows[0].payload)
  expect(mail).toMatchObject({ to: email, replyTo: 'support@probity.test' })
  expect(mail?.subject).toMatch(/^Our reply to your message of \d/)
  expect(mail?.text).toContain('Three of them.')
  // The sender may have entered another person's address, so none of their words go there.
  expect(JSON.stringify(mail)).not.toMatch(/A question|Which firms|Vic/)
})

test('[N-14, B-06] a reply sent again under its key is emailed once', async () => {
  const { id } = await write()
  const options = { idempotencyKey: crypto.randomUUID() }
  const input = { params: { id }, body: { text: 'Once.' } }
  await world.call(call.replyToMessage, carer, input, options)
  await world.call(call.replyToMessage, carer, input, options)
  expect((await one(id)).thread).toHaveLength(1)
})

test('[N-14] marks a message as answered with a note, once, and reopens it with a reason', async () => {
  const { id, email } = await write()
  const mark = () =>
    world.call(call.answerMessage, carer, { params: { id }, body: { note: 'Called her back' } })
  expect(await mark()).toMatchObject({ status: 200, data: { status: 'answered' } })
  expect(await mark()).toMatchObject({ status: 409, code: 'wrong_state', reason: 'already_answered' })
  const again = await world.call(call.reopenMessage, carer, {
    params: { id },
    body: { reason: 'Called again' },
  })
  expect(again.data).toMatchObject({ status: 'open', answeredAt: null, answeredBy: null })
  expect((await one(id)).thread).toMatchObject([
    { kind: 'note', text: 'Called her back' },
    { kind: 'reopened', text: 'Called again' },
  ])
  expect(
    (await world.owner(`SELECT 1 FROM graphile_worker._private_jobs WHERE payload->>'to' = '${email}'`)).rows,
  ).toEqual([])
})

test('[N-12] audits each action with before and after', async () => {
  const { id } = await write()
  await world.call(call.replyToMessage, carer, { params: { id }, body: { text: 'Thank you.' } })
  await world.call(call.reopenMessage, carer, { params: { id }, body: { reason: 'Not enough' } })
  await world.call(call.answerMessage, carer, { params: { id }, body: { note: 'By telephone' } })
  const status = (before: string, after: string) => ({ before: { status: before }, after: { status: after } })
  expect(await logged(id)).toMatchObject([
    { action: 'message.replied', actor_id: carer.id, details: status('open', 'answered') },
    { action: 'message.reopened', reason: 'Not enough', details: status('answered', 'open') },
    { action: 'message.answered', reason: 'By telephone', details: status('open', 'answered') },
  ])
})

test('[N-14] the application cannot change or remove messages', async () => {
  for (const statement of [
    "UPDATE app.contact_messages SET message = 'Other'",
    'DELETE FROM app.contact_messages',
    "UPDATE app.contact_entries SET text = 'Other'",
    'DELETE FROM app.contact_entries',
    'TRUNCATE app.contact_entries',
  ]) {
    await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: '42501' })
  }
})

test('an unknown message is not found and an unknown status is refused', async () => {
  const id = '019aa000-0000-7000-8000-000000000000'
  const answer = await world.call(call.getContactMessage, carer, { params: { id } })
  expect(answer).toMatchObject({ status: 404, code: 'not_found' })
  const refused = await world.call(call.listContactMessages, carer, { query: { status: 'lost' } })
  expect(refused).toMatchObject({ status: 400, code: 'invalid_input' })
})
