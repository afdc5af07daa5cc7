import { describe, expect, test } from 'vitest'
import { consoleSummary } from '#shared/contract/console.ts'
import * as call from '#shared/contract/deposits.ts'
import { getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { maxUsdCents } from '#shared/money.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { expireDeposits } from './expire.ts'

/** Deposits from $10,000 on need a review by staff before a node's word alone credits them. */

let world: WatchedWorld
let investor: Person
const { send, confirmed, confirmedFor, available, shown, actions } = usdtPayments(
  scene => {
    ;({ world, investor } = scene)
  },
  { creditReviewCents: 1_000_000n },
)
/** As the console does: with the amount that the page showed. */
const credit = async (id: string, seen?: string | null) => {
  const body = { seen: seen === undefined ? (await shown(id)).seen : seen }
  return world.call(call.creditDeposit, world.admin, { params: { id }, body })
}
/** A further payment, confirmed and synced. */
const more = async (to: string, dollars: number) => {
  send(to, dollars)
  world.network.mine(2)
  await world.sync()
}
const needsReview = async () => {
  const { data } = await world.call(call.listDeposits, world.admin, {
    query: { status: 'differing', q: investor.id },
  })
  return data.map(({ _id }) => _id)
}

describe('[C-14, D5] a large payment', () => {
  test('waits for staff, is announced to both sides, and staff credit it', async () => {
    const waitingBefore = (await world.call(consoleSummary, world.admin, {})).data.waiting.differing.count
    const deposit = await confirmed(10_000)
    for (let n = 0; n < 3; n += 1) {
      world.clock.pass({ minutes: 15 })
      await world.sync()
    }
    expect(await shown(deposit._id)).toMatchObject({
      status: 'pending',
      stage: 'confirmed',
      flags: ['large'],
      canCredit: false,
      needsReview: true,
      label:
        'Confirmed: 10,000 USDT. It is large, so our team reviews it before we credit it. The payment is safe.',
    })
    expect(await available()).toBe(0n)
    expect(await needsReview()).toEqual([deposit._id])
    const { waiting } = (await world.call(consoleSummary, world.admin, {})).data
    expect(waiting.differing.count).toBe(waitingBefore + 1)
    expect(await credit(deposit._id)).toMatchObject({ status: 200 })
    expect(await shown(deposit._id)).toMatchObject({
      status: 'paid',
      stage: 'paid',
      credited: 10_000,
      flags: [],
    })
    expect(await available()).toBe(1_000_000n)
    expect(await needsReview()).toEqual([])
    expect(await actions(deposit._id)).toEqual(['deposit.requested', 'deposit.credited'])
    await world.sync()
    expect(await available()).toBe(1_000_000n)
    await world.expectSoundBooks()
  })

  test('just below the limit is credited automatically', async () => {
    const deposit = await confirmed(9_999.99)
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 9_999.99, flags: [] })
  })

  test('in several transfers counts as one; reviewed amounts are not asked again', async () => {
    const deposit = await confirmed(6_000)
    const to = deposit.payment.address
    expect(await available()).toBe(600_000n)
    send(to, 3_999.99)
    world.network.mine(2)
    await world.sync()
    expect(await available()).toBe(999_999n)
    send(to, 0.01)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'paid',
      credited: 9_999.99,
      flags: ['large'],
      needsReview: true,
      label: expect.stringContaining(
        'Another 0.01 USDT arrived. With it the payment is large, so our team reviews it before we credit the rest.',
      ),
    })
    expect(await credit(deposit._id)).toMatchObject({ status: 200 })
    expect(await available()).toBe(1_000_000n)
    // Below the limit again, beyond the reviewed amount.
    send(to, 9_999)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ credited: 19_999, flags: [] })
    send(to, 1)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ credited: 19_999, flags: ['large'] })
    await world.expectSoundBooks()
  })

  test('late or unsolicited waits as well', async () => {
    const late = await world.ask(investor, 12_000)
    const query = { method: 'usdt', amount: '12000' } as const
    const { address } = (await world.call(call.quoteDeposit, investor, { query })).data
    world.clock.pass({ minutes: 20 })
    for (const to of [late.payment.address, address]) send(to, 12_000)
    world.network.mine(2)
    await world.sync()
    expect(await shown(late._id)).toMatchObject({ status: 'pending', flags: ['large'] })
    const { data } = await world.call(call.listDeposits, world.admin, { query: { q: investor.id } })
    const unsolicited = data.find(({ payment }) => payment.address === address)!
    expect(unsolicited).toMatchObject({ status: 'pending', flags: ['unsolicited', 'large'] })
    expect(await available()).toBe(0n)
    expect(await credit(late._id)).toMatchObject({ status: 200 })
    expect(await credit(unsolicited._id)).toMatchObject({ status: 200 })
    expect(await shown(late._id)).toMatchObject({ stage: 'paid_late', credited: 12_000, flags: [] })
    expect(await shown(unsolicited._id)).toMatchObject({ status: 'paid', credited: 12_000 })
    await world.expectSoundBooks()
  })

  test('to a declined deposit waits, and is credited from there', async () => {
    const deposit = await world.ask(investor, 12_000)
    const body = { reason: 'Asked by mistake' }
    await world.call(call.declineDeposit, world.admin, { params: { id: deposit._id }, body })
    send(deposit.payment.address, 12_000)
    world.network.mine(2)
    await world.sync()
    const waiting = await shown(deposit._id)
    expect(waiting).toMatchObject({ status: 'declined', flags: ['large'] })
    expect(waiting.label).toContain('Then 12,000 USDT arrived. It is large, so our team reviews it')
    expect(await credit(deposit._id)).toMatchObject({ status: 200 })
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 12_000 })
  })

  test('that is underpaid waits for staff too, and says what is missing', async () => {
    const deposit = await confirmed(20_000, 15_000)
    expect(await shown(deposit._id)).toMatchObject({
      ...{ stage: 'confirmed', canCredit: false, flags: ['large'], missing: '5000.000000' },
      label:
        'Confirmed: 15,000 USDT of 20,000 USDT. It is large, so our team reviews it before we credit it. The payment is safe. Send the remaining 5,000 USDT to the same address.',
    })
    expect(await available()).toBe(0n)
    expect(await credit(deposit._id)).toMatchObject({ status: 200 })
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_under', credited: 15_000, flags: [] })
  })

  test('for an investment and underpaid goes to staff when the investor credits it', async () => {
    const deposit = await confirmedFor('Elite', 20_000, 15_000)
    expect(await shown(deposit._id)).toMatchObject({ stage: 'underpaid', canCredit: true, flags: [] })
    const own = await world.call(call.creditOwnDeposit, investor, { params: { id: deposit._id } })
    expect(own).toMatchObject({
      status: 200,
      data: { status: 'pending', flags: ['large'], canCredit: false },
    })
    expect(own.data.label).toBe(
      'Underpaid: received 15,000 USDT of 20,000 USDT. Send the remaining 5,000 USDT to the same address. It is large, so our team reviews it before we credit it. The payment is safe.',
    )
    expect(await available()).toBe(0n)
    expect(await credit(deposit._id)).toMatchObject({ status: 200 })
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_under', credited: 15_000, flags: [] })
  })

  test('answers the investor each time that our team reviews it first', async () => {
    const deposit = await confirmedFor('Elite', 20_000, 15_000)
    const own = () => world.call(call.creditOwnDeposit, investor, { params: { id: deposit._id } })
    expect(await own()).toMatchObject({
      status: 200,
      message: 'Credited, or sent to our team for review',
    })
    expect(await own()).toMatchObject({
      status: 409,
      reason: 'review_required',
    })
    expect(await available()).toBe(0n)
  })

  test('is credited as far as staff saw it; more needs another review', async () => {
    const deposit = await confirmedFor('Basic', 500, 150)
    const { seen } = await shown(deposit._id)
    expect(seen).toBe('150.000000')
    await more(deposit.payment.address, 80_000)
    const refused = {
      status: 409,
      reason: 'changed_since_review',
    }
    expect(await credit(deposit._id, seen)).toMatchObject(refused)
    expect(await credit(deposit._id, null)).toMatchObject(refused)
    expect(
      await world.call(call.creditDeposit, world.admin, { params: { id: deposit._id }, body: {} }),
    ).toMatchObject(refused)
    expect(await available()).toBe(0n)
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending', flags: ['large'], needsReview: true })
    expect(await credit(deposit._id, '80150.000000')).toMatchObject({ status: 200 })
    expect(await world.balances(investor)).toMatchObject({ available: 7_965_000n, held: 50_000n })
    await world.expectSoundBooks()
  })

  test('counts later transfers from the last reviewed amount', async () => {
    const deposit = await confirmedFor('Elite', 20_000, 150)
    const { seen } = await shown(deposit._id)
    await more(deposit.payment.address, 9_000)
    expect(await credit(deposit._id, seen)).toMatchObject({ status: 200, data: { credited: 9_150 } })
    await more(deposit.payment.address, 9_000)
    expect(await shown(deposit._id)).toMatchObject({ credited: 9_150, flags: ['large'], needsReview: true })
  })

  test('that was reviewed and left needs a new review when more arrives', async () => {
    const deposit = await confirmed(12_000)
    await world.call(call.reviewDeposit, world.admin, { params: { id: deposit._id } })
    world.network.mine(2)
    await world.sync()
    expect(await needsReview()).toEqual([])
    await more(deposit.payment.address, 500_000)
    expect(await shown(deposit._id)).toMatchObject({ flags: ['large'], needsReview: true })
    expect(await needsReview()).toEqual([deposit._id])
    expect(await available()).toBe(0n)
  })

  test('keeps its investment waiting beyond the monitoring, and then pays it', async () => {
    const body = { method: 'usdt', plan: 'Elite', amount: 20_000 } as const
    const { data } = await world.call(newInvestment, investor, { body })
    send(data.deposit!.payment.address, 20_000)
    world.network.mine(2)
    await world.sync()
    world.clock.pass({ days: 2 })
    world.network.mine(2)
    await world.sync()
    await expireDeposits(world.services)
    const params = { id: data._id }
    const investment = async () => (await world.call(getInvestment, investor, { params })).data
    expect(await investment()).toMatchObject({ status: 'pending' })
    expect(await credit(data.deposit!._id)).toMatchObject({ status: 200 })
    expect(await world.balances(investor)).toMatchObject({ available: 0n, held: 2_000_000n })
    expect(await investment()).toMatchObject({ status: 'pending' })
  })

  test('stops waiting once reversed; once confirmed again it waits again', async () => {
    const deposit = await confirmed(12_000)
    await world.call(call.reviewDeposit, world.admin, { params: { id: deposit._id } })
    world.network.reorg(2, { drop: [deposit.transaction] })
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'dropped', flags: [], needsReview: false })
    send(deposit.payment.address, 12_000)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ flags: ['large'], needsReview: true })
  })

  test('that was credited manually is reviewed; the excess counts from there', async () => {
    const deposit = await world.ask(investor, 30_000)
    await world.call(call.approveDeposit, world.admin, { params: { id: deposit._id }, body: {} })
    send(deposit.payment.address, 30_500)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ credited: 30_500, flags: ['manual_credit'] })
    send(deposit.payment.address, 9_500)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ credited: 30_500, flags: ['manual_credit', 'large'] })
  })

  test('is credited neither without the right nor by its own investor', async () => {
    const deposit = await confirmed(12_000)
    expect(
      await world.call(call.creditDeposit, investor, { params: { id: deposit._id }, body: {} }),
    ).toMatchObject({ status: 403 })
    const own = await world.ask(world.admin, 12_000)
    send(own.payment.address, 12_000)
    world.network.mine(2)
    await world.sync()
    expect(await credit(own._id, '12000.000000')).toMatchObject({ status: 409, code: 'own_request' })
  })
})

describe('[C-14] more than the maximum amount', () => {
  test.each([2n ** 62n, 2n ** 63n - 1n])('of %s units is never credited and stops no sync', async units => {
    const deposit = await world.ask(investor, 100)
    const query = { method: 'usdt', amount: '100' } as const
    const { address } = (await world.call(call.quoteDeposit, investor, { query })).data
    // Twice: their sum exceeds a column.
    for (const to of [deposit.payment.address, deposit.payment.address, address])
      world.network.send({ to, units })
    world.network.mine(2)
    expect(await world.sync()).toEqual({ outcome: 'synced' })
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending', flags: ['large'] })
    expect(await credit(deposit._id)).toMatchObject({ status: 409, reason: 'above_maximum' })
    const { data } = await world.call(call.listDeposits, world.admin, { query: { q: investor.id } })
    const unsolicited = data.find(({ payment }) => payment.address === address)!
    expect(unsolicited).toMatchObject({ status: 'pending', amount: Number(maxUsdCents) / 100 })
    expect(await credit(unsolicited._id)).toMatchObject({ status: 409, reason: 'above_maximum' })
    expect(await available()).toBe(0n)
    // Staff enter the true amount once they know it.
    const body = { received: '100' }
    const approved = await world.call(call.approveDeposit, world.admin, {
      params: { id: deposit._id },
      body,
    })
    expect(approved).toMatchObject({ status: 200 })
    world.network.mine(2)
    await world.sync()
    expect(await available()).toBe(10_000n)
    await world.expectSoundBooks()
  })

  test('[C-14] is refused by the database for every role', async () => {
    const deposit = await confirmed(100)
    await expect(
      world.owner(`
        ALTER TABLE app.deposit_credits DISABLE TRIGGER deposit_credits_agree;
        INSERT INTO app.deposit_credits (deposit_id, entered_by, units, exchanged_units, cents, rate_e8, rate_at, rate_source, posting)
        VALUES ('${deposit._id}', '${world.admin.id}', 1, 1, ${maxUsdCents - 9_999n}, 1, now(), 'x', uuidv7())`),
    ).rejects.toMatchObject({ constraint: 'deposits_credited_at_most' })
  })
})
