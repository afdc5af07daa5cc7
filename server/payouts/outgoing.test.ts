import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nonceSlot, outpointOf } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'
import { consoleSummary } from '#shared/contract/console.ts'
import { confirmOutgoing, listOutgoing } from '#shared/contract/payouts.ts'
import {
  freshTransaction,
  fundedInvestor,
  openPayingWorld,
  payoutsIn,
  senders,
} from '#test/support/payouts.ts'
import { openWatchedWorld } from '#test/support/watched.ts'
import { freshAddress } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'
import { tellOfOutgoing, unexplainedCounts } from './outgoing.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openPayingWorld()
})
beforeEach(async () => {
  investor = await fundedInvestor(world)
})

const { uses, shows, drops, assess, outgoing, explain, confirm, batchFor } = payoutsIn(() => world)
const { tip, download, cancel, sign, signedByWallet, get } = payoutsIn(() => world)
const tell = (rail: RailName = 'ethereum') => tellOfOutgoing(world.services, rail)
const listed = async () => (await outgoing()).data.map(({ transactionId }) => transactionId)
let nonce = 5_000
const strange = async (block: number | null = 990) => {
  const transactionId = freshTransaction()
  nonce += 1
  await uses(nonceSlot(senders.ethereum, nonce), { transactionId, block })
  return transactionId
}

describe('a transaction of our address that no payout explains', () => {
  test('[S-04] is listed, counted, logged and mailed to every admin, once', async () => {
    const transactionId = await strange(null)
    expect(await tell()).toBe(1)
    expect(await tell()).toBe(0)
    expect((await outgoing()).data.find(one => one.transactionId === transactionId)).toEqual({
      rail: 'ethereum',
      transactionId,
      sender: senders.ethereum.toLowerCase(),
      bySafe: false,
      seenAt: expect.any(String),
      mined: false,
      explanation: null,
    })
    const { data } = await world.call(consoleSummary, world.admin)
    expect(data.waiting.outgoing.count).toBe((await listed()).length)
    expect((await unexplainedCounts(world.services.db)).get('ethereum')).toBe((await listed()).length)
    const { rows } = await world.owner(
      `SELECT count(*)::int AS mails FROM graphile_worker._private_jobs j WHERE j.payload::text LIKE '%${transactionId}%'`,
    )
    expect(rows[0].mails).toBe(2)
  })

  test('[S-04] is no sign of a stolen key where a Safe made it', async () => {
    const mailOf = async (transactionId: string) => {
      await tell()
      const { rows } = await world.owner(
        `SELECT payload::text AS mail FROM graphile_worker._private_jobs WHERE payload::text LIKE '%${transactionId}%' LIMIT 1`,
      )
      return rows[0].mail
    }
    expect(await mailOf(await strange())).toContain('its key is in other hands')
    const version = (to: string) => world.owner(`UPDATE app.sender_nonces SET safe_version = ${to}`)
    await version("'1.4.1'")
    const transactionId = await strange()
    const mail = await mailOf(transactionId)
    expect(mail).toContain('owners of the Safe have signed')
    expect(mail).not.toMatch(/key is in other hands/)
    expect((await outgoing()).data.find(one => one.transactionId === transactionId)).toMatchObject({
      bySafe: true,
    })
    await version('NULL')
  })

  test('[N-12] ends its alarm once a second person confirms the reason of the first', async () => {
    const transactionId = await strange()
    await tell()
    const counted = async () => (await unexplainedCounts(world.services.db)).get('ethereum')
    const before = await counted()
    expect(await confirm(transactionId)).toMatchObject({ reason: 'explanation_changed' })
    const { data } = await explain(transactionId)
    const explanation = { reason: 'Moved to the new wallet', by: world.admin.name, userId: world.admin.id }
    expect(data.find(one => one.transactionId === transactionId)).toMatchObject({ explanation })
    expect(await counted()).toBe(before)
    expect(await confirm(transactionId, 'ethereum', world.admin)).toMatchObject({ code: 'same_approver' })
    expect(await counted()).toBe(before)
    const confirmed = await confirm(transactionId)
    expect(confirmed.data.map(one => one.transactionId)).not.toContain(transactionId)
    expect(await counted()).toBe(before! - 1 || undefined)
    for (const again of [explain(transactionId), confirm(transactionId)])
      expect(await again).toMatchObject({ reason: 'nothing_unexplained' })
    const { rows } = await world.owner(
      `SELECT action, reason, details->>'explanation' AS explanation, actor_id FROM app.audit_log
        WHERE action LIKE 'payout.outgoing_%' AND details::text LIKE '%${transactionId}%' ORDER BY id`,
    )
    const { reason } = explanation
    expect(rows).toEqual([
      { action: 'payout.outgoing_explained', reason, explanation: null, actor_id: world.admin.id },
      {
        action: 'payout.outgoing_confirmed',
        reason: null,
        explanation: reason,
        actor_id: world.secondAdmin.id,
      },
    ])
  })

  test('[N-12] is not confirmed in words that were replaced meanwhile', async () => {
    const transactionId = await strange()
    await tell()
    const { data } = await explain(transactionId)
    const explainedAt = data.find(one => one.transactionId === transactionId)!.explanation!.at
    world.clock.pass({ minutes: 1 })
    await explain(transactionId)
    const body = { rail: 'ethereum', transactionId, explainedAt } as const
    expect(await world.call(confirmOutgoing, world.secondAdmin, { body })).toMatchObject({
      reason: 'explanation_changed',
    })
    expect(await listed()).toContain(transactionId)
  })

  test('[N-12] the database takes no confirmation by its author, and no change after it', async () => {
    const transactionId = await strange()
    await tell()
    await explain(transactionId)
    const support = await world.person('Sue Support', 'support')
    const changes = (set: string) =>
      world.database.app.query(`UPDATE app.chain_spends SET ${set} WHERE transaction_id = '${transactionId}'`)
    const confirms = (by: Person) => `confirmed_at = now(), confirmed_by = '${by.id}'`
    await expect(changes(confirms(world.admin))).rejects.toThrow(/check constraint/)
    await expect(changes(confirms(support))).rejects.toMatchObject({ code: 'PB914' })
    await expect(
      changes(`${confirms(world.secondAdmin)}, review_note = 'Something else'`),
    ).rejects.toMatchObject({ code: 'PB914' })
    await confirm(transactionId)
    await expect(changes('confirmed_at = NULL, confirmed_by = NULL')).rejects.toMatchObject({ code: 'PB912' })
    await expect(changes("review_note = 'Something else'")).rejects.toMatchObject({ code: 'PB912' })
  })

  test('[K-03] leaves the list when a reorg drops it', async () => {
    const transactionId = await strange()
    await tell()
    await drops(transactionId)
    expect(await listed()).not.toContain(transactionId)
  })
})

test('[S-04] a spent output of a deposit that no payout spends is told by its sync', async () => {
  const bitcoin = await openWatchedWorld('bitcoin')
  const payer = await bitcoin.person('Ines Investor')
  await bitcoin.sync()
  const { payment } = await bitcoin.ask(payer, 150)
  const received = bitcoin.network.send({ to: payment.address, units: 160_000n })
  bitcoin.network.mine(2)
  await bitcoin.sync()
  const spent = { to: freshAddress(), units: 159_000n, from: [outpointOf(received, 0)] }
  const transactionId = bitcoin.network.send(spent)
  await bitcoin.sync()
  const { data } = await bitcoin.call(listOutgoing, bitcoin.admin, {})
  expect(data).toMatchObject([{ rail: 'bitcoin', transactionId, mined: false }])
  const { rows } = await bitcoin.owner(
    `SELECT count(*)::int AS mails FROM graphile_worker._private_jobs j WHERE j.payload::text LIKE '%${transactionId}%'`,
  )
  expect(rows).toEqual([{ mails: 2 }])
})

test('[S-04] a payment explains itself; whatever else uses its nonce does not', async () => {
  const batch = await batchFor(investor, [100, 50])
  const [paid, other] = [freshTransaction(), freshTransaction()]
  await shows(batch, { payment: 0, transactionId: paid, block: 900 })
  await shows(batch, { payment: 1, transactionId: other, units: 0n })
  await assess()
  await tell()
  expect(await listed()).not.toContain(paid)
  // A mempool does not show what it pays.
  expect(await listed()).not.toContain(other)
  await shows(batch, { payment: 1, transactionId: other, block: 900, units: 0n })
  await assess()
  await tell()
  expect(await listed()).toContain(other)
})

test('[S-04] what we were given signed explains itself, a cancellation too', async () => {
  const batch = await batchFor(investor, [100])
  await download(batch._id)
  await cancel(batch._id)
  await sign(batch._id, await signedByWallet(batch._id))
  const transactionId = (await get(batch._id)).data.payments[0]!.signed[0]!.transactionId!
  await shows(batch, { transactionId, block: 900, units: 0n })
  await assess()
  await tell()
  expect(await listed()).not.toContain(transactionId)
})

test('[K-03] a payment that had ended without paying is told if a reorg lets it pay after all', async () => {
  const batch = await batchFor(investor, [100], 'USDT TRC-20')
  const transactionId = batch.payments[0]!.slots[0]!.slot
  await download(batch._id)
  await cancel(batch._id)
  world.clock.pass({ minutes: 21 * 60 })
  await world.refreshPrices()
  await tip(1_010, 'usdt')
  await assess('usdt')
  expect((await get(batch._id)).data.status).toBe('void')
  await shows(batch, { transactionId, block: 1_009 })
  await assess('usdt')
  expect(await tell('usdt')).toBe(1)
  expect(await listed()).toContain(transactionId)
})
