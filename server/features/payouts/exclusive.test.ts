import { beforeEach, describe, expect, test } from 'vitest'
import { payoutAddresses } from '#server/payments/payouts/assess.ts'
import type { EthereumPayoutFile } from '#server/rails/ethereum/payouts.ts'
import type { TronPayoutFile } from '#server/rails/tron/payouts.ts'
import { addressKey } from '#shared/addresses.ts'
import { newPayout, previewPayout, readyForPayout } from '#shared/contract/payouts.ts'
import { getWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { ethereumTransaction, payers, payingRails, payoutsIn } from '#test/support/payouts.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** What makes a signed file of separate transfers exclude itself and its successors, by the rules of its network. */
let world: World
let investor: Person
let numbers = 0
const next = () => (numbers += 1)
beforeEach(async () => {
  world = await openWorld({ ...payingRails, rateLimit: false })
  await tip(1_000)
  await tip(1_000, 'usdt')
  investor = await world.person('Ines Investor')
  await world.fund(investor, 10_000_000n)
})
const { ask, approve, pay } = withdrawalsIn(() => world)
const { make, get, cancel, takeOver, download, tip, looks, sees, drops, assess, numbered } = payoutsIn(
  () => world,
)

async function approved(wallet = 'USDT ERC-20', amount = 100) {
  const walletAddress =
    wallet === 'USDT TRC-20' ? tronAddresses[next() % 2]! : `0x${next().toString(16).padStart(40, '0')}`
  const { data } = await ask(investor, amount, { wallet, walletAddress })
  return (await approve(data._id)).data
}
const tronAddresses = ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCX']
const noncesOf = async (id: string) => (await get(id)).data.items.map(({ nonce }) => nonce)
const file = async <Form>(id: string): Promise<Form> => JSON.parse((await download(id)).body)
/** Downloaded, said not to be sent, and cancelled. */
async function giveUp(id: string) {
  expect((await download(id)).statusCode).toBe(200)
  await looks()
  await looks('usdt')
  expect((await cancel(id)).status).toBe(200)
}
const faultOf = async (id: string) => (await get(id)).data.items[0]!.fault
const filesOf = async (id: string, who = world.admin) =>
  (await world.call(getWithdrawal, who, { params: { id } })).data.filesOut
const paidByHand = (id: string, body: { transactionId: string; notBroadcast?: boolean }) =>
  world.call(payWithdrawal, world.admin, { params: { id }, body })
const unchanged = async (act: () => Promise<unknown>) => {
  const before = await world.state()
  await act()
  expect(await world.state()).toBe(before)
}

describe('the nonces of Ethereum’s payouts', () => {
  test('[S-04] each transfer has one of its own, from the payer’s next one on, also over two coins and batches', async () => {
    await numbered(7)
    const [one, two, three] = [await approved(), await approved(), await approved('Ethereum (ETH)')]
    const first = (await make([one._id, two._id])).data
    const second = (await make([three._id], { wallet: 'Ethereum (ETH)' })).data
    expect([await noncesOf(first._id), await noncesOf(second._id)]).toEqual([[7, 8], [9]])
    const { transactions } = await file<EthereumPayoutFile>(first._id)
    expect(transactions.map(({ nonce, reference }) => [nonce, reference])).toEqual([
      [7, one.invoiceId],
      [8, two.invoiceId],
    ])
  })

  test('[S-04] of two made at the same time each has its own', async () => {
    const [one, two] = [await approved(), await approved()]
    const made = await Promise.all([make([one._id]), make([two._id], {}, world.secondAdmin)])
    const nonces = (await Promise.all(made.map(({ data }) => noncesOf(data._id)))).flat()
    expect(nonces.toSorted()).toEqual([0, 1])
  })

  test('[S-04] a withdrawal of a cancelled file keeps its nonce while that can be mined, so that one of the two is', async () => {
    const [one, two, other] = [await approved(), await approved(), await approved()]
    const first = (await make([one._id, two._id])).data
    await giveUp(first._id)
    // Fills the gap: what has nonce 0 now excludes the first file's payment of `one`.
    const between = (await make([other._id])).data
    expect(await noncesOf(between._id)).toEqual([0])
    await unchanged(async () =>
      expect(await make([one._id])).toMatchObject({
        code: 'wrong_state',
        message: expect.stringMatching(
          new RegExp(
            `^The file of cancelled batch ${first.number}, which pays ${one.invoiceId} with nonce 0, can still be signed. Batch ${between.number} is to be used first`,
          ),
        ),
      }),
    )
    expect(await noncesOf((await make([two._id])).data._id)).toEqual([1])
    const fault = await world.call(previewPayout, world.admin, {
      query: { wallet: 'USDT ERC-20', withdrawals: one._id },
    })
    expect(fault.code).toBe('wrong_state')
    // Mined, but not as deep as payments count: it may come back.
    await numbered(2, 0)
    expect((await make([one._id])).code).toBe('wrong_state')
    await numbered(2, 1)
    expect(await noncesOf((await make([one._id])).data._id)).toEqual([2])
  })

  test('[S-04] what a cancelled file pays is looked out for as long as its withdrawal is to be paid', async () => {
    const [one, declined] = [await approved(), await approved()]
    const first = (await make([one._id])).data
    await giveUp(first._id)
    const other = (await make([declined._id])).data
    await cancel(other._id)
    await world.owner("UPDATE app.payout_batches SET cancelled_at = cancelled_at - interval '31 days'")
    const { addresses } = await payoutAddresses(world.services.db, 'ethereum')
    expect([...addresses]).toEqual([addressKey(one.walletAddress)])
    // Its payment alone has used the nonce up: that excludes nothing.
    await sees({
      transactionId: ethereumTransaction(next()),
      address: one.walletAddress,
      units: 100_000_000n,
      block: 990,
    })
    await numbered(1)
    await assess()
    await unchanged(async () =>
      expect((await make([one._id])).message).toMatch(/Look at that batch first: do not pay it twice/),
    )
  })

  test('[S-04] it is looked out for until its nonce is used, also where its withdrawal was paid by hand since', async () => {
    const one = await approved()
    const first = (await make([one._id])).data
    await giveUp(first._id)
    const byHand = ethereumTransaction(next())
    expect((await paidByHand(one._id, { transactionId: byHand, notBroadcast: true })).status).toBe(200)
    await world.owner("UPDATE app.payout_batches SET cancelled_at = cancelled_at - interval '31 days'")
    const watched = async () => [...(await payoutAddresses(world.services.db, 'ethereum')).addresses]
    expect(await watched()).toEqual([addressKey(one.walletAddress)])
    const transactionId = ethereumTransaction(next())
    await sees({ transactionId, address: one.walletAddress, units: 100_000_000n, block: 990 })
    await assess()
    expect(await faultOf(first._id)).toMatchObject({ kind: 'again', transactionId })
    await numbered(1, 0)
    expect(await watched()).toHaveLength(1)
    await numbered(1)
    expect(await watched()).toEqual([])
  })

  test('[S-04] what was seen of a cancelled file stays flagged once the network drops it, until it is excluded', async () => {
    const one = await approved()
    const first = (await make([one._id])).data
    await giveUp(first._id)
    const transactionId = ethereumTransaction(next())
    const sent = { transactionId, address: one.walletAddress, units: 100_000_000n }
    await sees(sent)
    await assess()
    expect(await faultOf(first._id)).toMatchObject({ kind: 'cancelled', gone: false, looked: null })
    await drops(transactionId)
    await assess()
    expect(await faultOf(first._id)).toMatchObject({ kind: 'cancelled', transactionId, gone: true })
    await unchanged(async () => {
      expect((await make([one._id])).message).toMatch(/do not pay it twice/)
      expect((await paidByHand(one._id, { transactionId: ethereumTransaction(next()) })).code).toBe(
        'wrong_state',
      )
    })
    const { data } = await world.call(readyForPayout, world.admin, { query: { wallet: 'USDT ERC-20' } })
    expect(data.withdrawals).toMatchObject([{ _id: one._id, flagged: first.number }])
    // Used, but not as deep as payments count: it may come back.
    await numbered(1, 0)
    await unchanged(() => assess())
    await numbered(1)
    await assess()
    expect(await faultOf(first._id)).toBeNull()
    expect(await noncesOf((await make([one._id])).data._id)).toEqual([1])
  })

  test('[S-04] paid by hand it is only where its file was not sent, by somebody’s word, or by what was seen of that', async () => {
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
            `^The file of cancelled batch ${first.number}, which pays this withdrawal, can still be signed\\. It is excluded once another transaction with its nonce 0 from 0x8ba1\\S+ has all its confirmations\\.$`,
          ),
        ),
      },
    ])
    // Of the firm's own steps its investor hears nothing.
    expect(await filesOf(one._id, investor)).toEqual([])
    await unchanged(async () =>
      expect(await paidByHand(one._id, { transactionId: ethereumTransaction(next()) })).toMatchObject({
        status: 409,
        code: 'wrong_state',
        message: expect.stringMatching(/or say that the file was not sent and will not be\.$/),
      }),
    )
    const said = { transactionId: ethereumTransaction(next()), notBroadcast: true }
    expect((await paidByHand(one._id, said)).data.status).toBe('paid')
    const { rows } = await world.owner(
      `SELECT details FROM app.audit_log WHERE subject_id = '${one._id}' AND action = 'withdrawal.paid'`,
    )
    expect(rows[0].details).toMatchObject({ saidNotSent: [first.number] })

    const transactionId = ethereumTransaction(next())
    await sees({ transactionId, address: two.walletAddress, units: 100_000_000n, block: 999 })
    await assess()
    expect(await filesOf(two._id)).toMatchObject([{ transactionId }])
    expect((await paidByHand(two._id, { transactionId })).data.status).toBe('paid')
    // Nobody had the file of the third one.
    expect((await pay(never._id, world.admin, ethereumTransaction(next()))).data.status).toBe('paid')
  })

  test('[S-04] of a file that was sent nobody says that it was not: its own transaction alone is entered', async () => {
    const one = await approved()
    const first = (await make([one._id])).data
    await giveUp(first._id)
    const transactionId = ethereumTransaction(next())
    const another = ethereumTransaction(next())
    await sees({ transactionId, address: one.walletAddress, units: 100_000_000n, block: 990 })
    const refused = () =>
      unchanged(async () =>
        expect(await paidByHand(one._id, { transactionId: another, notBroadcast: true })).toMatchObject({
          status: 409,
          code: 'wrong_state',
          message: `The file of cancelled batch ${first.number}, which pays this withdrawal, was sent: the network shows its transaction ${transactionId}. Enter that transaction: another one pays this withdrawal twice.`,
        }),
      )
    // Written down, and then assessed.
    await refused()
    await assess()
    await refused()
    expect(await filesOf(one._id)).toMatchObject([{ transactionId, shown: true }])
    expect((await paidByHand(one._id, { transactionId })).data.status).toBe('paid')
  })

  /** Two files of a withdrawal, each of another payer, of which the first one was sent. */
  const former = '0x00000000000000000000000000000000000000f0'
  async function twoOut() {
    const one = await approved()
    const first = (await make([one._id])).data
    await giveUp(first._id)
    const second = (await make([one._id])).data
    await giveUp(second._id)
    await world.owner(`UPDATE app.payout_batches SET payer = '${former}' WHERE id = '${second._id}'`)
    const sent = { address: one.walletAddress, units: 100_000_000n, block: 990 }
    const transactionId = ethereumTransaction(next())
    await sees({ ...sent, transactionId })
    const shown = async () => (await filesOf(one._id)).map(file => [file.number, file.shown])
    const saidOf = async () => {
      const { rows } = await world.owner(
        `SELECT details FROM app.audit_log WHERE subject_id = '${one._id}' AND action = 'withdrawal.paid'`,
      )
      return rows[0].details.saidNotSent
    }
    return { one, first, second, sent, transactionId, shown, saidOf }
  }

  test('[S-04] of two files of which one was sent, the word that it was not is asked of the other alone', async () => {
    const { one, first, second, transactionId, shown, saidOf } = await twoOut()
    expect(await shown()).toEqual([
      [first.number, true],
      [second.number, false],
    ])
    expect((await paidByHand(one._id, { transactionId })).message).toMatch(
      new RegExp(`^The file of cancelled batch ${second.number}, .* can still be signed`),
    )
    expect((await paidByHand(one._id, { transactionId, notBroadcast: true })).data.status).toBe('paid')
    expect(await saidOf()).toEqual([second.number])
  })

  test('[S-04] of two files that were both sent it is asked of neither: either transaction has paid', async () => {
    const { one, first, second, sent, transactionId, shown, saidOf } = await twoOut()
    await sees({ ...sent, transactionId: ethereumTransaction(next()), from: [former] })
    expect(await shown()).toEqual([
      [first.number, true],
      [second.number, true],
    ])
    expect((await paidByHand(one._id, { transactionId })).data.status).toBe('paid')
    expect(await saidOf()).toBeUndefined()
  })

  test('[S-04] what the next batch has sent with another amount is its own, not the cancelled file’s, also once somebody has made up for it', async () => {
    const one = await approved()
    const first = (await make([one._id])).data
    await giveUp(first._id)
    const second = (await make([one._id])).data
    await download(second._id)
    const transactionId = ethereumTransaction(next())
    await sees({ transactionId, address: one.walletAddress, units: 90_000_000n, block: 990 })
    await assess()
    expect(await faultOf(second._id)).toMatchObject({ kind: 'amount', transactionId })
    expect(await faultOf(first._id)).toBeNull()
    expect(await filesOf(one._id)).toMatchObject([
      { number: first.number, transactionId: null, shown: false },
    ])
    const makeUp = { transactionId: ethereumTransaction(next()), notBroadcast: true }
    expect((await paidByHand(one._id, makeUp)).data.status).toBe('paid')
    await assess()
    expect([await faultOf(first._id), await faultOf(second._id)]).toEqual([null, null])
  })

  test('[S-04] what a cancelled file has sent stays told where a batch of another withdrawal to its address takes it for its own', async () => {
    const one = await approved()
    const first = (await make([one._id])).data
    await giveUp(first._id)
    const { data } = await ask(investor, 50, { wallet: 'USDT ERC-20', walletAddress: one.walletAddress })
    const other = (await approve(data._id)).data
    const second = (await make([other._id])).data
    await download(second._id)
    const transactionId = ethereumTransaction(next())
    await sees({ transactionId, address: one.walletAddress, units: 100_000_000n, block: 990 })
    await assess()
    expect(await faultOf(second._id)).toMatchObject({ kind: 'amount', transactionId })
    expect(await faultOf(first._id)).toMatchObject({ kind: 'cancelled', transactionId })
    expect((await make([one._id])).message).toMatch(/Look at that batch first: do not pay it twice/)
  })

  test('[S-04] a file that nobody has had is not said to have been sent', async () => {
    const one = await approved()
    await cancel((await make([one._id])).data._id)
    const transactionId = ethereumTransaction(next())
    await sees({ transactionId, address: one.walletAddress, units: 100_000_000n, block: 990 })
    expect(await filesOf(one._id)).toEqual([])
  })

  test('[S-04] two withdrawals that keep the same one are not put into one batch', async () => {
    const [one, two] = [await approved(), await approved()]
    for (const { _id } of [one, two]) {
      const { data } = await make([_id])
      expect(await noncesOf(data._id)).toEqual([0])
      await giveUp(data._id)
    }
    await unchanged(async () =>
      expect(await make([one._id, two._id])).toMatchObject({
        code: 'wrong_state',
        message: expect.stringMatching(
          `another of these withdrawals has the same nonce\\. Put ${two.invoiceId} into a batch of its own`,
        ),
      }),
    )
    expect((await make([one._id])).status).toBe(200)
  })

  test('[S-04] a file that nobody has had keeps none', async () => {
    const [one, two] = [await approved(), await approved()]
    const first = (await make([one._id])).data
    await cancel(first._id)
    expect(await noncesOf((await make([two._id])).data._id)).toEqual([0])
    expect(await noncesOf((await make([one._id])).data._id)).toEqual([1])
  })

  test('[S-04] what was seen is given up once another transaction has used its nonce, as deep as payments count, and pays nothing there', async () => {
    const one = await approved()
    const first = (await make([one._id])).data
    await download(first._id)
    const transactionId = ethereumTransaction(next())
    const sent = { transactionId, address: one.walletAddress, units: 100_000_000n }
    await sees(sent)
    await assess()
    await drops(transactionId)
    await assess()
    await looks()
    const refused = (words = /^A transfer of this batch was seen and is not/) =>
      unchanged(async () => expect((await cancel(first._id)).message).toMatch(words))
    await world.owner('DELETE FROM app.payer_nonces')
    await refused()
    // Used, but not as deep as payments count: it may come back.
    await numbered(1, 0)
    await refused()
    await numbered(1)
    // The same once more, which is written down and not assessed yet: by whatever transaction, it has paid.
    const again = { ...sent, transactionId: ethereumTransaction(next()), block: 998 }
    await sees(again)
    await refused(/^Transfers of this batch are on the chain/)
    await drops(again.transactionId)
    expect((await cancel(first._id, world.secondAdmin)).code).toBe('wrong_state')
    expect((await cancel(first._id)).status).toBe(200)
    expect(await noncesOf((await make([one._id])).data._id)).toEqual([1])
  })

  test('[S-04] what another address was to pay is not paid from here while that can be mined', async () => {
    const one = await approved()
    const first = (await make([one._id])).data
    await giveUp(first._id)
    const former = '0x00000000000000000000000000000000000000f0'
    await world.owner(`UPDATE app.payout_items SET payer = '${former}' WHERE batch_id = '${first._id}'`)
    expect((await make([one._id])).message).toMatch(
      new RegExp(`payouts are sent from another address now\\. Send anything else from ${former}`),
    )
  })

  test('[S-04] without a look at the network no batch is made', async () => {
    await world.owner('DELETE FROM app.payer_nonces')
    const one = await approved()
    await unchanged(async () =>
      expect((await make([one._id])).message).toMatch(/^The next nonce of 0x8ba1.* is not known yet/),
    )
  })

  test.each([
    ['was looked at minutes ago', 'stopped = false', { minutes: 3 }],
    ['is not read to its end', 'tip_height = height + 1', {}],
    ['cannot be read', "fault = 'it cannot be reached', fault_since = now()", {}],
    ['has stopped', "stopped = true, fault = 'None of the last', fault_since = now()", {}],
  ])(
    '[S-04] from a network that %s no nonce is taken: what has used it since is not known',
    async (_, state, later) => {
      const one = await approved()
      await looks('ethereum', state)
      world.clock.pass(later)
      const body = { wallet: 'USDT ERC-20' as const, withdrawals: [one._id] }
      await unchanged(async () =>
        expect(await world.call(newPayout, world.admin, { body })).toMatchObject({
          status: 409,
          code: 'wrong_state',
          message: expect.stringMatching(/^Ethereum has not been looked at to its end lately/),
        }),
      )
      await looks()
      expect(await world.call(newPayout, world.admin, { body })).toMatchObject({ status: 200 })
    },
  )

  test('[S-04] nor is one taken that was read long ago, as of an address that was not the payer meanwhile', async () => {
    const one = await approved()
    await looks()
    await world.owner("UPDATE app.payer_nonces SET read_at = read_at - interval '3 minutes'")
    const body = { wallet: 'USDT ERC-20' as const, withdrawals: [one._id] }
    const made = () => world.call(newPayout, world.admin, { body })
    await unchanged(async () =>
      expect((await made()).message).toMatch(/^Ethereum has not been looked at to its end lately/),
    )
    await looks()
    expect(await made()).toMatchObject({ status: 200 })
  })

  test('[S-04] the database itself lets no two open ones have the same', async () => {
    const [one, two] = [await approved(), await approved()]
    await make([one._id, two._id])
    await expect(world.owner('UPDATE app.payout_items SET nonce = 0')).rejects.toThrow(/payout_items_nonces/)
  })
})

describe('the end of TRON’s payouts', () => {
  const wallet = { wallet: 'USDT TRC-20' }

  test('[S-04] each transfer is a whole transaction that names a settled block and its end', async () => {
    const { data } = await make([(await approved('USDT TRC-20'))._id], wallet)
    const { transfers, expiresAt } = await file<TronPayoutFile>(data._id)
    expect(expiresAt).toBe(data.expiresAt)
    expect(Date.parse(expiresAt) - Date.parse(data.createdAt)).toBe(20 * 3_600_000)
    // Block 998 is the highest that has three confirmations.
    expect(transfers[0]!.transaction.raw_data).toMatchObject({
      ref_block_bytes: '03e6',
      ref_block_hash: 'b'.repeat(16),
      expiration: Date.parse(expiresAt),
    })
  })

  test('[S-04] what a cancelled file can still pay is paid by no other one until that has ended on the chain', async () => {
    const one = await approved('USDT TRC-20')
    const first = (await make([one._id], wallet)).data
    await giveUp(first._id)
    await unchanged(async () =>
      expect(await make([one._id], wallet)).toMatchObject({
        code: 'wrong_state',
        message: expect.stringMatching(
          new RegExp(
            `^The file of cancelled batch ${first.number}, which pays ${one.invoiceId}, can be sent until 20`,
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

  test('[S-04] a cancelled file that names no end can be sent for ever: its withdrawal is paid by hand alone', async () => {
    const one = await approved('USDT TRC-20')
    const first = (await make([one._id], wallet)).data
    await giveUp(first._id)
    // As batches were made before their transactions had an end.
    await world.owner(`UPDATE app.payout_batches SET expires_at = NULL WHERE id = '${first._id}'`)
    world.clock.pass({ minutes: 2880 })
    await tip(1_030, 'usdt')
    await unchanged(async () =>
      expect(await make([one._id], wallet)).toMatchObject({
        status: 409,
        code: 'wrong_state',
        message: `The file of cancelled batch ${first.number}, which pays ${one.invoiceId}, names no end, so it can still be signed. No new batch can exclude it: once it is sure that it was not sent and will not be, pay ${one.invoiceId} by hand.`,
      }),
    )
    // Nor has what was seen of it and is gone, which a wallet may make once more.
    const transactionId = ethereumTransaction(next()).slice(2)
    const [address, units, from] = [one.walletAddress, 100_000_000n, [addressKey(payers.usdt)]]
    await sees({ method: 'usdt', transactionId, address, units, from })
    await assess('usdt')
    await drops(transactionId)
    world.clock.pass({ minutes: 2880 })
    await tip(1_060, 'usdt')
    const words = `The file of cancelled batch ${first.number}, which pays this withdrawal, names no end, so it can still be signed. Transaction ${transactionId} was seen of it.`
    expect(await filesOf(one._id)).toMatchObject([{ words }])
    const byHand = { transactionId: ethereumTransaction(next()).slice(2), notBroadcast: true }
    expect((await paidByHand(one._id, byHand)).data.status).toBe('paid')
  })

  test('[S-04] blocks that say they are of tomorrow end nothing today', async () => {
    const [one, two] = [await approved('USDT TRC-20'), await approved('USDT TRC-20')]
    const first = (await make([one._id], wallet)).data
    await giveUp(first._id)
    const { _id: second } = (await make([two._id], wallet)).data
    await download(second)
    await world.owner("UPDATE app.chain_blocks SET time = time + interval '22 hours' WHERE method = 'usdt'")
    await unchanged(async () => {
      expect((await make([one._id], wallet)).message).toMatch(/can be sent until 20/)
      expect((await cancel(second, world.secondAdmin)).message).toMatch(/knows that it was not sent/)
    })
  })

  test('[S-04] what was seen of a cancelled file and is gone stays flagged for a day, also once the file has ended', async () => {
    const one = await approved('USDT TRC-20')
    const first = (await make([one._id], wallet)).data
    await giveUp(first._id)
    world.clock.pass({ minutes: 1140 })
    const transactionId = ethereumTransaction(next()).slice(2)
    await sees({
      method: 'usdt',
      transactionId,
      address: one.walletAddress,
      units: 100_000_000n,
      from: [addressKey(payers.usdt)],
    })
    await assess('usdt')
    await drops(transactionId)
    world.clock.pass({ minutes: 120 })
    await tip(1_030, 'usdt')
    await assess('usdt')
    expect(await faultOf(first._id)).toMatchObject({ kind: 'cancelled', gone: true })
    world.clock.pass({ minutes: 1380 })
    await tip(1_060, 'usdt')
    await assess('usdt')
    expect(await faultOf(first._id)).toBeNull()
    expect((await make([one._id], wallet)).status).toBe(200)
  })

  test('[S-04] once it has ended it is not given out, and anybody cancels it; not while a transfer of it is on the chain', async () => {
    const one = await approved('USDT TRC-20')
    const { _id: id } = (await make([one._id], wallet)).data
    await download(id)
    world.clock.pass({ minutes: 1260 })
    expect((await download(id)).json().message).toMatch(
      /^The transactions of this file could be sent until 20/,
    )
    expect((await cancel(id, world.secondAdmin)).code).toBe('wrong_state')
    await tip(1_030, 'usdt')
    const transfer = {
      method: 'usdt',
      transactionId: ethereumTransaction(next()).slice(2),
      address: one.walletAddress,
      units: 100_000_000n,
      from: [addressKey(payers.usdt)],
      block: 1_029,
    } as const
    await sees(transfer)
    expect((await cancel(id, world.secondAdmin)).code).toBe('wrong_state')
    await assess('usdt')
    expect((await cancel(id, world.secondAdmin)).code).toBe('wrong_state')
    await world.owner('DELETE FROM app.chain_transfers')
    await assess('usdt')
    expect((await cancel(id, world.secondAdmin)).status).toBe(200)
  })

  test('[S-04] what was seen and is gone can be sent for a day at most', async () => {
    const one = await approved('USDT TRC-20')
    const { _id: id } = (await make([one._id], wallet)).data
    await download(id)
    world.clock.pass({ minutes: 1140 })
    const transactionId = ethereumTransaction(next()).slice(2)
    await sees({
      method: 'usdt',
      transactionId,
      address: one.walletAddress,
      units: 100_000_000n,
      from: [addressKey(payers.usdt)],
    })
    await assess('usdt')
    await world.owner(
      `UPDATE app.chain_transfers SET gone_at = now() WHERE transaction_id = '${transactionId}'`,
    )
    await assess('usdt')
    world.clock.pass({ minutes: 120 })
    await tip(1_030, 'usdt')
    expect((await cancel(id)).code).toBe('wrong_state')
    world.clock.pass({ minutes: 1380 })
    await tip(1_060, 'usdt')
    expect((await cancel(id)).status).toBe(200)
  })
})

test('[N-03] a batch tells each admin why he cannot cancel it or take it over, in the words of the refusal', async () => {
  const one = await approved()
  const { _id: id } = (await make([one._id])).data
  const refusals = async (who = world.admin) => (await get(id, who)).data.refusals
  expect(await refusals()).toEqual({ cancel: null, takeOver: expect.stringMatching(/^You hold this batch/) })
  expect(await refusals(world.secondAdmin)).toEqual({ cancel: null, takeOver: null })
  await download(id)
  // That a look is still to come passes by itself.
  expect((await cancel(id)).code).toBe('wrong_state')
  expect((await refusals()).cancel).toBeNull()
  expect(await refusals(world.secondAdmin)).toEqual({
    cancel: (await cancel(id, world.secondAdmin)).message,
    takeOver: (await takeOver(id)).message,
  })
  expect((await refusals(world.secondAdmin)).takeOver).toMatch(/has downloaded the file of this batch/)
  const seen = {
    transactionId: ethereumTransaction(next()),
    address: one.walletAddress,
    units: 100_000_000n,
  }
  await sees(seen)
  await assess()
  expect((await refusals()).cancel).toMatch(/^Transfers of this batch are on the chain/)
  await tip(1_005)
  await sees({ ...seen, block: 1_001 })
  await assess()
  expect((await get(id)).data.status).toBe('paid')
  expect(await refusals()).toEqual({ cancel: null, takeOver: null })
})
