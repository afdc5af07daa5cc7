import { beforeEach, describe, expect, test } from 'vitest'
import type { TronPayoutFile } from '#server/rails/tron/payouts.ts'
import { addressKey } from '#shared/addresses.ts'
import {
  freshTransaction,
  fundedInvestor,
  openPayingWorld,
  payoutsIn,
  senders,
} from '#test/support/payouts.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeEach(async () => {
  world = await openPayingWorld()
  investor = await fundedInvestor(world)
})
const { approved: approvedFor } = withdrawalsIn(() => world)
const payouts = payoutsIn(() => world)
const { make, cancel, download, tip, sees, drops, alertOf, filesOf, paidByHand, unchanged } = payouts
const wallet = { wallet: 'USDT TRC-20' } as const
const approved = () => approvedFor(investor, 100, wallet)
const givenUp = () => payouts.givenUp(investor, wallet.wallet)
const assess = () => payouts.assess('usdt')
/** Time passes for us and then for the chain, whose tip has this height now. */
async function passes(minutes: number, height: number) {
  world.clock.pass({ minutes })
  await tip(height, 'usdt')
}
/** A transfer from a file to a withdrawal's address. */
const transferOf = ({ walletAddress }: { walletAddress: string }) => ({
  method: 'usdt' as const,
  transactionId: freshTransaction('usdt'),
  address: walletAddress,
  units: 100_000_000n,
  from: [addressKey(senders.usdt)],
})
/**
 * The same, seen unconfirmed and then dropped.
 * @returns its transaction
 */
async function seenAndGone(withdrawal: { walletAddress: string }) {
  const transfer = transferOf(withdrawal)
  await sees(transfer)
  await assess()
  await drops(transfer.transactionId)
  return transfer.transactionId
}

describe('the end of TRON’s payouts', () => {
  test('[S-04] each transfer is a whole transaction with a solid block and an expiry', async () => {
    const { data } = await make([(await approved())._id], wallet)
    const { transfers, expiresAt }: TronPayoutFile = JSON.parse((await download(data._id)).body)
    expect(expiresAt).toBe(data.expiresAt)
    expect(Date.parse(expiresAt) - Date.parse(data.createdAt)).toBe(20 * 3_600_000)
    // Block 998 is the highest with three confirmations.
    expect(transfers[0]!.transaction.raw_data).toMatchObject({
      ref_block_bytes: '03e6',
      ref_block_hash: 'b'.repeat(16),
      expiration: Date.parse(expiresAt),
    })
  })

  test('[S-04] no batch pays a withdrawal of a cancelled file until the file expires on chain', async () => {
    const { one, first } = await givenUp()
    await unchanged(async () =>
      expect(await make([one._id], wallet)).toMatchObject({
        code: 'wrong_state',
        reason: 'file_not_expired',
        message: expect.stringMatching(
          new RegExp(
            `^The file of cancelled batch ${first.number}, which pays ${one.invoiceId}, can be broadcast until .* UTC`,
          ),
        ),
      }),
    )
    world.clock.pass({ minutes: 1260 })
    // Our own clock is not the chain's.
    expect((await make([one._id], wallet)).code).toBe('wrong_state')
    await tip(1_030, 'usdt')
    expect((await make([one._id], wallet)).status).toBe(200)
  })

  test('[S-04] a cancelled file without expiry never expires: staff pay manually', async () => {
    const { one, first } = await givenUp()
    // As batches were created before their transactions had an expiry.
    await world.owner(`UPDATE app.payout_batches SET expires_at = NULL WHERE id = '${first._id}'`)
    await passes(2880, 1_030)
    await unchanged(async () =>
      expect(await make([one._id], wallet)).toMatchObject({
        status: 409,
        code: 'wrong_state',
        reason: 'file_never_expires',
      }),
    )
    // Nor has a dropped transfer, which a wallet may create again.
    const transactionId = await seenAndGone(one)
    await passes(2880, 1_060)
    const words = `The file of cancelled batch ${first.number}, which pays this withdrawal, never expires and may still be broadcast. The network once showed its transaction ${transactionId}.`
    expect(await filesOf(one._id)).toMatchObject([{ words }])
    const byHand = { transactionId: freshTransaction('usdt'), notBroadcast: true }
    expect((await paidByHand(one._id, byHand)).data.status).toBe('paid')
  })

  test('[S-04] blocks dated tomorrow expire nothing today', async () => {
    const { one } = await givenUp()
    const { _id: second } = (await make([(await approved())._id], wallet)).data
    await download(second)
    await world.owner("UPDATE app.chain_blocks SET time = time + interval '22 hours' WHERE method = 'usdt'")
    await unchanged(async () => {
      expect((await make([one._id], wallet)).reason).toBe('file_not_expired')
      expect((await cancel(second, world.secondAdmin)).reason).toBe('assignee_must_cancel')
    })
  })

  test('[S-04] the alert of a dropped transfer stays for a day, even past the file’s expiry', async () => {
    const { one, first } = await givenUp()
    world.clock.pass({ minutes: 1140 })
    await seenAndGone(one)
    await passes(120, 1_030)
    await assess()
    expect(await alertOf(first._id)).toMatchObject({ kind: 'paid_after_cancel', dropped: true })
    await passes(1380, 1_060)
    await assess()
    expect(await alertOf(first._id)).toBeNull()
    expect((await make([one._id], wallet)).status).toBe(200)
  })

  test('[S-04] an expired file cannot be downloaded; anyone may cancel it unless it was sent', async () => {
    const one = await approved()
    const { _id: id } = (await make([one._id], wallet)).data
    await download(id)
    world.clock.pass({ minutes: 1260 })
    expect((await download(id)).json().reason).toBe('file_expired')
    expect((await cancel(id, world.secondAdmin)).code).toBe('wrong_state')
    await tip(1_030, 'usdt')
    const transfer = { ...transferOf(one), block: 1_029 }
    await sees(transfer)
    expect((await cancel(id, world.secondAdmin)).code).toBe('wrong_state')
    await assess()
    expect((await cancel(id, world.secondAdmin)).code).toBe('wrong_state')
    await world.owner('DELETE FROM app.chain_transfers')
    await assess()
    expect((await cancel(id, world.secondAdmin)).status).toBe(200)
  })

  test('[S-04] a dropped transfer may confirm for a day at most', async () => {
    const one = await approved()
    const { _id: id } = (await make([one._id], wallet)).data
    await download(id)
    world.clock.pass({ minutes: 1140 })
    await seenAndGone(one)
    await assess()
    await passes(120, 1_030)
    expect((await cancel(id)).code).toBe('wrong_state')
    await passes(1380, 1_060)
    expect((await cancel(id)).status).toBe(200)
  })

  test('[S-04] so may one that was dropped before it was assessed', async () => {
    const one = await approved()
    const { _id: id } = (await make([one._id], wallet)).data
    await download(id)
    world.clock.pass({ minutes: 1140 })
    const transfer = transferOf(one)
    await sees(transfer)
    await drops(transfer.transactionId)
    await passes(120, 1_030)
    for (const who of [world.admin, world.secondAdmin]) {
      await unchanged(async () => expect((await cancel(id, who)).reason).toBe('transfer_dropped'))
    }
    await passes(1380, 1_060)
    expect((await cancel(id, world.secondAdmin)).status).toBe(200)
  })
})
