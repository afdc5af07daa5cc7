import { beforeAll, beforeEach, expect, test } from 'vitest'
import * as call from '#shared/contract/deposits.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

/** A review covers exactly the state that the reviewer was shown. */

let world: WatchedWorld
let investor: Person
beforeAll(async () => {
  // Staff review deposits from $100 on.
  world = await openWatchedWorld('usdt', {}, { creditReviewCents: 10_000n, rateLimit: false })
  await world.sync()
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
})

const shown = async (id: string) => (await world.call(call.getDeposit, world.admin, { params: { id } })).data
const review = (id: string, body?: object) =>
  world.call(call.reviewDeposit, world.admin, { params: { id }, ...(body && { body }) })
type Shown = Awaited<ReturnType<typeof shown>>
const asShown = ({ status, deviation, seen, flags, wrongAssetTransfers }: Shown) => ({
  status,
  deviation,
  seen,
  flags,
  wrongAssetTransfers,
})
const pay = async (to: string, amount: number, token: 'USDT' | 'USDC' = 'USDT') => {
  world.network.send({ to, units: BigInt(amount) * 1_000_000n, token })
  await world.sync()
}
/** Each of these fields alone refuses the review; the current values do not. */
async function expectRefused(before: Shown, fields: readonly (keyof ReturnType<typeof asShown>)[]) {
  const id = before._id
  const state = await world.state()
  for (const body of [asShown(before), ...fields.map(field => ({ [field]: before[field] }))]) {
    expect(await review(id, body), JSON.stringify(body)).toMatchObject({
      status: 409,
      reason: 'changed_since_shown',
    })
  }
  expect(await world.state()).toBe(state)
  expect(await shown(id)).toMatchObject({ needsReview: true })
  const now = await shown(id)
  expect((await review(id, { ...asShown(now), flags: now.flags.toReversed() })).data.needsReview).toBe(false)
}

/** A wrong asset arrived for it. */
async function flagged() {
  const { _id, payment } = await world.ask(investor, 250)
  await pay(payment.address, 250, 'USDC')
  const before = await shown(_id)
  expect(before).toMatchObject({
    seen: null,
    flags: ['wrong_asset'],
    wrongAssetTransfers: 1,
    needsReview: true,
  })
  return { before, to: payment.address }
}

test('[N-06, S-04] a payment is not marked as reviewed once more of it was seen', async () => {
  const { before, to } = await flagged()
  await pay(to, 50)
  await expectRefused(before, ['seen'])
})

test('[N-06, S-04] nor once another wrong asset arrived', async () => {
  const { before, to } = await flagged()
  await pay(to, 250, 'USDC')
  await expectRefused(before, ['wrongAssetTransfers'])
})

test('[N-06, S-04] nor once it has another flag', async () => {
  const { to } = await flagged()
  await pay(to, 250)
  const before = await shown((await world.call(call.listOwnDeposits, investor)).data[0]!._id)
  world.network.mine(2)
  await world.sync()
  expect((await shown(before._id)).flags).toEqual(['wrong_asset', 'large'])
  await expectRefused(before, ['flags'])
})

test('[N-06, D5, S-04] nor once it was credited automatically at the end of its monitoring', async () => {
  const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
  const { data } = await world.call(newInvestment, investor, { body })
  await pay(data.deposit!.payment.address, 50)
  world.network.mine(2)
  await world.sync()
  const before = await shown(data.deposit!._id)
  expect(before).toMatchObject({ status: 'pending', stage: 'underpaid', deviation: null })
  world.clock.pass({ minutes: 24 * 60 + 16 })
  world.network.mine()
  await world.sync()
  const { seen, flags, wrongAssetTransfers } = before
  expect(await shown(before._id)).toMatchObject({
    ...{ status: 'paid', deviation: 'underpaid', credited: 50 },
    // All other compared fields are unchanged.
    ...{ seen, flags, wrongAssetTransfers },
  })
  await expectRefused(before, ['status', 'deviation'])
})

test('[N-06] a review that states nothing marks the current state', async () => {
  const { before, to } = await flagged()
  await pay(to, 50)
  expect(await review(before._id)).toMatchObject({ status: 200, data: { needsReview: false } })
})

test('[N-06] a review is validated before it is recorded', async () => {
  const { before } = await flagged()
  const state = await world.state()
  const wrong = [
    ...[{ status: 'gone' }, { deviation: 'early' }, { seen: 5 }],
    ...[{ flags: ['none'] }, { flags: 'large' }, { wrongAssetTransfers: -1 }],
  ]
  for (const body of wrong) {
    expect((await review(before._id, body)).code, JSON.stringify(body)).toBe('invalid_input')
  }
  expect(await world.state()).toBe(state)
})
