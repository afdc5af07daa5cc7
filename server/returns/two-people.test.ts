import { beforeEach, describe, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { getEarning } from '#shared/contract/earnings.ts'
import * as call from '#shared/contract/returns.ts'
import { earningsWorld } from '#test/support/earnings.ts'
import type { Person } from '#test/support/world.ts'

const { world, investor, record, add, approve: approveEarning, activeInvestment, available } = earningsWorld()

const recordAs = (who: Person, amount: number, source = 'Sale of a ship') =>
  world().call(call.newReturn, who, {
    body: { amount, source, realisedAt: '2026-03-01', evidence: 'BANK-2026-1' },
  })
const approve = (id: string, who = world().secondAdmin) =>
  world().call(call.approveReturn, who, { params: { id } })
const decline = (id: string, who = world().admin) =>
  world().call(call.declineReturn, who, { params: { id }, body: { reason: 'Entered twice' } })
const propose = (id: string, who = world().admin) =>
  world().call(call.proposeVoid, who, { params: { id }, body: { reason: 'The buyer never paid' } })
const voidIt = (id: string, who = world().secondAdmin) =>
  world().call(call.voidReturn, who, { params: { id } })
const reject = (id: string, who = world().secondAdmin) =>
  world().call(call.rejectVoid, who, { params: { id }, body: { reason: 'The bank confirms it' } })
const summary = async (who: Person = investor()) => (await world().call(call.returnSummary, who)).data
const one = async (id: string) => (await world().call(call.getReturn, world().admin, { params: { id } })).data

async function broken() {
  const { checks } = await checkBooks(world().services.pool, world().services.log)
  return checks.filter(check => check.faults > 0)
}

/** Pays an earning, beyond the accrual, with both admins. */
async function earn(amount: number) {
  const { data } = await add({ amount })
  return approveEarning(data[0]!._id)
}

describe('a large return', () => {
  test('[N-11, D7] waits for a second person, and pays nothing before', async () => {
    await activeInvestment()
    const { data, message } = await record(10_000.01)
    expect(message).toBe('Return submitted. A second person must approve it')
    expect(data).toMatchObject({ status: 'pending', left: 0 })
    expect(await summary()).toMatchObject({ recorded: 0, left: 0 })
    expect(await add({ amount: 1 })).toMatchObject({ code: 'insufficient_returns' })
    const approved = await approve(data._id)
    expect(approved.data).toMatchObject({ status: 'recorded', approvedBy: 'Grace Admin', left: 10_000.01 })
    expect(await summary()).toMatchObject({ recorded: 10_000.01, left: 10_000.01 })
    expect(await broken()).toEqual([])
  })

  test('[N-11, D7] its author cannot approve it; one of fifty parallel approvals counts', async () => {
    const { data } = await record(20_000)
    const before = await world().state()
    expect(await approve(data._id, world().admin)).toMatchObject({
      status: 409,
      code: 'same_approver',
      message: 'You submitted this return. A second person must approve it.',
    })
    expect(await world().state()).toBe(before)
    const answers = await Promise.all(Array.from({ length: 50 }, () => approve(data._id)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'wrong_state')).toHaveLength(49)
    expect(await summary()).toMatchObject({ recorded: 20_000 })
  })

  test('[N-11, D7] small returns of one person in 24 hours count together', async () => {
    const { admin, secondAdmin, clock } = world()
    const statuses = []
    for (const amount of [4_000, 6_000, 0.01]) statuses.push((await recordAs(admin, amount)).data.status)
    expect(statuses).toEqual(['recorded', 'recorded', 'pending'])
    expect((await summary(admin)).alone).toEqual({ limit: 10_000, left: 0 })
    expect((await summary(secondAdmin)).alone).toEqual({ limit: 10_000, left: 10_000 })
    expect((await summary()).alone).toBeNull()
    expect((await recordAs(secondAdmin, 10_000)).data.status).toBe('recorded')
    clock.pass({ days: 1 })
    expect((await recordAs(admin, 10_000)).data.status).toBe('recorded')
    expect(await broken()).toEqual([])
  })

  test('[N-11, D7] what one person records at the same moment is added up', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => recordAs(world().admin, 4_000)))
    expect(answers.map(({ data }) => data.status).toSorted()).toEqual([
      ...Array.from({ length: 6 }, () => 'pending'),
      'recorded',
      'recorded',
    ])
  })

  test('[N-11, D7] is declined with a reason, also by its author, and never approved then', async () => {
    const { data } = await record(20_000)
    expect((await decline(data._id)).data).toMatchObject({
      status: 'declined',
      declineReason: 'Entered twice',
      left: 0,
    })
    expect(await approve(data._id)).toMatchObject({
      code: 'wrong_state',
      message: 'This return is already declined. Only pending returns can be approved.',
    })
    expect(await summary()).toMatchObject({ recorded: 0, left: 0 })
    expect((await one(data._id)).history.map(({ action }) => action)).toEqual([
      'Return submitted',
      'Return declined',
    ])
  })
})

describe('voiding a return', () => {
  beforeEach(async () => {
    await activeInvestment()
  })

  test('[N-11, B-04] two people void what it has not paid; paid earnings stay', async () => {
    const { data } = await record(500)
    const earned = (await earn(120)).data._id
    expect((await propose(data._id)).data).toMatchObject({ status: 'void_proposed', left: 380 })
    expect((await voidIt(data._id)).data).toMatchObject({
      status: 'voided',
      paidOut: 120,
      left: 0,
      voidReason: 'The buyer never paid',
      voidProposedBy: 'Ada Admin',
      voidedBy: 'Grace Admin',
    })
    expect(await summary()).toMatchObject({ recorded: 120, paidOut: 120, left: 0, voidProposed: 0 })
    expect(await available()).toBe(12_000n)
    expect((await one(data._id)).history.map(({ action }) => action)).toEqual([
      'Return recorded',
      'Return void proposed',
      'Return voided',
    ])
    const earning = await world().call(getEarning, investor(), { params: { id: earned } })
    expect(earning.data.returns).toMatchObject([{ amount: 120, restVoided: true }])
    expect(await broken()).toEqual([])
  })

  test('[N-11, B-04] pays nothing from the proposal on, until it is rejected', async () => {
    const { data } = await record(500)
    await propose(data._id)
    expect(await summary()).toMatchObject({ recorded: 500, left: 0, voidProposed: 500 })
    expect(await add({ amount: 1 })).toMatchObject({
      code: 'insufficient_returns',
      message: 'Only $0.00 of recorded returns is available; $1.00 needed. Record a realised return first.',
    })
    // Its recorder proposed it, and may withdraw the proposal.
    expect((await reject(data._id, world().admin)).data).toMatchObject({ status: 'recorded', left: 500 })
    expect((await earn(1)).status).toBe(200)
    expect(await broken()).toEqual([])
  })

  test('[N-11, D7] needs two people, and no judge in their own case keeps a return', async () => {
    const third = await world().person('Theo Third', 'finance')
    const { data } = await record(500)
    expect((await propose(data._id, world().secondAdmin)).status).toBe(200)
    const before = await world().state()
    expect(await voidIt(data._id, world().secondAdmin)).toMatchObject({ code: 'same_approver' })
    expect(await reject(data._id, world().admin)).toMatchObject({ code: 'same_approver' })
    expect(await propose(data._id, third)).toMatchObject({
      code: 'wrong_state',
      message: 'This return is already proposed to be voided. Only recorded returns can be voided.',
    })
    expect(await world().state()).toBe(before)
    expect((await reject(data._id, third)).status).toBe(200)
    const only = 'This return is already recorded. Only returns that are proposed to be voided can be'
    expect(await voidIt(data._id)).toMatchObject({ reason: 'wrong_status', message: `${only} voided.` })
    expect(await reject(data._id, third)).toMatchObject({ reason: 'wrong_status', message: `${only} kept.` })
  })

  test('[N-11] is refused once all of it is paid out', async () => {
    const { data } = await record(100)
    await earn(100)
    expect(await propose(data._id)).toMatchObject({
      status: 409,
      message: 'All of this return has been paid out, so there is nothing left to void.',
    })
  })

  test('[N-11, B-04, S-04] a payment and a proposal at the same moment have one order', async () => {
    const { data } = await record(100)
    const pending = (await add({ amount: 100 })).data[0]!._id
    const [paid, proposed] = await Promise.all([approveEarning(pending), propose(data._id)])
    expect([paid.status, proposed.status].toSorted()).toEqual([200, 409])
    expect(await broken()).toEqual([])
  })

  test('[N-11, S-04] one of fifty parallel decisions takes effect', async () => {
    const { data } = await record(500)
    await propose(data._id)
    const third = await world().person('Theo Third', 'finance')
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 2 ? voidIt(data._id) : reject(data._id, third))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await broken()).toEqual([])
  })

  test('[N-11] the list finds what waits for a decision', async () => {
    const { data: large } = await record(20_000)
    const { data: wrong } = await record(500)
    await record(100)
    await propose(wrong._id)
    const found = async (status: string) =>
      (await world().call(call.listReturns, world().admin, { query: { status } })).data.map(({ _id }) => _id)
    expect(await found('undecided')).toEqual([wrong._id, large._id])
    expect(await found('void_proposed')).toEqual([wrong._id])
  })
})
