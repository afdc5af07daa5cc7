import { beforeAll, expect, test } from 'vitest'
import * as call from '#shared/contract/canned-answers.ts'
import { listAudit } from '#shared/contract/site.ts'
import { maximumAnswers } from '#shared/limits.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** Answers that staff keep for replies to messages (N-14). */
let world: World
let support: Person

beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  support = await world.person('Sam Support', 'support')
})

const add = (title: string, text = 'Thank you, {first name}.', by = support) =>
  world.call(call.newAnswer, by, { body: { title, text } })
const all = async (by = support) => (await world.call(call.listAnswers, by)).data

test('[N-14, N-12] one prepares an answer, all who answer have it, and the log names each change', async () => {
  const { data: added } = await add('Deposit on its way')
  expect(added).toMatchObject({ version: 1, changedBy: 'Sam Support' })
  const params = { id: added._id }
  const body = { title: 'Deposit late', text: 'Hello {first name}, {number} is late.', version: 1 }
  const { data: changed } = await world.call(call.changeAnswer, world.admin, { params, body })
  expect(changed).toEqual({
    ...added,
    ...body,
    version: 2,
    changedBy: 'Ada Admin',
    changedAt: expect.any(String),
  })
  expect(await all(world.admin)).toContainEqual(changed)
  await world.call(call.deleteAnswer, support, { params, body: { version: 2 } })
  expect(await all()).not.toContainEqual(changed)

  const { data: lines } = await world.call(listAudit, world.admin, { query: { q: added._id } })
  const wording = ({ title, text }: { title: string; text: string }) => ({ title, text })
  expect(lines.map(({ action, details }) => ({ action, details }))).toEqual([
    { action: 'answer.deleted', details: { before: wording(body) } },
    { action: 'answer.changed', details: { before: wording(added), after: wording(body) } },
    { action: 'answer.added', details: { after: wording(added) } },
  ])
})

test('[N-14] of two who edit the same answer, the second is refused', async () => {
  const { data } = await add('Edited twice')
  const params = { id: data._id }
  const edit = (by: Person, text: string) =>
    world.call(call.changeAnswer, by, { params, body: { title: data.title, text, version: 1 } })
  const answers = await Promise.all([edit(support, 'One'), edit(world.admin, 'Other')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)).toMatchObject({ reason: 'changed_meanwhile' })
  const before = await world.state()
  expect(await world.call(call.deleteAnswer, support, { params, body: { version: 1 } })).toMatchObject({
    status: 409,
    reason: 'changed_meanwhile',
  })
  expect(await world.state()).toEqual(before)
})

test('[N-14] a title is used once, in any case', async () => {
  await add('Opening hours')
  const { data } = await add('Other hours')
  const taken = { status: 400, fields: { title: 'Another answer has this title' } }
  expect(await add('OPENING hours')).toMatchObject(taken)
  const body = { title: 'opening hours', text: 'From nine.', version: 1 }
  const params = { id: data._id }
  expect(await world.call(call.changeAnswer, support, { params, body })).toMatchObject(taken)
})

test('[N-14] refuses unknown placeholders, and more text than a reply has', async () => {
  expect(await add('Greeting', 'Hello {name}')).toMatchObject({
    status: 400,
    fields: { text: 'Only {first name}, {subject}, {number} can be in braces' },
  })
  expect(await add('Long', 'x'.repeat(5_001))).toMatchObject({ status: 400 })
  expect(await add('x'.repeat(81))).toMatchObject({ status: 400 })
})

test('[N-14, W-01] only staff who answer messages read and write them', async () => {
  const finance = await world.person('Fay Finance', 'finance')
  const investor = await world.person('Ines Investor')
  for (const by of [finance, investor]) {
    expect(await world.call(call.listAnswers, by)).toMatchObject({ status: 403 })
    expect(await add('Not theirs', 'Hello.', by)).toMatchObject({ status: 403 })
  }
  const params = { id: crypto.randomUUID() }
  expect(await world.call(call.deleteAnswer, support, { params, body: { version: 1 } })).toMatchObject({
    status: 404,
  })
})

test('[N-14] their number is limited, also for two at the same time', async () => {
  await world.owner(`
    INSERT INTO app.canned_answers (id, title, text, version, changed_by, changed_at)
    SELECT uuidv7(), 'Filler ' || n, 'Hello.', 1, '${support.id}', now()
      FROM generate_series(1, ${maximumAnswers - 1 - (await all()).length}) AS n`)
  const answers = await Promise.all([add('Last'), add('One too many')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)).toMatchObject({ reason: 'too_many_answers' })
  expect(await all()).toHaveLength(maximumAnswers)
})

test('[N-14] the database counts the changes of an answer itself', async () => {
  const { rows } = await world.owner('SELECT id FROM app.canned_answers LIMIT 1')
  const skipped = `UPDATE app.canned_answers SET version = version + 2 WHERE id = '${rows[0].id}'`
  await expect(world.database.app.query(skipped)).rejects.toMatchObject({ code: 'PB920' })
})
