import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { consoleSummary, freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import { decideMatch, listMatches } from '#shared/contract/screening.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { freshTransaction, fundedInvestor, openPayingWorld, payoutsIn } from '#test/support/payouts.ts'
import { importSdn } from '#test/support/sanctions.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openPayingWorld()
})
beforeEach(async () => {
  investor = await fundedInvestor(world)
  await tip(1_000)
  await tip(1_000, 'usdt')
})

const acts = payoutsIn(() => world)
const { tip, shows, drops, assess, get, make, cancel, download, acknowledge, batchFor, alertOf } = acts
const { declineUnpaid } = withdrawalsIn(() => world)
const nonceOf = ({ payments }: { payments: { slots: { slot: string }[] }[] }, position: number) =>
  Number(payments[position]!.slots[0]!.slot.split(':')[1])
const statusOf = async (id: string) => (await get(id)).data.status
const withdrawalOf = async (id: string) =>
  (await world.call(getWithdrawal, world.admin, { params: { id } })).data
const toReview = async () => (await world.call(consoleSummary, world.admin)).data.waiting.payoutAlerts.count

describe('a transaction that uses the slot and pays as planned', () => {
  test.each(['USDT ERC-20', 'Ethereum (ETH)', 'USDT TRC-20'] as const)(
    '[C-15] is the payment once it is final: %s',
    async wallet => {
      const batch = await batchFor(investor, [100], wallet)
      const rail = wallet === 'USDT TRC-20' ? 'usdt' : 'ethereum'
      const transactionId = rail === 'usdt' ? batch.payments[0]!.slots[0]!.slot : freshTransaction(rail)
      await shows(batch, { transactionId })
      expect(await assess(rail)).toBe(0)
      expect((await get(batch._id)).data).toMatchObject({
        status: 'broadcast',
        payments: [{ status: 'broadcast', usedBy: transactionId, confirmations: null }],
        items: [{ state: 'open', transactionId }],
      })
      await shows(batch, { transactionId, block: 999 })
      expect(await assess(rail)).toBe(0)
      expect((await get(batch._id)).data.payments[0]?.confirmations).toEqual({ have: 2, needed: 3 })
      await shows(batch, { transactionId, block: 998 })
      expect(await assess(rail)).toBe(1)
      expect((await get(batch._id)).data).toMatchObject({
        status: 'final',
        paid: 1,
        endedAt: expect.any(String),
      })
      const { _id } = batch.withdrawals[0]!
      expect(await withdrawalOf(_id)).toMatchObject({ status: 'paid', transactionId })
      expect(await assess(rail)).toBe(0)
    },
  )

  test('[S-04] may have another fee, or come from another file of the same slot', async () => {
    const batch = await batchFor(investor, [100])
    const [first, second] = [freshTransaction(), freshTransaction()]
    await shows(batch, { transactionId: first })
    await assess()
    await drops(first)
    await shows(batch, { transactionId: second, block: 900 })
    expect(await assess()).toBe(1)
    expect(await withdrawalOf(batch.withdrawals[0]!._id)).toMatchObject({ transactionId: second })
  })

  test('[S-04] two workers that see it at once pay once', async () => {
    const batch = await batchFor(investor, [100])
    await shows(batch, { transactionId: freshTransaction(), block: 900 })
    const paid = await Promise.all([assess(), assess(), assess()])
    expect(paid.reduce((sum, one) => sum + one, 0)).toBe(1)
    expect(await statusOf(batch._id)).toBe('final')
  })

  test('[C-20] of a frozen account is marked as paid after the freeze', async () => {
    const batch = await batchFor(investor, [100])
    await world.call(freezeUser, world.admin, { params: { id: investor.id }, body: { reason: 'Asked for' } })
    await shows(batch, { transactionId: freshTransaction(), block: 900 })
    expect(await assess()).toBe(0)
    expect((await get(batch._id)).data).toMatchObject({ status: 'broadcast', items: [{ frozen: true }] })
    await world.call(unfreezeUser, world.admin, { params: { id: investor.id }, body: { reason: 'Cleared' } })
    expect(await assess()).toBe(1)
  })

  test('[C-20] of an owner on a sanctions list is marked as paid during the freeze', async () => {
    const batch = await batchFor(investor, [100])
    await world.owner(`UPDATE app.users SET name = 'Ali Khorashadizadeh' WHERE id = '${investor.id}'`)
    await importSdn(world, [{ uid: 25308, first: 'Ali', last: 'KHORASHADIZADEH' }])
    const [match] = (await world.call(listMatches, world.admin, { query: { q: investor.id } })).data
    const params = { id: match!._id }
    await world.call(decideMatch, world.admin, { params, body: { decision: 'same', reason: 'Same date' } })
    await shows(batch, { transactionId: freshTransaction(), block: 900 })
    expect(await assess()).toBe(1)
    expect(await withdrawalOf(batch.withdrawals[0]!._id)).toMatchObject({ status: 'paid' })
  })

  test('[S-04] the payments of a batch end one by one', async () => {
    const batch = await batchFor(investor, [100, 50])
    await shows(batch, { payment: 0, transactionId: freshTransaction(), block: 900 })
    expect(await assess()).toBe(1)
    expect((await get(batch._id)).data).toMatchObject({
      status: 'drafted',
      payments: [{ status: 'final' }, { status: 'drafted' }],
    })
    await shows(batch, { payment: 1, transactionId: freshTransaction(), block: 900 })
    expect(await assess()).toBe(1)
    expect(await statusOf(batch._id)).toBe('final')
  })
})

describe('a transaction that uses the slot otherwise', () => {
  test.each([
    ['pays nobody', 0n],
    ['pays too little', 99_999_999n],
    ['pays too much', 100_000_001n],
  ])('[C-15] is a fault with its id, and pays nothing in the books: %s', async (_, units) => {
    const batch = await batchFor(investor, [100])
    const before = await toReview()
    const transactionId = freshTransaction()
    await shows(batch, { transactionId, block: 999, units })
    expect(await assess()).toBe(0)
    expect(await alertOf(batch._id)).toMatchObject({ kind: 'otherwise', transactionId, reviewed: null })
    expect(await toReview()).toBe(before + 1)
    expect(await withdrawalOf(batch.withdrawals[0]!._id)).toMatchObject({ status: 'approved' })
  })

  test('[S-04] makes the withdrawal free once it is final, and payable after a review', async () => {
    const batch = await batchFor(investor, [100])
    const { _id, invoiceId } = batch.withdrawals[0]!
    const transactionId = freshTransaction()
    await shows(batch, { transactionId, block: 999, units: 0n })
    await assess()
    expect(await make([_id])).toMatchObject({ reason: 'already_in_batch' })
    await shows(batch, { transactionId, block: 900, units: 0n })
    await assess()
    expect(await statusOf(batch._id)).toBe('void')
    expect(await make([_id])).toMatchObject({
      reason: 'unreviewed_alert',
      message: expect.stringContaining(`${batch.number}, which was to pay ${invoiceId}`),
    })
    expect((await acknowledge(batch._id, [transactionId])).status).toBe(200)
    const next = await make([_id])
    expect(next.status).toBe(200)
    // The nonce of the first is used.
    expect(next.data.payments[0]?.slots).not.toEqual(batch.payments[0]?.slots)
  })

  test('[S-04] in a mempool says nothing yet where a node does not show what it pays', async () => {
    const batch = await batchFor(investor, [100])
    const transactionId = freshTransaction()
    await shows(batch, { transactionId, units: 0n })
    await assess()
    expect(await alertOf(batch._id)).toBeNull()
    expect(await statusOf(batch._id)).toBe('broadcast')
  })

  test('[S-04] its fault ends if a reorg lets the payment take its place', async () => {
    const batch = await batchFor(investor, [100])
    const [other, planned] = [freshTransaction(), freshTransaction()]
    await shows(batch, { transactionId: other, block: 999, units: 0n })
    await assess()
    await drops(other)
    await shows(batch, { transactionId: planned, block: 900 })
    expect(await assess()).toBe(1)
    expect(await alertOf(batch._id)).toBeNull()
  })
})

describe('a reorg', () => {
  test('[K-03] of an unconfirmed payment leaves it open, and the batch says so', async () => {
    const batch = await batchFor(investor, [100])
    const transactionId = freshTransaction()
    await shows(batch, { transactionId, block: 999 })
    await assess()
    await drops(transactionId)
    await assess()
    expect((await get(batch._id)).data).toMatchObject({
      status: 'broadcast',
      payments: [{ status: 'broadcast', usedBy: null, confirmations: null }],
      items: [{ state: 'open', transactionId: null }],
    })
    const { _id } = batch.withdrawals[0]!
    expect((await withdrawalOf(_id)).batch).toMatchObject({ status: 'broadcast', shown: false })
    await shows(batch, { transactionId, block: 900 })
    expect(await assess()).toBe(1)
  })

  test('[K-03] of a final payment raises an alert, which ends when it returns', async () => {
    const batch = await batchFor(investor, [100])
    const transactionId = freshTransaction()
    await shows(batch, { transactionId, block: 900 })
    await assess()
    await drops(transactionId)
    await assess()
    expect(await alertOf(batch._id)).toMatchObject({ kind: 'dropped', transactionId, dropped: true })
    expect(await withdrawalOf(batch.withdrawals[0]!._id)).toMatchObject({ status: 'paid' })
    await shows(batch, { transactionId, block: 901 })
    await assess()
    expect(await alertOf(batch._id)).toBeNull()
  })

  test('[K-03] that leaves a final payment in the mempool alone is told until a block has it', async () => {
    const batch = await batchFor(investor, [100])
    const transactionId = freshTransaction()
    await shows(batch, { transactionId, block: 900 })
    await assess()
    await shows(batch, { transactionId })
    await assess()
    expect(await alertOf(batch._id)).toMatchObject({ kind: 'dropped', transactionId, dropped: false })
    await drops(transactionId)
    await assess()
    // We broadcast it, and our node has it again.
    await shows(batch, { transactionId })
    await assess()
    expect(await alertOf(batch._id)).toMatchObject({ kind: 'dropped', transactionId })
    await shows(batch, { transactionId, block: 901 })
    await assess()
    expect(await alertOf(batch._id)).toBeNull()
  })

  test('[K-03] that puts another payment into the mempool alone keeps the paid id', async () => {
    const batch = await batchFor(investor, [100])
    const [first, second] = [freshTransaction(), freshTransaction()]
    await shows(batch, { transactionId: first, block: 900 })
    await assess()
    await drops(first)
    await shows(batch, { transactionId: second })
    await assess()
    expect(await alertOf(batch._id)).toMatchObject({ kind: 'dropped', transactionId: first })
    expect(await withdrawalOf(batch.withdrawals[0]!._id)).toMatchObject({ transactionId: first })
    await shows(batch, { transactionId: second, block: 901 })
    await assess()
    expect(await alertOf(batch._id)).toBeNull()
    expect(await withdrawalOf(batch.withdrawals[0]!._id)).toMatchObject({ transactionId: second })
  })

  test('[K-03] that replaces a final payment by its own cancellation is a fault', async () => {
    const batch = await batchFor(investor, [100])
    await download(batch._id)
    await cancel(batch._id)
    const [paid, cancelling] = [freshTransaction(), freshTransaction()]
    await shows(batch, { transactionId: paid, block: 900 })
    await assess()
    await drops(paid)
    await shows(batch, { transactionId: cancelling, block: 901, units: 0n })
    await assess()
    expect(await alertOf(batch._id)).toMatchObject({ kind: 'otherwise', transactionId: cancelling })
  })

  test('[K-03] that replaces a final payment by another of the slot names the new one', async () => {
    const batch = await batchFor(investor, [100])
    const [first, second] = [freshTransaction(), freshTransaction()]
    await shows(batch, { transactionId: first, block: 900 })
    await assess()
    await drops(first)
    await shows(batch, { transactionId: second, block: 901 })
    await assess()
    expect(await withdrawalOf(batch.withdrawals[0]!._id)).toMatchObject({ transactionId: second })
    expect(await alertOf(batch._id)).toBeNull()
  })

  test('[K-03] that replaces a final payment by something else is a fault', async () => {
    const batch = await batchFor(investor, [100])
    const [first, second] = [freshTransaction(), freshTransaction()]
    await shows(batch, { transactionId: first, block: 900 })
    await assess()
    await drops(first)
    await shows(batch, { transactionId: second, block: 901, units: 0n })
    await assess()
    expect(await alertOf(batch._id)).toMatchObject({ kind: 'otherwise', transactionId: second })
  })
})

describe('cancelling', () => {
  test('[S-04] is done at once while nobody has the file', async () => {
    const batch = await batchFor(investor, [100, 50])
    const { data } = await cancel(batch._id)
    expect(data).toMatchObject({
      status: 'void',
      cancelReason: 'The device is lost',
      files: [{ version: 1 }],
    })
    expect(data.items.map(({ state }) => state)).toEqual(['released', 'released'])
    const again = await make(batch.withdrawals.map(({ _id }) => _id))
    expect(again.data.payments.map(({ slots }) => slots)).toEqual(batch.payments.map(({ slots }) => slots))
  })

  test('[S-04] of an exported file frees nothing before the network says so', async () => {
    const batch = await batchFor(investor, [100])
    const { _id } = batch.withdrawals[0]!
    await download(batch._id)
    const { data } = await cancel(batch._id)
    expect(data).toMatchObject({
      status: 'drafted',
      cancelledAt: expect.any(String),
      files: [{ purpose: 'payment' }, { purpose: 'cancellation', version: 2 }],
    })
    expect(await make([_id])).toMatchObject({ reason: 'already_in_batch' })
    expect(await declineUnpaid(_id)).toMatchObject({ status: 409 })
    const transactionId = freshTransaction()
    await shows(batch, { transactionId, block: 900, units: 0n })
    await assess()
    expect((await get(batch._id)).data).toMatchObject({ status: 'void', alerts: 0 })
    expect((await make([_id])).status).toBe(200)
  })

  test('[S-04] of an exported file loses against its payment', async () => {
    const batch = await batchFor(investor, [100])
    await download(batch._id)
    await cancel(batch._id)
    await shows(batch, { transactionId: freshTransaction(), block: 900 })
    expect(await assess()).toBe(1)
    expect(await statusOf(batch._id)).toBe('final')
  })

  test('[S-04] on TRON waits for the expiry of the file', async () => {
    const batch = await batchFor(investor, [100], 'USDT TRC-20')
    const { _id } = batch.withdrawals[0]!
    await download(batch._id)
    expect((await cancel(batch._id)).data).toMatchObject({ status: 'drafted', files: [{ version: 1 }] })
    await assess('usdt')
    expect(await make([_id], { wallet: 'USDT TRC-20' })).toMatchObject({ reason: 'already_in_batch' })
    world.clock.pass({ minutes: 20 * 60 + 10 })
    // A block of a time before the expiry proves nothing.
    await assess('usdt')
    expect(await statusOf(batch._id)).toBe('drafted')
    await world.refreshPrices()
    await tip(1_010, 'usdt')
    await assess('usdt')
    expect(await statusOf(batch._id)).toBe('void')
    expect((await make([_id], { wallet: 'USDT TRC-20' })).status).toBe(200)
  })

  test('[S-04] is asked once; a higher fee then makes another file that cancels', async () => {
    const batch = await batchFor(investor, [100])
    await download(batch._id)
    await cancel(batch._id)
    expect(await cancel(batch._id)).toMatchObject({ reason: 'being_cancelled' })
    const { data } = await acts.raiseFee(batch._id)
    expect(data.files.map(({ purpose }) => purpose)).toEqual(['payment', 'cancellation', 'cancellation'])
  })
})

describe('the database itself', () => {
  test('[S-04] keeps a payment whose file somebody has from being void', async () => {
    const batch = await batchFor(investor, [100])
    await download(batch._id)
    const { app } = world.database
    const where = `batch_id = '${batch._id}'`
    const inOne = (...changes: string[]) =>
      app.query(`BEGIN; ${changes.map(change => `UPDATE ${change} WHERE ${where};`).join(' ')} COMMIT`)
    const released = "app.payout_items SET state = 'released'"
    for (const [changes, words] of [
      [[released], /item 0 .* is not released/],
      [["app.payout_items SET state = 'paid', transaction_id = 'x'"], /item 0 .* is not paid/],
      [['app.payout_slots SET held = false'], /is held/],
      [['app.payout_files SET exported_at = NULL'], /a file that somebody has stays so/],
      [[released, "app.payout_payments SET status = 'void'"], /may still be broadcast/],
      [[released, "app.payout_payments SET status = 'void', used_by = 'x'"], /no block shows transaction x/],
    ] as const) {
      await expect(inOne(...changes), changes.join(' ')).rejects.toThrow(words)
    }
    expect((await get(batch._id)).data).toMatchObject({ status: 'drafted', items: [{ state: 'open' }] })
  })

  test('[S-04] a cancelled nonce below a held one is used by a transaction, not left out', async () => {
    const [one, two] = [await batchFor(investor, [100]), await batchFor(investor, [50])]
    expect((await cancel(one._id)).data).toMatchObject({
      status: 'drafted',
      files: [{}, { purpose: 'cancellation' }],
    })
    expect((await cancel(two._id)).data).toMatchObject({ status: 'void' })
  })

  test('[S-04] a nonce names the unsigned one that must come before it, until a block has that', async () => {
    // No other test's batch is before these.
    const own = await openPayingWorld()
    const { tip, get, shows, assess, sign, batchFor, signedByWallet } = payoutsIn(() => own)
    await tip(1_000)
    const who = await fundedInvestor(own)
    const one = await batchFor(who, [100, 50])
    const two = await batchFor(who, [70])
    const waits = async (id: string) => (await get(id)).data.payments.map(({ waitsFor }) => waitsFor)
    const first = { batch: one._id, number: one.number, nonce: nonceOf(one, 0) }
    expect(await waits(one._id)).toEqual([null, first])
    expect(await waits(two._id)).toEqual([first])
    await shows(one, { transactionId: freshTransaction(), block: 990 })
    await assess()
    const second = { ...first, nonce: nonceOf(one, 1) }
    expect(await waits(one._id)).toEqual([null, null])
    expect(await waits(two._id)).toEqual([second])
    await sign(one._id, (await signedByWallet(one._id)).split('\n')[1]!)
    expect(await waits(two._id)).toEqual([null])
  })

  test('[S-04] never lets two payments hold one slot, or a payment return', async () => {
    const [one, two] = [await batchFor(investor, [100]), await batchFor(investor, [50])]
    const { app } = world.database
    await expect(
      app.query(`INSERT INTO app.payout_slots (batch_id, payment, slot, version) VALUES ($1, 0, $2, 2)`, [
        two._id,
        one.payments[0]!.slots[0]!.slot,
      ]),
    ).rejects.toThrow(/payout_slots_held/)
    await cancel(two._id)
    await expect(
      app.query(`UPDATE app.payout_payments SET status = 'signed' WHERE batch_id = $1`, [two._id]),
    ).rejects.toThrow(/has ended/)
  })
})
