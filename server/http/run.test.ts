import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { act, type RequestContext } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { newContactMessage } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { openWorld } from '#test/support/world.ts'
import { run } from './run.ts'

/** A world, and a request context with this key. */
async function requests() {
  const world = await openWorld()
  const { services, admin } = world
  const of = (key: string | null): RequestContext => ({
    services,
    caller: admin.caller,
    requestId: 'request',
    ip: '192.0.2.1',
    userAgent: null,
    idempotency: key === null ? null : { key, hash: createHash('sha256').update(key).digest() },
    reason: null,
    log: services.log,
  })
  const written = async () =>
    Number((await world.owner('SELECT count(*) FROM app.contact_messages')).rows[0].count)
  return { of, written }
}

/** A handler that writes a row and then does what the test wants. */
const writing = (then: () => Promise<void>) =>
  act(newContactMessage, async (_input, { services }, tx) => {
    await tx
      .insertInto('app.contact_messages')
      .values({ id: newId(services.clock.now()), name: 'n', email: 'e', subject: 's', message: 'm' })
      .execute()
    await then()
    return {}
  })

test.each([null, 'a-key'])('[B-06] a refusal undoes what was done before it, with the key %s', async key => {
  const { of, written } = await requests()
  const refusing = writing(async () => {
    throw new AppError('wrong_state', 'No')
  })
  for (const _try of [1, 2]) await expect(run(refusing, {}, of(key))).rejects.toMatchObject({ message: 'No' })
  expect(await written()).toBe(0)
})

test('[B-06] an error undoes everything and no key is kept: the request can be sent again', async () => {
  const { of, written } = await requests()
  let isFailing = true
  const failing = writing(async () => {
    if (isFailing) throw new Error('disk on fire')
  })
  await expect(run(failing, {}, of('a-key'))).rejects.toThrow('disk on fire')
  expect(await written()).toBe(0)
  isFailing = false
  expect(await run(failing, {}, of('a-key'))).toEqual({})
  expect(await written()).toBe(1)
})

test('the loser of a deadlock is repeated once', async () => {
  const { of, written } = await requests()
  let losses = 2
  const losing = writing(async () => {
    if (losses-- > 0) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
  })
  expect(await run(losing, {}, of('a-key'))).toEqual({})
  expect(await written()).toBe(1)
})
