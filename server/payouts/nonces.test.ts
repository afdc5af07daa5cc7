import { beforeEach, describe, expect, test } from 'vitest'
import type { EthereumPayoutFile } from '#server/rails/ethereum/payouts.ts'
import { newPayout, previewPayout } from '#shared/contract/payouts.ts'
import { fundedInvestor, openPayingWorld, payoutsIn } from '#test/support/payouts.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeEach(async () => {
  world = await openPayingWorld()
  investor = await fundedInvestor(world)
})
const { approved: approvedFor } = withdrawalsIn(() => world)
const { make, get, cancel, download, looks, numbered, giveUp, givenUp, unchanged } = payoutsIn(() => world)
const approved = (wallet = 'USDT ERC-20') => approvedFor(investor, 100, { wallet })
const noncesOf = async (id: string) => (await get(id)).data.items.map(({ nonce }) => nonce)

describe('the nonces of Ethereum’s payouts', () => {
  test('[S-04] each transfer has its own, from the sender’s next one, across coins and batches', async () => {
    await numbered(7)
    const [one, two, three] = [await approved(), await approved(), await approved('Ethereum (ETH)')]
    const first = (await make([one._id, two._id])).data
    const second = (await make([three._id], { wallet: 'Ethereum (ETH)' })).data
    expect([await noncesOf(first._id), await noncesOf(second._id)]).toEqual([[7, 8], [9]])
    const { transactions }: EthereumPayoutFile = JSON.parse((await download(first._id)).body)
    expect(transactions.map(({ nonce, reference }) => [nonce, reference])).toEqual([
      [7, one.invoiceId],
      [8, two.invoiceId],
    ])
  })

  test('[S-04] two concurrent batches get different ones', async () => {
    const [one, two] = [await approved(), await approved()]
    const made = await Promise.all([make([one._id]), make([two._id], {}, world.secondAdmin)])
    const nonces = (await Promise.all(made.map(({ data }) => noncesOf(data._id)))).flat()
    expect(nonces.toSorted()).toEqual([0, 1])
  })

  test('[S-04] a withdrawal of a cancelled file keeps its nonce, so that only one confirms', async () => {
    const [one, two, other] = [await approved(), await approved(), await approved()]
    const first = (await make([one._id, two._id])).data
    await giveUp(first._id)
    // Fills the gap: the transaction with nonce 0 now invalidates the first file's payment of `one`.
    const between = (await make([other._id])).data
    expect(await noncesOf(between._id)).toEqual([0])
    await unchanged(async () =>
      expect(await make([one._id])).toMatchObject({
        code: 'wrong_state',
        reason: 'nonce_reserved',
        message: expect.stringContaining(`which batch ${between.number} uses now`),
      }),
    )
    expect(await noncesOf((await make([two._id])).data._id)).toEqual([1])
    const refused = await world.call(previewPayout, world.admin, {
      query: { wallet: 'USDT ERC-20', withdrawals: one._id },
    })
    expect(refused.code).toBe('wrong_state')
    // Mined, but not confirmed: it may be replaced.
    await numbered(2, 0)
    expect((await make([one._id])).code).toBe('wrong_state')
    await numbered(2, 1)
    expect(await noncesOf((await make([one._id])).data._id)).toEqual([2])
  })

  test('[S-04] two withdrawals that keep the same nonce need separate batches', async () => {
    const [one, two] = [await approved(), await approved()]
    for (const { _id } of [one, two]) {
      const { data } = await make([_id])
      expect(await noncesOf(data._id)).toEqual([0])
      await giveUp(data._id)
    }
    await unchanged(async () =>
      expect(await make([one._id, two._id])).toMatchObject({
        code: 'wrong_state',
        reason: 'nonce_shared',
        message: expect.stringContaining(`Put ${two.invoiceId} into a batch of its own`),
      }),
    )
    expect((await make([one._id])).status).toBe(200)
  })

  test('[S-04] a file that was never downloaded keeps none', async () => {
    const [one, two] = [await approved(), await approved()]
    const first = (await make([one._id])).data
    await cancel(first._id)
    expect(await noncesOf((await make([two._id])).data._id)).toEqual([0])
    expect(await noncesOf((await make([one._id])).data._id)).toEqual([1])
  })

  test('[S-04] the file of a former payout address must be invalidated first', async () => {
    const { one, first } = await givenUp(investor)
    const former = '0x00000000000000000000000000000000000000f0'
    await world.owner(`UPDATE app.payout_items SET sender = '${former}' WHERE batch_id = '${first._id}'`)
    expect((await make([one._id])).reason).toBe('nonce_of_other_sender')
  })

  test('[S-04] batches need a sync of the network', async () => {
    await world.owner('DELETE FROM app.sender_nonces')
    const one = await approved()
    await unchanged(async () => expect((await make([one._id])).reason).toBe('not_synced'))
  })

  test.each([
    ['was synced minutes ago', 'halted = false', { minutes: 3 }],
    ['is not synced to the tip', 'tip_height = synced_height + 1', {}],
    ['cannot be read', "sync_error = 'it cannot be reached', sync_error_since = now()", {}],
    ['has stopped', "halted = true, sync_error = 'None of the last', sync_error_since = now()", {}],
  ])('[S-04] no batch is created from a network that %s', async (_, state, later) => {
    const one = await approved()
    await looks('ethereum', state)
    world.clock.pass(later)
    const body = { wallet: 'USDT ERC-20' as const, withdrawals: [one._id] }
    await unchanged(async () =>
      expect(await world.call(newPayout, world.admin, { body })).toMatchObject({
        status: 409,
        code: 'wrong_state',
        reason: 'not_synced',
      }),
    )
    await looks()
    expect(await world.call(newPayout, world.admin, { body })).toMatchObject({ status: 200 })
  })

  test('[S-04] nor with an outdated nonce, as of an address that was replaced meanwhile', async () => {
    const one = await approved()
    await looks()
    await world.owner("UPDATE app.sender_nonces SET synced_at = synced_at - interval '3 minutes'")
    const body = { wallet: 'USDT ERC-20' as const, withdrawals: [one._id] }
    const made = () => world.call(newPayout, world.admin, { body })
    await unchanged(async () => expect((await made()).reason).toBe('not_synced'))
    await looks()
    expect(await made()).toMatchObject({ status: 200 })
  })

  test('[S-04] the database refuses the same nonce twice', async () => {
    const [one, two] = [await approved(), await approved()]
    await make([one._id, two._id])
    await expect(world.owner('UPDATE app.payout_items SET nonce = 0')).rejects.toThrow(/payout_items_nonces/)
  })
})
