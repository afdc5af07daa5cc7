import { beforeEach, describe, expect, test } from 'vitest'
import { addressKey } from '#shared/addresses.ts'
import { readyForPayout } from '#shared/contract/payouts.ts'
import { freshTransaction, fundedInvestor, openPayingWorld, payoutsIn } from '#test/support/payouts.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'
import { payoutAddresses } from './watched-batches.ts'

/** An exported file, cancelled with the attestation that it was not broadcast, can be broadcast until its nonces are used. */
let world: World
let investor: Person
beforeEach(async () => {
  world = await openPayingWorld()
  investor = await fundedInvestor(world)
})
const { approved: approvedFor, pay } = withdrawalsIn(() => world)
const payouts = payoutsIn(() => world)
const { make, get, cancel, download, looks, sees, drops, assess, numbered, unchanged } = payouts
const { giveUp, alertOf, filesOf, paidByHand } = payouts
const approved = () => approvedFor(investor)
const givenUp = () => payouts.givenUp(investor)
const noncesOf = async (id: string) => (await get(id)).data.items.map(({ nonce }) => nonce)
/** The batches for which the audit log has an attestation that their files were not broadcast. */
async function attestedNotBroadcast(withdrawal: string) {
  const { rows } = await world.owner(
    `SELECT details FROM app.audit_log WHERE subject_id = '${withdrawal}' AND action = 'withdrawal.paid'`,
  )
  return rows[0].details.attestedNotBroadcast
}

describe('a cancelled file of Ethereum’s payouts', () => {
  test('[S-04] a cancelled file is watched as long as its withdrawal is unpaid', async () => {
    const [one, declined] = [await approved(), await approved()]
    const first = (await make([one._id])).data
    await giveUp(first._id)
    const other = (await make([declined._id])).data
    await cancel(other._id)
    await world.owner("UPDATE app.payout_batches SET cancelled_at = cancelled_at - interval '31 days'")
    const { addresses } = await payoutAddresses(world.services.db, 'ethereum')
    expect([...addresses]).toEqual([addressKey(one.walletAddress)])
    // Its own payment has used the nonce, which invalidates nothing.
    await sees({
      transactionId: freshTransaction(),
      address: one.walletAddress,
      units: 100_000_000n,
      block: 990,
    })
    await numbered(1)
    await assess()
    await unchanged(async () => expect((await make([one._id])).reason).toBe('unreviewed_payment'))
  })

  test('[S-04] it is watched until its nonce is used, also after a manual payment', async () => {
    const { one, first } = await givenUp()
    const byHand = freshTransaction()
    expect((await paidByHand(one._id, { transactionId: byHand, notBroadcast: true })).status).toBe(200)
    await world.owner("UPDATE app.payout_batches SET cancelled_at = cancelled_at - interval '31 days'")
    const watched = async () => [...(await payoutAddresses(world.services.db, 'ethereum')).addresses]
    expect(await watched()).toEqual([addressKey(one.walletAddress)])
    const transactionId = freshTransaction()
    await sees({ transactionId, address: one.walletAddress, units: 100_000_000n, block: 990 })
    await assess()
    expect(await alertOf(first._id)).toMatchObject({ kind: 'paid_twice', transactionId })
    await numbered(1, 0)
    expect(await watched()).toHaveLength(1)
    await numbered(1)
    expect(await watched()).toEqual([])
  })

  test('[S-04] the alert of a dropped transfer stays until it is invalidated', async () => {
    const { one, first } = await givenUp()
    const transactionId = freshTransaction()
    const sent = { transactionId, address: one.walletAddress, units: 100_000_000n }
    await sees(sent)
    await assess()
    expect(await alertOf(first._id)).toMatchObject({
      kind: 'paid_after_cancel',
      dropped: false,
      reviewed: null,
    })
    await drops(transactionId)
    await assess()
    expect(await alertOf(first._id)).toMatchObject({
      kind: 'paid_after_cancel',
      transactionId,
      dropped: true,
    })
    await unchanged(async () => {
      expect((await make([one._id])).reason).toBe('unreviewed_payment')
      expect((await paidByHand(one._id, { transactionId: freshTransaction() })).code).toBe('wrong_state')
    })
    const { data } = await world.call(readyForPayout, world.admin, { query: { wallet: 'USDT ERC-20' } })
    expect(data.withdrawals).toMatchObject([{ _id: one._id, flagged: first.number }])
    // Used, but not confirmed: it may be replaced.
    await numbered(1, 0)
    await unchanged(() => assess())
    await numbered(1)
    await assess()
    expect(await alertOf(first._id)).toBeNull()
    expect(await noncesOf((await make([one._id])).data._id)).toEqual([1])
  })

  test('[S-04] manual payment needs an attestation, or the transaction of the file', async () => {
    const [one, two, never] = [await approved(), await approved(), await approved()]
    const first = (await make([one._id, two._id])).data
    await giveUp(first._id)
    await cancel((await make([never._id])).data._id)
    expect(await filesOf(one._id)).toEqual([
      {
        batch: first._id,
        number: first.number,
        transactionId: null,
        shown: false,
        words: expect.stringMatching(
          new RegExp(
            `^The file of cancelled batch ${first.number}, which pays this withdrawal, may still be broadcast\\. It becomes invalid once another transaction using nonce 0 of 0x8ba1\\S+ is fully confirmed\\.$`,
          ),
        ),
      },
    ])
    // The investor sees none of the firm's internal steps.
    expect(await filesOf(one._id, investor)).toEqual([])
    await unchanged(async () =>
      expect(await paidByHand(one._id, { transactionId: freshTransaction() })).toMatchObject({
        status: 409,
        code: 'wrong_state',
        reason: 'file_may_be_broadcast',
      }),
    )
    const said = { transactionId: freshTransaction(), notBroadcast: true }
    expect((await paidByHand(one._id, said)).data.status).toBe('paid')
    expect(await attestedNotBroadcast(one._id)).toEqual([first.number])

    const transactionId = freshTransaction()
    await sees({ transactionId, address: two.walletAddress, units: 100_000_000n, block: 999 })
    await assess()
    expect(await filesOf(two._id)).toMatchObject([{ transactionId }])
    expect((await paidByHand(two._id, { transactionId })).data.status).toBe('paid')
    // Nobody exported the file of the third one.
    expect((await pay(never._id, world.secondAdmin, freshTransaction())).data.status).toBe('paid')
  })

  test('[S-04] no attestation overrides a broadcast file: only its transaction is accepted', async () => {
    const { one } = await givenUp()
    const transactionId = freshTransaction()
    const another = freshTransaction()
    await sees({ transactionId, address: one.walletAddress, units: 100_000_000n, block: 990 })
    const refused = () =>
      unchanged(async () =>
        expect(await paidByHand(one._id, { transactionId: another, notBroadcast: true })).toMatchObject({
          status: 409,
          code: 'wrong_state',
          reason: 'file_was_broadcast',
          message: expect.stringContaining(transactionId),
        }),
      )
    // Stored, and then assessed.
    await refused()
    await assess()
    await refused()
    expect(await filesOf(one._id)).toMatchObject([{ transactionId, shown: true }])
    expect((await paidByHand(one._id, { transactionId })).data.status).toBe('paid')
  })

  /** Two files of a withdrawal with different senders, the first of which was broadcast. */
  const former = '0x00000000000000000000000000000000000000f0'
  async function twoOut() {
    const { one, first } = await givenUp()
    const second = (await make([one._id])).data
    await giveUp(second._id)
    await world.owner(`UPDATE app.payout_batches SET sender = '${former}' WHERE id = '${second._id}'`)
    const sent = { address: one.walletAddress, units: 100_000_000n, block: 990 }
    const transactionId = freshTransaction()
    await sees({ ...sent, transactionId })
    const shown = async () => (await filesOf(one._id)).map(file => [file.number, file.shown])
    return { one, first, second, sent, transactionId, shown }
  }

  test('[S-04] of two files, only the one that was not broadcast needs an attestation', async () => {
    const { one, first, second, transactionId, shown } = await twoOut()
    expect(await shown()).toEqual([
      [first.number, true],
      [second.number, false],
    ])
    expect((await paidByHand(one._id, { transactionId })).message).toMatch(
      new RegExp(`^The file of cancelled batch ${second.number}, .* may still be broadcast`),
    )
    expect((await paidByHand(one._id, { transactionId, notBroadcast: true })).data.status).toBe('paid')
    expect(await attestedNotBroadcast(one._id)).toEqual([second.number])
  })

  test('[S-04] of two broadcast files, neither needs one: either transaction is accepted', async () => {
    const { one, first, second, sent, transactionId, shown } = await twoOut()
    await sees({ ...sent, transactionId: freshTransaction(), from: [former] })
    expect(await shown()).toEqual([
      [first.number, true],
      [second.number, true],
    ])
    expect((await paidByHand(one._id, { transactionId })).data.status).toBe('paid')
    expect(await attestedNotBroadcast(one._id)).toBeUndefined()
  })

  test('[S-04] a wrong amount of the next batch stays its own, also after it is settled', async () => {
    const { one, first } = await givenUp()
    const second = (await make([one._id])).data
    await download(second._id)
    const transactionId = freshTransaction()
    await sees({ transactionId, address: one.walletAddress, units: 90_000_000n, block: 990 })
    await assess()
    expect(await alertOf(second._id)).toMatchObject({ kind: 'wrong_amount', transactionId })
    expect(await alertOf(first._id)).toBeNull()
    expect(await filesOf(one._id)).toMatchObject([
      { number: first.number, transactionId: null, shown: false },
    ])
    const makeUp = { transactionId: freshTransaction(), notBroadcast: true }
    expect((await paidByHand(one._id, makeUp)).data.status).toBe('paid')
    await assess()
    expect([await alertOf(first._id), await alertOf(second._id)]).toEqual([null, null])
  })

  test('[S-04] an alert stays although another batch to the same address claims the transfer', async () => {
    const { one, first } = await givenUp()
    const other = await approvedFor(investor, 50, { walletAddress: one.walletAddress })
    const second = (await make([other._id])).data
    await download(second._id)
    const transactionId = freshTransaction()
    await sees({ transactionId, address: one.walletAddress, units: 100_000_000n, block: 990 })
    await assess()
    expect(await alertOf(second._id)).toMatchObject({ kind: 'wrong_amount', transactionId })
    expect(await alertOf(first._id)).toMatchObject({ kind: 'paid_after_cancel', transactionId })
    expect((await make([one._id])).reason).toBe('unreviewed_payment')
  })

  test('[S-04] a file that was never downloaded counts as not broadcast', async () => {
    const one = await approved()
    await cancel((await make([one._id])).data._id)
    const transactionId = freshTransaction()
    await sees({ transactionId, address: one.walletAddress, units: 100_000_000n, block: 990 })
    expect(await filesOf(one._id)).toEqual([])
  })

  test('[S-04] a seen transfer is invalidated once another confirmed one has used its nonce', async () => {
    const one = await approved()
    const first = (await make([one._id])).data
    await download(first._id)
    const transactionId = freshTransaction()
    const sent = { transactionId, address: one.walletAddress, units: 100_000_000n }
    await sees(sent)
    await assess()
    await drops(transactionId)
    await assess()
    await looks()
    const refused = (reason = 'transfer_dropped') =>
      unchanged(async () => expect((await cancel(first._id)).reason).toBe(reason))
    await world.owner('DELETE FROM app.sender_nonces')
    await refused()
    // Used, but not confirmed: it may be replaced.
    await numbered(1, 0)
    await refused()
    await numbered(1)
    // The same, stored and not assessed yet: some transaction has paid it.
    const again = { ...sent, transactionId: freshTransaction(), block: 998 }
    await sees(again)
    await refused('transfers_unsettled')
    await drops(again.transactionId)
    expect((await cancel(first._id, world.secondAdmin)).code).toBe('wrong_state')
    expect((await cancel(first._id)).status).toBe(200)
    expect(await noncesOf((await make([one._id])).data._id)).toEqual([1])
  })
})
