import { beforeAll, expect, test } from 'vitest'
import * as call from '#shared/contract/announcements.ts'
import { announcementDays } from '#shared/limits.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** Announcements to all investors (N-15). */
let world: World
let ada: Person
beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  ada = await world.person('Ada Reading')
})

const day = (days: number) =>
  new Date(world.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)
let count = 0
const announce = async (from = 0, until = 7, by = world.admin) => {
  const title = `Maintenance ${++count}`
  const body = { title, text: 'On Sunday.', from: day(from), until: day(until) }
  return world.call(call.newAnnouncement, by, { body })
}
const seen = async (query: object = {}, by = ada) =>
  (await world.call(call.listOwnAnnouncements, by, { query })).data
const titles = async (query: object = {}) => (await seen(query)).map(({ title }) => title)
const read = (id: string, by = ada) => world.call(call.readAnnouncement, by, { body: { id } })

test('[N-15] investors read an announcement from its first day to its last', async () => {
  const { data } = await announce(1, 2)
  expect(data).toMatchObject({ status: 'scheduled', readers: 0 })
  expect(await titles()).not.toContain(data.title)
  expect((await read(data._id)).status).toBe(404)
  world.clock.pass({ days: 1 })
  expect(await titles({ status: 'current' })).toContain(data.title)
  world.clock.pass({ days: 2 })
  expect(await titles({ status: 'current' })).not.toContain(data.title)
  expect(await titles({ status: 'ended' })).toContain(data.title)
})

test('[N-15] each person marks it as read for themselves, once', async () => {
  const { _id: id } = (await announce()).data
  const bob = await world.person('Bob Behind')
  await read(id)
  await read(id)
  await read(id, world.admin)
  const isRead = async (by: Person) => (await seen({}, by)).find(({ _id }) => _id === id)?.read
  expect([await isRead(ada), await isRead(bob)]).toEqual([true, false])
  const { data } = await world.call(call.listAnnouncements, world.admin, { query: { q: id } })
  expect(data).toMatchObject([{ readers: 1, createdBy: world.admin.name }])
})

test('[N-15, N-12] a withdrawn one leaves the dashboards and stays on record', async () => {
  const { _id: id, title } = (await announce()).data
  const withdraw = () =>
    world.call(call.withdrawAnnouncement, world.admin, { params: { id }, body: { reason: 'Postponed' } })
  expect((await withdraw()).data.status).toBe('withdrawn')
  expect(await withdraw()).toMatchObject({ status: 409, reason: 'already_withdrawn' })
  expect(await titles({ status: 'current' })).not.toContain(title)
  const [withdrawn] = await seen({ status: 'withdrawn', q: id })
  expect(withdrawn).toMatchObject({ title, status: 'withdrawn', withdrawnAt: expect.any(String) })
  const { rows } = await world.owner(
    `SELECT action, reason FROM app.audit_log WHERE subject_id = '${id}' ORDER BY id`,
  )
  expect(rows).toMatchObject([
    { action: 'announcement.published' },
    { action: 'announcement.withdrawn', reason: 'Postponed' },
  ])
})

test('[N-15] one that is withdrawn before its first day is never shown', async () => {
  const { _id: id, title } = (await announce(1, 2)).data
  const body = { reason: 'Wrong day' }
  await world.call(call.withdrawAnnouncement, world.admin, { params: { id }, body })
  world.clock.pass({ days: 1 })
  expect(await titles()).not.toContain(title)
})

test('[N-15] days that cannot be, and staff who may not, are refused', async () => {
  expect(await announce(2, 1)).toMatchObject({ status: 400, code: 'invalid_input' })
  expect((await announce(-1, 1)).fields).toEqual({ from: 'The first day cannot be in the past (UTC)' })
  expect((await announce(0, announcementDays)).status).toBe(200)
  expect((await announce(0, announcementDays + 1)).fields).toHaveProperty('until')
  expect((await announce(0, 1, await world.person('Sue Support', 'support'))).status).toBe(403)
})

test('[N-15] not even the application’s login changes or brings back an announcement', async () => {
  await expect(
    world.database.app.query("UPDATE app.announcements SET text = 'Invest now'"),
  ).rejects.toMatchObject({
    code: '42501',
  })
  await expect(
    world.database.app.query(
      'UPDATE app.announcements SET withdrawn_at = NULL, withdrawn_by = NULL WHERE withdrawn_at IS NOT NULL',
    ),
  ).rejects.toMatchObject({ code: 'PB920' })
})
