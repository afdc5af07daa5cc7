import { beforeAll, beforeEach, expect, test } from 'vitest'
import * as investments from '#shared/contract/investments.ts'
import { readyForPayout } from '#shared/contract/payouts.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import * as call from '#shared/contract/withdrawals.ts'
import { freshTransaction, fundedInvestor, payingRails, payoutsIn, senders } from '#test/support/payouts.ts'
import { derivedRails, openWatchedWorld, tpub, type WatchedWorld } from '#test/support/watched.ts'
import { mayBePaid, transactionOf, withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person } from '#test/support/world.ts'

/** Withdrawals and investments that are already approved when a reorg reverses their owner's credit. */

/** An account of Bitcoin with its origin. */
const wallet = `wpkh([00000000/84h/1h/0h]${tpub}/<0;1>/*)`

let world: WatchedWorld
let investor: Person
beforeAll(async () => {
  const derived = derivedRails()
  const rails = {
    bitcoin: { ...derived.bitcoin, xpub: wallet, backend: { kind: 'core', url: 'http://127.0.0.1:9' } },
    usdt: { ...derived.usdt, url: 'http://127.0.0.1:9', payoutAddress: senders.usdt },
    ethereum: payingRails.rails.ethereum,
  } as const
  world = await openWatchedWorld('usdt', {}, { rails, rateLimit: false })
  await tip(1_000)
  await tip(500, 'bitcoin', 2)
})
beforeEach(async () => {
  world.network.mine(25)
  await world.sync()
  investor = await world.person('Ines Investor')
})

const { ask, approve, decline, declineUnpaid, pay } = withdrawalsIn(() => world)
const { make, download, cancel, tip, shows, assess } = payoutsIn(() => world)
const balances = () => world.balances(investor)
const debt = async (id: string) => (await world.deposit(investor, id)).debt
const actions = async (id: string) =>
  (await world.call(listAudit, world.admin, { query: { q: id } })).data.map(({ action }) => action).reverse()

/** Money that a reorg can reverse. */
async function credited(amount: number) {
  const deposit = await world.ask(investor, amount)
  const units = BigInt(amount) * 1_000_000n
  const transaction = world.network.send({ to: deposit.payment.address, units })
  world.network.mine(2)
  await world.sync()
  return { ...deposit, transaction }
}

async function reversePayment({ transaction }: { transaction: string }) {
  world.network.reorg(2, { drop: [transaction] })
  await world.sync()
}

const hashOf = (id: string) => `0x${transactionOf(id)}`

let destinations = 0
async function approved(amount: number, who = investor, by = world.admin) {
  destinations += 1
  const walletAddress = `0x${destinations.toString(16).padStart(40, '0')}`
  const { data } = await ask(who, amount, { wallet: 'USDT ERC-20', walletAddress })
  return (await approve(data._id, by)).data
}

test('[D7] no batch takes it after a debt arises; declining it repays the debt', async () => {
  const deposit = await credited(250)
  const withdrawal = await approved(200)
  const later = await approved(100, await fundedInvestor(world))
  await reversePayment(deposit)
  const get = () => world.call(call.getWithdrawal, world.admin, { params: { id: withdrawal._id } })
  expect((await get()).data.debt).toBe(200)
  const made = await make([withdrawal._id])
  expect(made).toMatchObject({ status: 409, code: 'wrong_state' })
  expect(made.message).toContain(deposit.invoiceId)
  expect(made.message).toContain(`Leave ${withdrawal.invoiceId} out and decline it`)
  const { data: ready } = await world.call(readyForPayout, world.admin, { query: { wallet: 'USDT ERC-20' } })
  expect(ready.withdrawals).toMatchObject([
    { _id: later._id, inDebt: false },
    { _id: withdrawal._id, inDebt: true },
  ])
  const before = await world.state()
  expect(await decline(withdrawal._id)).toMatchObject(mayBePaid)
  expect(await world.state()).toBe(before)
  expect(await declineUnpaid(withdrawal._id)).toMatchObject({ status: 200, data: { status: 'declined' } })
  const { data: log } = await world.call(listAudit, world.admin, { query: { q: withdrawal.invoiceId } })
  expect(log[0]).toMatchObject({ action: 'withdrawal.declined', details: { attestedNotPaid: true } })
  expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 0n })
  expect(await debt(deposit._id)).toBe(0)
  expect((await get()).data.debt).toBe(0)
  expect(await actions(deposit._id)).toEqual([
    'deposit.requested',
    'deposit.credited',
    'deposit.reversed',
    'deposit.debt_recovered',
  ])
  await world.expectSoundBooks()
})

test('[D7] of two in one list, the second stays approved once the first repays the debt', async () => {
  await world.fund(investor, 10_000n)
  const deposit = await credited(250)
  const ids = [(await approved(100))._id, (await approved(100))._id]
  await reversePayment(deposit)
  expect(await debt(deposit._id)).toBe(100)
  const records = ids.map(id => ({ id, notPaid: true }))
  const body = { records, reason: 'Repays what a reorg took' }
  const { data } = await world.call(call.declineWithdrawals, world.admin, { body })
  expect(data).toMatchObject([{ done: true }, { done: false, code: 'wrong_state' }])
  expect(await debt(deposit._id)).toBe(0)
  expect(await balances()).toMatchObject({ available: 0n, held: 10_000n })
})

test('[D7] nobody downloads an earlier batch; once cancelled, the withdrawal is declinable', async () => {
  const other = await world.person('Otto Other')
  await world.fund(other, 20_000n)
  const deposit = await credited(250)
  const [withdrawal, others] = [await approved(200), await approved(100, other)]
  await tip(1_000, 'ethereum')
  const { data: batch } = await make([withdrawal._id, others._id])
  await reversePayment(deposit)
  const file = await download(batch._id)
  expect(file.statusCode).toBe(409)
  expect(file.json().message).toContain(`Cancel this batch, decline ${withdrawal.invoiceId}`)
  expect(await decline(withdrawal._id)).toMatchObject({ code: 'wrong_state' })
  expect((await cancel(batch._id)).status).toBe(200)
  expect((await declineUnpaid(withdrawal._id)).status).toBe(200)
  expect(await debt(deposit._id)).toBe(0)
  const { data: rest } = await make([others._id])
  expect((await download(rest._id)).statusCode).toBe(200)
})

test('[D7] it cannot be declined before the network has cancelled its exported file', async () => {
  const deposit = await credited(250)
  const withdrawal = await approved(200)
  const { data: batch } = await make([withdrawal._id])
  expect((await download(batch._id)).statusCode).toBe(200)
  expect((await cancel(batch._id)).status).toBe(200)
  await reversePayment(deposit)
  const before = await world.state()
  const refused = await declineUnpaid(withdrawal._id)
  expect(refused).toMatchObject({ status: 409, code: 'wrong_state', reason: 'in_open_batch' })
  expect(refused.message).toContain(batch.number)
  expect(await world.state()).toBe(before)
  const transactionId = freshTransaction()
  // Mined, but not final: it may be replaced.
  await shows(batch, { transactionId, block: 999, units: 0n })
  await assess()
  expect((await declineUnpaid(withdrawal._id)).code).toBe('wrong_state')
  await shows(batch, { transactionId, block: 900, units: 0n })
  await assess()
  expect((await declineUnpaid(withdrawal._id)).status).toBe(200)
  await world.expectSoundBooks()
})

test('[D7] it is marked as paid only with the attestation that its coins were sent', async () => {
  const deposit = await credited(250)
  const withdrawal = await approved(200)
  await reversePayment(deposit)
  const refused = await pay(withdrawal._id, world.secondAdmin, hashOf(withdrawal._id))
  expect(refused).toMatchObject({ status: 409, code: 'wrong_state' })
  expect(refused.message).toContain('If its coins have already been sent, confirm that.')
  const body = { transactionId: hashOf(withdrawal._id), sent: true }
  const paid = await world.call(call.payWithdrawal, world.secondAdmin, {
    params: { id: withdrawal._id },
    body,
  })
  expect(paid).toMatchObject({ status: 200, data: { status: 'paid' } })
  // Spent money is still owed.
  expect(await debt(deposit._id)).toBe(200)
  await world.expectSoundBooks()
})

test('[D7] an approved withdrawal without a debt cannot be declined', async () => {
  await credited(250)
  const withdrawal = await approved(200)
  expect(await decline(withdrawal._id)).toMatchObject({ status: 409, code: 'wrong_state' })
  expect((await pay(withdrawal._id, world.secondAdmin, hashOf(withdrawal._id))).status).toBe(200)
})

test('[D6] the principal of a closed investment repays the debt', async () => {
  const { data } = await world.call(investments.newInvestment, investor, {
    body: { method: 'usdt', plan: 'Beginner', amount: 500 },
  })
  const deposit = data.deposit!
  const transaction = world.network.send({ to: deposit.payment.address, units: 500_000_000n })
  world.network.mine(2)
  await world.sync()
  const params = { id: data._id }
  expect((await world.call(investments.approveInvestment, world.admin, { params })).status).toBe(200)
  await reversePayment({ transaction })
  expect(await debt(deposit._id)).toBe(500)
  const early = { params, body: { reason: 'Closed early' } }
  expect((await world.call(investments.closeInvestment, world.admin, early)).status).toBe(200)
  expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 0n })
  expect(await debt(deposit._id)).toBe(0)
  expect(await actions(deposit._id)).toContain('deposit.debt_recovered')
  await world.expectSoundBooks()
})

test('[D6] an investment from the balance is not approved while there is a debt', async () => {
  const deposit = await credited(500)
  const { data } = await world.call(investments.newInvestment, investor, {
    body: { method: 'balance', plan: 'Beginner', amount: 500 },
  })
  await reversePayment(deposit)
  const params = { id: data._id }
  const refused = await world.call(investments.approveInvestment, world.admin, { params })
  expect(refused).toMatchObject({ status: 409, code: 'wrong_state' })
  expect(refused.message).toContain(deposit.invoiceId)
  expect(refused.message).toContain('Decline the investment; the released hold will repay it.')
  const body = { reason: 'Its payment was reversed' }
  expect((await world.call(investments.declineInvestment, world.admin, { params, body })).status).toBe(200)
  expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 0n })
  expect(await debt(deposit._id)).toBe(0)
  await world.expectSoundBooks()
})

test('[D6] earnings repay the debt before they become available', async () => {
  const body = { amount: 1_000, source: 'Sale of a warehouse', realisedAt: '2026-03-01' }
  await world.call(newReturn, world.admin, { body: { ...body, evidence: 'https://registry.example/deed/1' } })
  const deposit = await credited(500)
  const { data } = await world.call(investments.newInvestment, investor, {
    body: { method: 'balance', plan: 'Beginner', amount: 500 },
  })
  await world.call(investments.approveInvestment, world.admin, { params: { id: data._id } })
  await reversePayment(deposit)
  await world.earn(investor, 20_000n)
  expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 50_000n })
  expect(await debt(deposit._id)).toBe(300)
  await world.earn(investor, 35_000n)
  expect(await balances()).toEqual({ available: 5_000n, held: 0n, invested: 50_000n })
  expect(await debt(deposit._id)).toBe(0)
  expect((await actions(deposit._id)).filter(action => action === 'deposit.debt_recovered')).toHaveLength(2)
  await world.expectSoundBooks()
})

test('[C-12, D7] what a person approved alone counts also once it is declined', async () => {
  const by = world.secondAdmin
  await world.fund(investor, 975_000n)
  const deposit = await credited(250)
  const withdrawal = await approved(10_000, investor, by)
  expect(withdrawal.status).toBe('approved')
  await reversePayment(deposit)
  expect((await declineUnpaid(withdrawal._id)).data.status).toBe('declined')
  const next = await approved(1, await fundedInvestor(world), by)
  expect(next).toMatchObject({ status: 'pending', secondApproval: 'approver_day' })
})
