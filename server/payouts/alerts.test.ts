import { beforeAll, expect, test } from 'vitest'
import { consoleSummary } from '#shared/contract/console.ts'
import * as call from '#shared/contract/payouts.ts'
import { freshTransaction, fundedInvestor, openPayingWorld, payoutsIn } from '#test/support/payouts.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openPayingWorld()
  investor = await fundedInvestor(world)
})
const { pay } = withdrawalsIn(() => world)
const { make, givenUp, batchFor, get, tip, sees, assess, acknowledge } = payoutsIn(() => world)

/** A batch of one withdrawal that is cancelled and broadcast anyway. */
async function sentAfterAll() {
  const { one, first: batch } = await givenUp(investor)
  const transfer = { transactionId: freshTransaction(), address: one.walletAddress, units: 100_000_000n }
  await sees({ ...transfer, block: 900 })
  await assess()
  return { id: batch._id, number: batch.number, withdrawal: one._id, transfer }
}
const waiting = async () => (await world.call(consoleSummary, world.admin)).data.waiting.payoutAlerts.count
const needsReview = async (number: string) =>
  (await world.call(call.listPayouts, world.admin, { query: { status: 'faulty', q: number } })).data.length >
  0
const ready = async (id: string) => {
  const { data } = await world.call(call.readyForPayout, world.admin, { query: { wallet: 'USDT ERC-20' } })
  return data.withdrawals.find(({ _id }) => _id === id)
}

test('[N-12] staff review an alert with a note; a new problem raises a new alert', async () => {
  const before = await waiting()
  const { id, number, transfer, withdrawal } = await sentAfterAll()
  expect([await waiting(), await needsReview(number)]).toEqual([before + 1, true])
  const { data } = await acknowledge(id, [transfer.transactionId])
  expect(data.alerts).toBe(0)
  expect(data.items[0]!.alert).toMatchObject({
    kind: 'paid_after_cancel',
    reviewed: { by: world.admin.name, note: 'Asked the holder', at: expect.any(String) },
  })
  expect([await waiting(), await needsReview(number)]).toEqual([before, false])
  const { rows } = await world.owner(
    `SELECT actor_id, reason, details FROM app.audit_log WHERE subject_id = '${id}' AND action = 'payout.reviewed'`,
  )
  expect(rows).toMatchObject([
    {
      actor_id: world.admin.id,
      reason: 'Asked the holder',
      details: {
        alerts: [
          { alert: 'paid_after_cancel', transactionId: transfer.transactionId, received: '100.000000 USDT' },
        ],
      },
    },
  ])
  // It releases nothing: the withdrawal that was paid anyway is not paid again.
  expect((await make([withdrawal])).code).toBe('wrong_state')
  expect((await ready(withdrawal))?.flagged).toBe(number)
  await pay(withdrawal, world.secondAdmin, transfer.transactionId)
  await assess()
  expect((await get(id)).data.items[0]!.alert).toBeNull()
  await sees({ ...transfer, transactionId: freshTransaction(), block: 901 })
  await assess()
  expect((await get(id)).data.items[0]!.alert).toMatchObject({ kind: 'paid_twice', reviewed: null })
  expect(await needsReview(number)).toBe(true)
})

test('[S-04] a review clears only the alerts that were shown, and needs one', async () => {
  const { id, transfer } = await sentAfterAll()
  const before = await world.state()
  expect(await acknowledge(id, [freshTransaction()])).toMatchObject({
    code: 'wrong_state',
    reason: 'changed_since',
  })
  expect((await acknowledge(id, [])).code).toBe('invalid_input')
  expect((await acknowledge(crypto.randomUUID(), [transfer.transactionId])).code).toBe('not_found')
  expect(await world.state()).toBe(before)
  await acknowledge(id, [transfer.transactionId])
  expect((await acknowledge(id, [transfer.transactionId])).reason).toBe('nothing_to_review')
})

test('[S-04] a withdrawal that a cancelled batch paid is marked, and no batch takes it', async () => {
  const { number, withdrawal } = await sentAfterAll()
  expect(await ready(withdrawal)).toMatchObject({ flagged: number })
  expect((await make([withdrawal])).reason).toBe('unreviewed_payment')
})

test('[S-04] an item that fails does not hold up the others of its batch', async () => {
  const { id, payments } = await batchFor(investor, [100, 50])
  for (const payment of payments) await sees({ ...payment, block: 900 })
  await world.owner(`
    CREATE FUNCTION app.refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
    CREATE TRIGGER refuse_one BEFORE UPDATE ON app.payout_items FOR EACH ROW
      WHEN (OLD.batch_id = '${id}' AND OLD.position = 0) EXECUTE FUNCTION app.refuse_one()`)
  expect(await assess()).toBe(1)
  await world.owner('DROP TRIGGER refuse_one ON app.payout_items; DROP FUNCTION app.refuse_one()')
  expect(await assess()).toBe(1)
  expect((await get(id)).data.status).toBe('paid')
})

test('[K-03] confirmations count synced blocks only, whatever tip the node reports', async () => {
  const { id, first } = await batchFor(investor, [100])
  await sees({ ...first, block: 1_000 })
  await world.owner("UPDATE app.chain_cursors SET tip_height = 2000 WHERE method = 'ethereum'")
  expect(await assess()).toBe(0)
  expect((await get(id)).data.items[0]!.confirmations).toEqual({ have: 1, needed: 3 })
  await tip(1_002)
  expect(await assess()).toBe(1)
})
