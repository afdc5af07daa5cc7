import { beforeAll, expect, test } from 'vitest'
import { newAddress } from '#shared/contract/addresses.ts'
import { listPlanShares, previewPlanEarnings } from '#shared/contract/earnings.ts'
import { allocation, balanceSeries, earningsByMonth } from '#shared/contract/ledger.ts'
import { returnEvidence } from '#shared/contract/returns.ts'
import { addPasskey, type CreationOptions, removePasskey } from '#shared/contract/second-factor.ts'
import { createWebhookSecret, removeWebhook, stopWebhook } from '#shared/contract/webhooks.ts'
import { newAuthenticator } from '#test/support/authenticator.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

/** Counts this many calls of the caller in advance. */
const made = (id: string, times: number, { id: userId }: { id: string }) =>
  world.owner(`
    INSERT INTO app.rate_limits (key, points, expire)
    VALUES ('${id}:${userId}', ${times}, (extract(epoch FROM now()) + 50) * 1000)`)

test.each([balanceSeries, earningsByMonth, allocation])(
  '[D-26] $id is read 120 times a minute at most, by one account',
  async call => {
    const [person, other] = [await world.person('Reader'), await world.person('Other')]
    await made(call.id, 119, person)
    expect((await world.call(call, person)).status).toBe(200)
    expect(await world.call(call, person)).toMatchObject({ status: 429, code: 'rate_limited' })
    expect((await world.call(call, other)).status).toBe(200)
  },
)

const unknown = '0190a000-0000-7000-8000-000000000000'
test.each([
  ['60 times in ten minutes', returnEvidence, { params: { id: unknown } }],
  ['60 times a minute', previewPlanEarnings, { params: { id: unknown } }],
  ['60 times a minute', listPlanShares, { query: { plan: unknown } }],
] as const)('expensive reads have their own limit per account: %s', async (_often, call, input) => {
  const [reader, other] = [await world.person('Reader', 'admin'), await world.person('Other', 'admin')]
  await made(call.id, 59, reader)
  const read = (who: Person) => world.call(call, who, input as never)
  expect((await read(reader)).status).toBe(404)
  expect(await read(reader)).toMatchObject({ status: 429, code: 'rate_limited' })
  expect((await read(other)).status).toBe(404)
})

const forged = newAuthenticator().create({
  challenge: 'AAAA',
  rp: { id: 'localhost' },
  user: { id: 'AAAA' },
} as CreationOptions)

test.each([
  ['address', newAddress, 60, { body: { wallet: 'Bitcoin (BTC)', address: 'none' } }],
  ['passkey', addPasskey, 30, { body: { name: 'Laptop', response: forged } }],
  ['passkey that goes', removePasskey, 30, { params: { id: unknown } }],
] as const)(
  '[L-08] a call that sends an email (%s) has a limit of its own',
  async (_what, call, times, input) => {
    const person = await world.person('Sender')
    await made(call.id, times - 1, person)
    expect((await world.call(call, person, input as never)).status).toBeLessThan(429)
    expect(await world.call(call, person, input as never)).toMatchObject({
      status: 429,
      code: 'rate_limited',
    })
  },
)

test.each([createWebhookSecret, stopWebhook, removeWebhook])(
  '[I-02] $id, which emails the other admins, is called 60 times an hour at most',
  async call => {
    const admin = await world.person('Ann', 'admin')
    await made(call.id, 59, admin)
    const act = () => world.call(call, admin, { params: { id: unknown }, body: { reason: 'So' } } as never)
    expect((await act()).status).toBe(404)
    expect(await act()).toMatchObject({ status: 429, code: 'rate_limited' })
  },
)
