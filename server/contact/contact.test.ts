import { beforeEach, expect, test } from 'vitest'
import { listContactMessages, newContactMessage } from '#shared/contract/site.ts'
import { openWorld, type World } from '#test/support/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})

const message = {
  name: 'Vera Visitor',
  email: 'Vera@Example.org',
  subject: 'A question',
  message: 'Which firms do you invest in?\n\nThank you.',
}
const send = (body: object = {}) => world.call(newContactMessage, null, { body: { ...message, ...body } })
const list = (query: object = {}) => world.call(listContactMessages, world.admin, { query })
const queued = async () => (await world.owner('SELECT payload FROM graphile_worker._private_jobs')).rows
const waiting = async () =>
  (
    await world.owner(
      `SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database WHERE NOT granted AND datname = current_database()`,
    )
  ).rows.length

test('[P-11] a message is stored, queued for the firm, and shown to the admin', async () => {
  expect((await send()).status).toBe(200)
  const { data } = await list()
  expect(data).toMatchObject([{ ...message, email: 'vera@example.org' }])
  expect(await queued()).toMatchObject([{ payload: { notice: 'contact.received', id: data[0]?._id } }])
})

test('[P-11] a button that is pressed again and again sends its message once; a minute later it is another', async () => {
  const writing = await world.database.owner.connect()
  await writing.query('BEGIN; LOCK TABLE app.contact_messages IN EXCLUSIVE MODE')
  const answers = Array.from({ length: 5 }, () => send())
  // All are under way before the first of them is stored.
  await expect.poll(waiting).toBe(5)
  await writing.query('COMMIT')
  writing.release()
  for (const answer of answers) expect((await answer).status).toBe(200)
  expect(await queued()).toHaveLength(1)
  await send({ message: 'Another one' })
  expect((await list()).data).toHaveLength(2)
  world.clock.pass({ minutes: 1 })
  await send()
  expect((await list()).data).toHaveLength(3)
})

test('[P-11] what fills the honeypot is thanked and dropped', async () => {
  expect(await send({ website: 'https://spam.example' })).toMatchObject({
    status: 200,
    message: 'Thank you. Your message has reached us',
  })
  expect((await list()).data).toEqual([])
  expect(await queued()).toEqual([])
})

test('[P-11] messages are searched by sender and text', async () => {
  await send()
  await send({ name: 'Otto Other', message: 'Something else' })
  expect((await list({ q: 'otto' })).data).toHaveLength(1)
  expect((await list({ q: 'firms do' })).data).toHaveLength(1)
})
