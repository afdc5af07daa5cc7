import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freezeUser } from '#shared/contract/console.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { fundedInvestor, openPayingWorld, payoutsIn } from '#test/support/payouts.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'
import { payoutAddresses } from './watched-batches.ts'

/** Who can cancel, take over or export a batch, and until when: it depends on what was or may be broadcast. */
let world: World
let investor: Person
beforeAll(async () => {
  world = await openPayingWorld()
})
beforeEach(async () => {
  investor = await fundedInvestor(world, 1_000_000n)
})
const { approved, pay } = withdrawalsIn(() => world)
const payouts = payoutsIn(() => world)
const { make, get, cancel, takeOver, download, tip, looks, sees, assess, unchanged } = payouts
const batch = (...amounts: number[]) => payouts.batchFor(investor, amounts)
const balances = () => world.balances(investor)
const withdrawal = async (id: string) => (await world.call(getWithdrawal, investor, { params: { id } })).data
const item = async (id: string) => (await get(id)).data.items[0]!

describe('cancelling', () => {
  test('[S-04] is refused while a transfer is unsettled; then the rest can be cancelled', async () => {
    const { id, payments } = await batch(100, 50)
    await sees(payments[0]!)
    await assess()
    expect(await cancel(id)).toMatchObject({
      code: 'wrong_state',
      reason: 'transfers_unsettled',
    })
    await sees({ ...payments[0]!, block: 900 })
    await assess()
    const cancelled = await cancel(id)
    expect(cancelled.data).toMatchObject({ status: 'cancelled', count: 2, paid: 1 })
    expect(cancelled.data.items.map(({ state }) => state)).toEqual(['paid', 'released'])
    expect((await make([payments[1]!.withdrawal])).status).toBe(200)
  })

  test('[S-04] cancelling and recognising race: one wins, and the money leaves once', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, first } = await batch(10)
      await sees({ ...first, block: 900 })
      const [cancelled, paid] = await Promise.all([cancel(id), assess()])
      const { status, items } = (await get(id)).data
      if (cancelled.status === 200) {
        // The payment that arrived anyway raises an alert.
        await assess()
        expect(status).toBe('cancelled')
        expect((await item(id)).alert?.kind).toBe('paid_after_cancel')
        expect((await pay(first.withdrawal, world.secondAdmin, first.transactionId)).data.status).toBe('paid')
        await assess()
        expect((await item(id)).alert).toBeNull()
      } else {
        expect([status, items[0]?.state, paid]).toEqual(['paid', 'paid', 1])
      }
    }
    expect((await balances()).held).toBe(0n)
    expect((await balances()).available).toBe(1_000_000n - 6_000n)
  })

  test('a cancelled batch that is broadcast raises an alert and can be marked as paid', async () => {
    const { id, first } = await batch(100)
    await cancel(id)
    expect([...(await payoutAddresses(world.services.db, 'ethereum')).addresses]).toContain(first.address)
    await sees(first)
    await assess()
    expect((await item(id)).alert).toMatchObject({
      kind: 'paid_after_cancel',
      transactionId: first.transactionId,
    })
    expect((await withdrawal(first.withdrawal)).status).toBe('approved')
    await unchanged(async () => expect((await make([first.withdrawal])).reason).toBe('unreviewed_payment'))
    await pay(first.withdrawal, world.secondAdmin, first.transactionId)
    await assess()
    expect((await item(id)).alert).toBeNull()
  })
})

describe('after the file was downloaded', () => {
  test('[S-04] the file cannot be downloaded while a payee is frozen', async () => {
    const { id } = await batch(100)
    await world.call(freezeUser, world.admin, { params: { id: investor.id }, body: { reason: 'Asked for' } })
    await unchanged(async () => expect((await download(id)).json().reason).toBe('payee_frozen'))
  })

  test('[S-04] nobody takes over a batch that pays them', async () => {
    await world.fund(world.secondAdmin, 100_000n, world.admin)
    const own = await approved(world.secondAdmin, 10)
    const made = await make([own._id])
    await unchanged(async () => expect((await takeOver(made.data._id)).code).toBe('own_request'))
  })

  test('[S-04] only the assignee cancels, and only while the network is synced', async () => {
    const { id, first } = await batch(100)
    await looks()
    await download(id)
    world.clock.pass({ minutes: 3 })
    await unchanged(async () => {
      expect((await cancel(id, world.secondAdmin)).reason).toBe('assignee_must_cancel')
      expect((await cancel(id)).reason).toBe('not_synced')
      expect((await download(id)).json().reason).toBe('not_synced')
    })
    const syncError = "sync_error = 'No answer', sync_error_since = now()"
    for (const state of [syncError, `${syncError}, halted = true`, 'tip_height = synced_height + 1']) {
      await looks('ethereum', state)
      expect((await cancel(id)).reason, state).toBe('not_synced')
      await looks()
    }
    expect((await download(id)).statusCode).toBe(200)
    expect((await cancel(id)).status).toBe(200)
    expect((await make([first.withdrawal])).status).toBe(200)
  })

  test('[S-04] nobody takes it over while the assignee may pay; then only cancelling is left', async () => {
    const { id } = await batch(100)
    const holder = await world.person('Holly Holder', 'finance')
    await takeOver(id, holder)
    expect((await download(id, holder)).statusCode).toBe(200)
    await unchanged(async () =>
      expect((await takeOver(id, world.admin)).reason).toBe('assignee_may_broadcast'),
    )
    await world.owner(`UPDATE app.users SET role = 'auditor' WHERE id = '${holder.id}'`)
    expect((await takeOver(id, world.admin)).status).toBe(200)
    await looks()
    expect((await download(id)).json().reason).toBe('exported_by_other')
    expect((await cancel(id)).status).toBe(200)
  })

  test('[S-04] a payment by the cancelled batch blocks the download of the next batch', async () => {
    const { id, first } = await batch(100)
    await looks()
    await download(id)
    await looks()
    await cancel(id)
    world.clock.pass({ minutes: 5 })
    await tip(1_000)
    const second = await make([first.withdrawal])
    await sees({ ...first, at: new Date(world.clock.now().getTime() - 240_000), block: 900 })
    await assess()
    expect((await item(id)).alert?.kind).toBe('paid_after_cancel')
    expect((await download(second.data._id)).json().reason).toBe('unreviewed_payment')
  })
})

test('[N-03] a batch tells each admin why they cannot cancel it or take it over', async () => {
  const { id, first } = await batch(100)
  const refusals = async (who = world.admin) => (await get(id, who)).data.refusals
  expect(await refusals()).toEqual({
    cancel: null,
    takeOver: expect.stringMatching(/^You are already responsible for this batch/),
  })
  expect(await refusals(world.secondAdmin)).toEqual({ cancel: null, takeOver: null })
  await download(id)
  // The pending sync is only a temporary refusal.
  expect((await cancel(id)).code).toBe('wrong_state')
  expect((await refusals()).cancel).toBeNull()
  expect(await refusals(world.secondAdmin)).toEqual({
    cancel: (await cancel(id, world.secondAdmin)).message,
    takeOver: (await takeOver(id)).message,
  })
  expect((await refusals(world.secondAdmin)).takeOver).toMatch(/has downloaded the file of this batch/)
  await sees(first)
  await assess()
  expect((await refusals()).cancel).toMatch(/^Transfers of this batch are on the network/)
  await tip(1_005)
  await sees({ ...first, block: 1_001 })
  await assess()
  expect((await get(id)).data.status).toBe('paid')
  expect(await refusals()).toEqual({ cancel: null, takeOver: null })
})
