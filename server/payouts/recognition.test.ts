import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import * as call from '#shared/contract/payouts.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { freshTransaction, fundedInvestor, openPayingWorld, payoutsIn } from '#test/support/payouts.ts'
import { freshAddress, withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'
import { assessPayouts } from './assess.ts'
import { payoutAddresses } from './watched-batches.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openPayingWorld()
})
beforeEach(async () => {
  investor = await fundedInvestor(world, 1_000_000n)
})
const { ask, approve, approved: approvedFor, pay } = withdrawalsIn(() => world)
const { make, get, cancel, takeOver, download, looks, sees, drops, assess, batchFor, unchanged } = payoutsIn(
  () => world,
)
const approved = () => approvedFor(investor)
const batch = (...amounts: number[]) => batchFor(investor, amounts)
const balances = () => world.balances(investor)
const withdrawal = async (id: string) => (await world.call(getWithdrawal, investor, { params: { id } })).data
const item = async (id: string, place = 0) => (await get(id)).data.items[place]!
const logged = async (id: string) => {
  const { rows } = await world.owner(
    `SELECT action FROM app.audit_log WHERE subject_id = '${id}' AND action LIKE 'payout.%' ORDER BY id`,
  )
  return rows.map(({ action }) => action.slice('payout.'.length))
}

describe('a transfer of a batch', () => {
  test('[C-12, D7] shows as seen, then its confirmations, then marks the withdrawal as paid', async () => {
    const { id, number, first } = await batch(100)
    expect((await item(id)).confirmations).toBeNull()
    await sees(first)
    expect(await assess()).toBe(0)
    expect((await get(id)).data.status).toBe('seen')
    expect(await item(id)).toMatchObject({ transactionId: first.transactionId, confirmations: null })

    await sees({ ...first, block: 999 })
    expect(await assess()).toBe(0)
    expect((await item(id)).confirmations).toEqual({ have: 2, needed: 3 })
    expect((await withdrawal(first.withdrawal)).batch).toMatchObject({ status: 'seen' })
    expect((await balances()).held).toBe(10_000n)

    await sees({ ...first, block: 998 })
    expect(await assess()).toBe(1)
    expect((await get(id)).data).toMatchObject({ status: 'paid', paid: 1, paidAt: expect.any(String) })
    expect(await withdrawal(first.withdrawal)).toMatchObject({
      status: 'paid',
      transactionId: first.transactionId,
      batch: { number },
    })
    expect(await balances()).toEqual({ available: 990_000n, held: 0n, invested: 0n })
    const { data: told } = await world.call(listNotifications, investor)
    expect(told[0]?.kind).toBe('withdrawal.paid')
    const { rows } = await world.owner(
      `SELECT actor_id, details FROM app.audit_log WHERE subject_id = '${first.withdrawal}' AND action = 'withdrawal.paid'`,
    )
    expect(rows).toMatchObject([
      { actor_id: null, details: { transactionId: first.transactionId, batch: number } },
    ])
  })

  test('[B-06] counts once, however often and concurrently it is assessed', async () => {
    const { id, payments } = await batch(100, 50)
    for (const payment of payments) await sees({ ...payment, block: 900 })
    const paid = await Promise.all(Array.from({ length: 8 }, () => assess()))
    expect(paid.reduce((sum, of) => sum + of, 0)).toBe(2)
    expect(await balances()).toEqual({ available: 985_000n, held: 0n, invested: 0n })
    await unchanged(() => assess())
    expect((await get(id)).data).toMatchObject({ status: 'paid', paid: 2 })
  })

  test('[S-04] counts only with the right sender, address, token, amount and time', async () => {
    const { id, first } = await batch(100)
    const block = 900
    const strange = [
      { ...first, from: ['0x00000000000000000000000000000000000000aa'], block },
      { ...first, address: '0x00000000000000000000000000000000000000bb', block },
      { ...first, at: new Date(Date.now() - 3_600_000), block },
    ]
    for (const seen of strange) {
      await sees({ ...seen, transactionId: freshTransaction() })
      await unchanged(() => assess())
    }
    expect(await item(id)).toMatchObject({ state: 'open', transactionId: null, alert: null })
  })

  test('[S-04] that was dropped may still confirm: nobody cancels or takes over the batch', async () => {
    const { id, first } = await batch(100)
    await download(id)
    await sees(first)
    await assess()
    await drops(first.transactionId)
    await assess()
    await looks()
    expect((await get(id)).data).toMatchObject({ status: 'seen', seenAt: expect.any(String) })
    expect(await logged(id)).toEqual(['created', 'exported', 'dropped'])
    await unchanged(async () => {
      expect((await cancel(id)).reason).toBe('transfer_dropped')
      expect((await takeOver(id)).reason).toBe('already_broadcast')
      expect((await download(id)).json().reason).toBe('transfers_seen')
    })
    await sees({ ...first, transactionId: freshTransaction(), block: 900 })
    expect(await assess()).toBe(1)
  })

  test('[S-04] of a wrong amount that was dropped may still confirm as well', async () => {
    const { id, first } = await batch(100)
    await sees({ ...first, units: first.units - 1n })
    await assess()
    await drops(first.transactionId)
    await assess()
    expect((await item(id)).alert).toBeNull()
    expect((await cancel(id)).code).toBe('wrong_state')
  })

  test('[S-04] that pays a second time raises an alert, in the console and in the log', async () => {
    const { id, first, number } = await batch(100)
    const told: unknown[] = []
    const log = Object.assign(Object.create(world.services.log), { error: (of: unknown) => told.push(of) })
    const assessing = async () => (await assessPayouts({ ...world.services, log }, 'ethereum')).paid
    await sees({ ...first, block: 900 })
    expect(await assessing()).toBe(1)
    const again = { ...first, transactionId: freshTransaction(), block: 901 }
    await sees(again)
    expect(await assessing()).toBe(0)
    expect(await item(id)).toMatchObject({
      state: 'paid',
      transactionId: first.transactionId,
      alert: { kind: 'paid_twice', transactionId: again.transactionId, amountCrypto: '100.000000' },
    })
    expect(told).toEqual([{ batch: id, transactionId: again.transactionId, alert: 'paid_twice' }])
    const toReview = await world.call(call.listPayouts, world.admin, {
      query: { status: 'faulty', q: number },
    })
    expect(toReview.data).toHaveLength(1)
    await unchanged(() => assessing())
    await drops(again.transactionId)
    await assessing()
    expect((await item(id)).alert).toBeNull()
  })

  test('[S-04] that is sent twice raises an alert at once, also while a freeze delays payment', async () => {
    const { id, first } = await batch(100)
    const reason = { reason: 'Asked for' }
    await world.call(freezeUser, world.admin, { params: { id: investor.id }, body: reason })
    await sees({ ...first, block: 900 })
    await sees({ ...first, transactionId: freshTransaction(), block: 901 })
    await assess()
    expect(await item(id)).toMatchObject({ state: 'open', alert: { kind: 'paid_twice' } })
    await world.call(unfreezeUser, world.admin, { params: { id: investor.id }, body: reason })
    expect(await assess()).toBe(1)
    expect(await item(id)).toMatchObject({ state: 'paid', alert: { kind: 'paid_twice' } })
  })

  test('that pays another batch to the same address is no second payment', async () => {
    const one = await approved()
    const other = await ask(investor, 100, { wallet: 'USDT ERC-20', walletAddress: one.walletAddress })
    await approve(other.data._id)
    const [first, second] = [await make([one._id]), await make([other.data._id])]
    const paying = { address: one.walletAddress, units: 100_000_000n, block: 900 }
    for (let each = 0; each < 2; each += 1) {
      await sees({ ...paying, transactionId: freshTransaction() })
    }
    expect(await assess()).toBe(2)
    expect([...(await logged(first.data._id)), ...(await logged(second.data._id))]).toEqual([
      'created',
      'created',
    ])
  })

  test('that pays another batch’s amount to the same address raises no alert here', async () => {
    const one = await approved()
    const other = await ask(investor, 50, { wallet: 'USDT ERC-20', walletAddress: one.walletAddress })
    await approve(other.data._id)
    const [first, second] = [await make([one._id]), await make([other.data._id])]
    const transactionId = freshTransaction()
    await sees({ transactionId, address: one.walletAddress, units: 50_000_000n, block: 900 })
    expect(await assess()).toBe(1)
    expect(await logged(first.data._id)).toEqual(['created'])
    expect((await get(second.data._id)).data.status).toBe('paid')
  })

  test('that a fee bump replaced is recognised as well', async () => {
    const { id, first } = await batch(100)
    await sees(first)
    await assess()
    const faster = { ...first, transactionId: freshTransaction(), block: 900 }
    await drops(first.transactionId)
    await sees(faster)
    expect(await assess()).toBe(1)
    expect((await item(id)).transactionId).toBe(faster.transactionId)
    expect((await withdrawal(first.withdrawal)).transactionId).toBe(faster.transactionId)
  })

  test('pays the older of two batches with the same amount and address', async () => {
    const older = await batch(100)
    await cancel(older.id)
    const twin = await approved()
    const { walletAddress } = twin
    const other = await ask(investor, 100, { wallet: 'USDT ERC-20', walletAddress })
    await approve(other.data._id)
    const [one, two] = [await make([twin._id]), await make([other.data._id])]
    const paying = { address: walletAddress, units: 100_000_000n, block: 900 }
    await sees({ ...paying, transactionId: freshTransaction() })
    expect(await assess()).toBe(1)
    expect([(await get(one.data._id)).data.status, (await get(two.data._id)).data.status]).toEqual([
      'paid',
      'open',
    ])
    await sees({ ...paying, transactionId: freshTransaction() })
    expect(await assess()).toBe(1)
    expect((await get(two.data._id)).data.status).toBe('paid')
  })

  test('that staff marked a withdrawal as paid with pays no batch', async () => {
    const walletAddress = freshAddress()
    const transactionId = freshTransaction()
    const [byHand, batched] = [
      await ask(investor, 100, { wallet: 'USDT ERC-20', walletAddress }),
      await ask(investor, 100, { wallet: 'USDT ERC-20', walletAddress }),
    ]
    for (const { data } of [byHand, batched]) await approve(data._id)
    const { data } = await make([batched.data._id])
    await pay(byHand.data._id, world.secondAdmin, transactionId)
    await sees({ transactionId, address: walletAddress, units: 100_000_000n, block: 900 })
    await unchanged(() => assess())
    expect((await item(data._id)).state).toBe('open')
  })
})

describe('a reorg', () => {
  test('raises an alert and reverses nothing; a new confirmation clears the alert', async () => {
    const { id, first } = await batch(100)
    await sees({ ...first, block: 900 })
    await assess()
    await sees({ ...first, block: null })
    await assess()
    expect(await item(id)).toMatchObject({
      state: 'paid',
      alert: { kind: 'dropped', transactionId: first.transactionId },
    })
    expect((await withdrawal(first.withdrawal)).status).toBe('paid')
    const toReview = await world.call(call.listPayouts, world.admin, { query: { status: 'faulty' } })
    expect(toReview.data.map(({ _id }) => _id)).toContain(id)
    await unchanged(() => assess())
    await sees({ ...first, block: 903 })
    await assess()
    expect((await item(id)).alert).toBeNull()
    expect(await logged(id)).toEqual(['created', 'alert_raised', 'alert_cleared'])
    expect((await balances()).held).toBe(0n)
  })

  test('that confirms an equal transaction instead updates the withdrawal’s transaction', async () => {
    const { id, first } = await batch(100)
    await sees({ ...first, block: 900 })
    await assess()
    await drops(first.transactionId)
    await assess()
    const other = { ...first, transactionId: freshTransaction(), block: 901 }
    await sees(other)
    await assess()
    expect(await item(id)).toMatchObject({ state: 'paid', alert: null, transactionId: other.transactionId })
    expect((await withdrawal(first.withdrawal)).transactionId).toBe(other.transactionId)
    expect((await balances()).held).toBe(0n)
  })
})

describe('a wrong amount', () => {
  test('raises an alert and pays nothing; only then staff may mark it as paid', async () => {
    const { id, first, number } = await batch(100)
    const wrong = { ...first, units: 99_000_000n, block: 900 }
    await sees(wrong)
    expect(await assess()).toBe(0)
    expect((await item(id)).alert).toMatchObject({
      kind: 'wrong_amount',
      token: 'USDT',
      amountCrypto: '99.000000',
    })
    await unchanged(() => assess())
    expect(await cancel(id)).toMatchObject({ code: 'wrong_state' })
    const paid = await pay(first.withdrawal, world.secondAdmin, wrong.transactionId)
    expect(paid.data).toMatchObject({ status: 'paid', batch: null })
    expect((await get(id)).data).toMatchObject({ number, status: 'paid', paid: 0, alerts: 0 })
    await unchanged(() => assess())
  })

  test('another token raises an alert as well, and the right one still pays', async () => {
    const { id, first } = await batch(100)
    await sees({ ...first, token: 'ETH', units: 5n, position: 0 })
    await assess()
    expect((await item(id)).alert).toMatchObject({
      kind: 'wrong_amount',
      token: 'ETH',
      amountCrypto: '0.000000005',
    })
    await sees({ ...first, transactionId: freshTransaction(), block: 900 })
    expect(await assess()).toBe(1)
    expect(await item(id)).toMatchObject({ state: 'paid', alert: null })
  })
})

test('[D7] a frozen account’s payout shows as seen, and is paid once the freeze ends', async () => {
  const { id, first } = await batch(100)
  const reason = { reason: 'Asked for' }
  await world.call(freezeUser, world.admin, { params: { id: investor.id }, body: reason })
  await sees({ ...first, block: 900 })
  expect(await assess()).toBe(0)
  expect(await item(id)).toMatchObject({ state: 'open', frozen: true, transactionId: first.transactionId })
  await unchanged(() => assess())
  await world.call(unfreezeUser, world.admin, { params: { id: investor.id }, body: reason })
  expect(await assess()).toBe(1)
  expect((await item(id)).state).toBe('paid')
})

test('batches’ addresses are watched until some weeks after the batches close', async () => {
  const { id, first } = await batch(100)
  const watched = async () => (await payoutAddresses(world.services.db, 'ethereum')).addresses
  expect(await watched()).toContain(first.address)
  expect((await payoutAddresses(world.services.db, 'bitcoin')).addresses).not.toContain(first.address)
  await sees({ ...first, block: 900 })
  await assess()
  expect(await watched()).toContain(first.address)
  await world.owner(`UPDATE app.payout_batches SET paid_at = now() - interval '31 days' WHERE id = '${id}'`)
  expect(await watched()).not.toContain(first.address)
})
