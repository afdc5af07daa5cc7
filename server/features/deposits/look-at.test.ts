import { beforeAll, beforeEach, expect, test } from 'vitest'
import * as call from '#shared/contract/deposits.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

/** What is marked as looked at is what whoever looked was shown. */

let world: WatchedWorld
let investor: Person
beforeAll(async () => {
  // From $100 on somebody of the firm looks first.
  world = await openWatchedWorld('usdt', {}, { creditReviewCents: 10_000n, rateLimit: false })
  await world.look()
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
})

const shown = async (id: string) => (await world.call(call.getDeposit, world.admin, { params: { id } })).data
const lookAt = (id: string, body?: object) =>
  world.call(call.lookAtDeposit, world.admin, { params: { id }, ...(body && { body }) })
type Shown = Awaited<ReturnType<typeof shown>>
const asShown = ({ status, deviation, seen, flags, wrongAssetTransfers }: Shown) => ({
  status,
  deviation,
  seen,
  flags,
  wrongAssetTransfers,
})
const comes = async (to: string, amount: number, token: 'USDT' | 'USDC' = 'USDT') => {
  world.network.send({ to, units: BigInt(amount) * 1_000_000n, token })
  await world.look()
}
/** It is refused by each of these fields alone, and by what is there now it is not. */
async function expectRefused(before: Shown, fields: readonly (keyof ReturnType<typeof asShown>)[]) {
  const id = before._id
  const state = await world.state()
  for (const body of [asShown(before), ...fields.map(field => ({ [field]: before[field] }))]) {
    expect(await lookAt(id, body), JSON.stringify(body)).toMatchObject({
      status: 409,
      code: 'wrong_state',
      message: 'This payment has changed since it was shown to you: look at it again.',
    })
  }
  expect(await world.state()).toBe(state)
  expect(await shown(id)).toMatchObject({ needsReview: true })
  const now = await shown(id)
  expect((await lookAt(id, { ...asShown(now), flags: now.flags.toReversed() })).data.needsReview).toBe(false)
}

/** Another coin came for it. */
async function flagged() {
  const { _id, payment } = await world.ask(investor, 250)
  await comes(payment.address, 250, 'USDC')
  const before = await shown(_id)
  expect(before).toMatchObject({
    seen: null,
    flags: ['wrong_asset'],
    wrongAssetTransfers: 1,
    needsReview: true,
  })
  return { before, to: payment.address }
}

test('[N-06, S-04] a payment of which more was seen meanwhile is not marked as looked at', async () => {
  const { before, to } = await flagged()
  await comes(to, 50)
  await expectRefused(before, ['seen'])
})

test('[N-06, S-04] nor is one to whose address another coin came once more', async () => {
  const { before, to } = await flagged()
  await comes(to, 250, 'USDC')
  await expectRefused(before, ['wrongAssetTransfers'])
})

test('[N-06, S-04] nor is one that is flagged for something else by now', async () => {
  const { to } = await flagged()
  await comes(to, 250)
  const before = await shown((await world.call(call.listOwnDeposits, investor)).data[0]!._id)
  world.network.mine(2)
  await world.look()
  expect((await shown(before._id)).flags).toEqual(['wrong_asset', 'large'])
  await expectRefused(before, ['flags'])
})

test('[N-06, D5, S-04] nor is one that was credited as it came meanwhile, when its monitoring ended', async () => {
  const { to } = await flagged()
  await comes(to, 50)
  world.network.mine(2)
  await world.look()
  const before = await shown((await world.call(call.listOwnDeposits, investor)).data[0]!._id)
  expect(before).toMatchObject({ status: 'pending', stage: 'underpaid', deviation: null })
  world.clock.pass({ minutes: 24 * 60 + 16 })
  world.network.mine()
  await world.look()
  const { seen, flags, wrongAssetTransfers } = before
  expect(await shown(before._id)).toMatchObject({
    ...{ status: 'paid', deviation: 'underpaid', credited: 50 },
    // All else that tells one state of a payment from another is as it was.
    ...{ seen, flags, wrongAssetTransfers },
  })
  await expectRefused(before, ['status', 'deviation'])
})

test('[N-06] who says nothing of what was shown marks it as it is', async () => {
  const { before, to } = await flagged()
  await comes(to, 50)
  expect(await lookAt(before._id)).toMatchObject({ status: 200, data: { needsReview: false } })
})

test('[N-06] what was shown is checked before anything is noted', async () => {
  const { before } = await flagged()
  const state = await world.state()
  const wrong = [
    ...[{ status: 'gone' }, { deviation: 'early' }, { seen: 5 }],
    ...[{ flags: ['none'] }, { flags: 'large' }, { wrongAssetTransfers: -1 }],
  ]
  for (const body of wrong) {
    expect((await lookAt(before._id, body)).code, JSON.stringify(body)).toBe('invalid_input')
  }
  expect(await world.state()).toBe(state)
})
