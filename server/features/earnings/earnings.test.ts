import { beforeEach, describe, expect, test } from 'vitest'
import { recordedReturns } from '#server/ledger/balances.ts'
import * as call from '#shared/contract/earnings.ts'
import {
  approveInvestment,
  closeInvestment,
  getInvestment,
  newInvestment,
} from '#shared/contract/investments.ts'
import { statement } from '#shared/contract/ledger.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import * as returnCall from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeEach(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
})

const record = (amount: number, source = 'Sale of a warehouse', realisedAt = '2026-03-01', w = world) =>
  w.call(returnCall.newReturn, w.admin, {
    body: { amount, source, realisedAt, evidence: 'https://registry.example/deed/1' },
  })
const add = (body: object = {}, admin = world.admin, who = investor) =>
  world.call(call.addEarning, admin, { params: { userId: who.id }, body })
const approve = (id: string, admin = world.secondAdmin) =>
  world.call(call.approveEarning, admin, { params: { id } })
const decline = (id: string, admin = world.admin, reason: string | undefined = 'Meant for another month') =>
  world.call(call.declineEarning, admin, { params: { id }, body: { reason: reason! } })
async function activeInvestment(amount = 1_000, plan = 'Enthusiast', who = investor): Promise<string> {
  const body = { method: 'usdt', plan, amount } as const
  const { data } = await world.call(newInvestment, who, { body })
  await world.call(approveInvestment, world.admin, { params: { id: data._id } })
  return data._id
}
const close = (id: string) => world.call(closeInvestment, world.admin, { params: { id } })
const available = async (who = investor) => (await world.balances(who)).available
const left = async () => (await recordedReturns(world.database.db)).leftCents

describe('adding an amount', () => {
  test('[C-15, N-09] it is paid out of the recorded returns at once', async () => {
    await record(500)
    const investment = await activeInvestment()
    const { data, message } = await add({ amount: 120.5, note: 'October' })
    expect(message).toBe('Earnings added')
    expect(data).toMatchObject([
      { amount: 120.5, status: 'paid', source: 'Sale of a warehouse', note: 'October', investment },
    ])
    expect(data[0]?.investmentLabel).toMatch(/^Enthusiast, INV-/)
    expect(await available()).toBe(12_050n)
    expect(await left()).toBe(37_950n)
  })

  test('[N-09, D-10] the note with it is told in the letter and stands on the statement', async () => {
    await record(500)
    await activeInvestment()
    await add({ amount: 120.5, note: 'Rent of October' })
    const { data } = await world.call(statement, investor, { query: { limit: 1 } })
    expect(data[0]).toMatchObject({ event: 'earning.paid', note: 'Rent of October' })
    const { data: told } = await world.call(listNotifications, investor, { query: { limit: 1 } })
    expect(told[0]?.details).toContain('A note with it: Rent of October')
    await add({ amount: 1 })
    const { data: without } = await world.call(listNotifications, investor, { query: { limit: 1 } })
    expect(without[0]?.details).toEqual(['The firm earned it on: Sale of a warehouse.'])
  })

  test('[B-04, N-09] beyond the recorded returns it is refused, saying how much is there', async () => {
    await record(500)
    await activeInvestment()
    const before = await world.state()
    expect(await add({ amount: 500.01 })).toMatchObject({
      status: 409,
      code: 'insufficient_returns',
      message: 'Recorded returns hold $500.00; $500.01 is needed. Record a realised return first.',
    })
    expect(await world.state()).toBe(before)
    expect((await add({ amount: 500 })).status).toBe(200)
    expect(await left()).toBe(0n)
    expect((await add({ amount: 0.01 })).message).toContain('Recorded returns hold $0.00')
  })

  test('[D1] the oldest return is used up first, and the earning names every one that paid it', async () => {
    await record(100, 'Rent of a hall', '2026-05-01')
    await record(60, 'Sale of shares', '2026-02-01')
    await record(500, 'Licence fees', '2026-07-01')
    await activeInvestment()
    const first = await add({ amount: 50 })
    expect(first.data[0]?.source).toBe('Sale of shares')
    const second = await add({ amount: 130 })
    expect(second.data[0]?.source).toBe('Sale of shares; Rent of a hall; Licence fees')
    const { data } = await world.call(returnCall.listReturns, world.admin)
    expect(data.map(item => [item.source, item.paidOut])).toEqual([
      ['Licence fees', 20],
      ['Sale of shares', 60],
      ['Rent of a hall', 100],
    ])
  })

  test('[C-15] it goes to the named investment, else to the oldest active one', async () => {
    await record(500)
    const [older, newer] = [await activeInvestment(), await activeInvestment()]
    expect((await add({ amount: 1 })).data[0]?.investment).toBe(older)
    expect((await add({ amount: 1, investmentId: newer })).data[0]?.investment).toBe(newer)
  })

  test('[N-09, C-15] without an active investment it is refused', async () => {
    await record(500)
    expect(await add({ amount: 1 })).toMatchObject({ status: 409, code: 'no_active_investment' })
    const closed = await activeInvestment()
    await close(closed)
    const before = await world.state()
    for (const body of [{ amount: 1 }, {}, { amount: 1, investmentId: closed }]) {
      expect(await add(body)).toMatchObject({
        status: 409,
        code: 'no_active_investment',
        message: 'Earnings can be added only for a user with an active investment',
      })
    }
    expect(await world.state()).toBe(before)
  })

  test("[C-15] somebody else's investment, an unknown user and oneself are refused", async () => {
    await record(500)
    await activeInvestment()
    const other = await activeInvestment(1_000, 'Enthusiast', await world.person('Other'))
    const before = await world.state()
    expect(await add({ amount: 1, investmentId: other })).toMatchObject({ code: 'no_active_investment' })
    const nobody = '019aa000-0000-7000-8000-000000000000'
    expect(
      await world.call(call.addEarning, world.admin, { params: { userId: nobody }, body: { amount: 1 } }),
    ).toMatchObject({ status: 404, code: 'not_found' })
    expect(await add({ amount: 1 }, world.admin, world.admin)).toMatchObject({ code: 'own_request' })
    expect(await world.state()).toBe(before)
  })

  test('[B-04] of 50 parallel earnings of ten investors only as many are paid as the returns hold', async () => {
    await record(60)
    await record(40, 'Rent of a hall')
    const people = [investor]
    for (let n = 1; n < 10; n += 1) people.push(await world.person(`Investor ${n}`))
    for (const person of people) await activeInvestment(1_000, 'Enthusiast', person)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => add({ amount: 10 }, world.admin, people[n % 10])),
    )
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(10)
    expect(answers.filter(answer => answer.code === 'insufficient_returns')).toHaveLength(40)
    expect(answers.map(answer => answer.status).filter(status => status >= 500)).toEqual([])
    const paid = await Promise.all(people.map(available))
    expect(paid.reduce((sum, cents) => sum + cents, 0n)).toBe(10_000n)
    expect(await left()).toBe(0n)
    const { rows } = await world.owner('SELECT sum(amount_cents - spent_cents) AS unspent FROM app.returns')
    expect(rows[0].unspent).toBe('0')
  })
})

describe('without an amount', () => {
  test('[C-15] a misspelt amount is not taken for none', async () => {
    const before = await world.state()
    expect(await add({ amout: 5 })).toMatchObject({
      status: 400,
      message: 'There is no field amout',
    })
    expect(await world.state()).toBe(before)
  })

  test('[D7, C-15] what whole elapsed days have accrued is paid, an earning for each investment', async () => {
    await record(1_000)
    const first = await activeInvestment(1_000, 'Enthusiast') // 10.5 % in 30 days: $3.50 a day
    world.clock.pass({ days: 2 })
    const second = await activeInvestment(600, 'Beginner') // 3 % in 30 days: $0.60 a day
    world.clock.pass({ days: 5, minutes: 60 })
    const { data } = await add()
    expect(data.map(({ investment, amount }) => [investment, amount])).toEqual([
      [first, 24.5],
      [second, 3],
    ])
    expect(await available()).toBe(2_750n)
  })

  test('[D7] what was paid is not paid again; nothing more than the whole target ever is', async () => {
    await record(1_000)
    await activeInvestment(1_000, 'Enthusiast')
    world.clock.pass({ days: 10 })
    expect((await add()).data.map(earning => earning.amount)).toEqual([35])
    const before = await world.state()
    expect(await add()).toMatchObject({ status: 409, code: 'nothing_accrued' })
    expect(await world.state()).toBe(before)
    await add({ amount: 20 })
    world.clock.pass({ days: 400 })
    expect((await add()).data.map(earning => earning.amount)).toEqual([50])
    expect(await add()).toMatchObject({ code: 'nothing_accrued' })
  })

  test('[D7] of 20 parallel ones one pays what has accrued', async () => {
    await record(1_000)
    await activeInvestment(1_000, 'Enthusiast')
    world.clock.pass({ days: 10 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => add()))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'nothing_accrued')).toHaveLength(19)
    expect(await available()).toBe(3_500n)
  })

  test('[B-04, D7] where the returns do not hold all of it, none of it is paid', async () => {
    await record(30)
    await activeInvestment(1_000, 'Enthusiast')
    await activeInvestment(1_000, 'Enthusiast')
    world.clock.pass({ days: 5 })
    const before = await world.state()
    expect(await add()).toMatchObject({
      code: 'insufficient_returns',
      message: 'Recorded returns hold $30.00; $35.00 is needed. Record a realised return first.',
    })
    expect(await world.state()).toBe(before)
  })

  test('[D7] only of the named investment where one is named', async () => {
    await record(1_000)
    await activeInvestment(1_000, 'Enthusiast')
    const second = await activeInvestment(2_000, 'Enthusiast')
    world.clock.pass({ days: 1 })
    const { data } = await add({ investmentId: second })
    expect(data.map(({ investment, amount }) => [investment, amount])).toEqual([[second, 7]])
  })

  test('[D7] of close and earnings at the same time, no earning is added after the closing', async () => {
    await record(1_000)
    for (let round = 0; round < 10; round += 1) {
      const someone = await world.person('Racer')
      const id = await activeInvestment(1_000, 'Enthusiast', someone)
      const [closed, added] = await Promise.all([close(id), add({ amount: 1 }, world.admin, someone)])
      expect(closed.status).toBe(200)
      expect(await available(someone)).toBe(added.status === 200 ? 100_100n : 100_000n)
    }
  })
})

describe('where a second admin must approve', () => {
  beforeEach(async () => {
    world = await openWorld({ earningsSecondApproval: true })
    investor = await world.person('Ines Investor')
    await record(500)
    await activeInvestment()
  })

  test('[D7, C-15] it waits, and is paid by the second admin', async () => {
    const { data } = await add({ amount: 100 })
    expect(data).toMatchObject([{ status: 'pending', source: 'Recorded returns, named when it is paid' }])
    expect(await available()).toBe(0n)
    const approved = await approve(data[0]!._id)
    expect(approved.data).toMatchObject({ status: 'paid', source: 'Sale of a warehouse' })
    expect(await available()).toBe(10_000n)
  })

  test('[D7, S-04] who has added it cannot approve it; nobody approves it twice', async () => {
    const { data } = await add({ amount: 100 })
    const id = data[0]!._id
    const before = await world.state()
    expect(await approve(id, world.admin)).toMatchObject({ status: 409, code: 'same_approver' })
    expect(await world.state()).toBe(before)
    const answers = await Promise.all(Array.from({ length: 50 }, () => approve(id)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'wrong_state')).toHaveLength(49)
    expect(await available()).toBe(10_000n)
  })

  test('[D7] whose earning it is cannot approve it, though another admin has added it', async () => {
    await activeInvestment(1_000, 'Enthusiast', world.secondAdmin)
    const { data } = await add({ amount: 100 }, world.admin, world.secondAdmin)
    const before = await world.state()
    expect(await approve(data[0]!._id)).toMatchObject({ status: 409, code: 'own_request' })
    expect(await world.state()).toBe(before)
  })

  test('[D7] what waits does not accrue again', async () => {
    world.clock.pass({ days: 10 })
    await add()
    expect(await add()).toMatchObject({ code: 'nothing_accrued' })
  })

  test('[B-04, D7] two that wait for the same money: the second is refused when it is approved', async () => {
    const [first, second] = [await add({ amount: 300 }), await add({ amount: 300 })]
    await approve(first.data[0]!._id)
    const before = await world.state()
    expect(await approve(second.data[0]!._id)).toMatchObject({
      status: 409,
      code: 'insufficient_returns',
      message: 'Recorded returns hold $200.00; $300.00 is needed. Record a realised return first.',
    })
    expect(await world.state()).toBe(before)
  })
})

describe('declining an earning that waits for the second admin', () => {
  let investment: string
  beforeEach(async () => {
    world = await openWorld({ earningsSecondApproval: true })
    investor = await world.person('Ines Investor')
    await record(500)
    investment = await activeInvestment()
    world.clock.pass({ days: 10 })
  })
  const proposed = async (body: object = {}) => (await add(body)).data[0]!
  const accrued = async () => {
    const { data } = await world.call(getInvestment, investor, { params: { id: investment } })
    return data.accrued
  }

  test('[D7] the second admin declines it with a reason; it pays nothing, and its days accrue again', async () => {
    const { _id } = await proposed()
    expect(await accrued()).toBe(0)
    const answer = await decline(_id, world.secondAdmin)
    expect(answer).toMatchObject({ status: 200, message: 'Earning declined' })
    expect(answer.data).toMatchObject({
      status: 'declined',
      declineReason: 'Meant for another month',
      amount: 35,
      source: 'Not paid',
    })
    expect([await available(), await left(), await accrued()]).toEqual([0n, 50_000n, 35])
    const again = await proposed()
    expect(again.amount).toBe(35)
    expect((await approve(again._id)).data.status).toBe('paid')
    expect([await available(), await left(), await accrued()]).toEqual([3_500n, 46_500n, 0])
  })

  test('[D7] who has added it may take it back himself, and it may be the last thing on a closed investment', async () => {
    const { _id } = await proposed()
    await close(investment)
    expect((await decline(_id, world.admin)).data.status).toBe('declined')
    expect(await available()).toBe(100_000n)
    expect(await left()).toBe(50_000n)
  })

  test('[D7, N-12] the investor, the list and the log show it with its reason', async () => {
    const { _id } = await proposed({ amount: 12.5, note: 'October' })
    await decline(_id, world.secondAdmin)
    const shown = { _id, status: 'declined', declineReason: 'Meant for another month', note: 'October' }
    const own = await world.call(call.listOwnEarnings, investor)
    expect(own.data).toMatchObject([shown])
    const listed = async (status: string) =>
      (await world.call(call.listEarnings, world.admin, { query: { status } })).data.map(({ _id }) => _id)
    expect([await listed('declined'), await listed('pending')]).toEqual([[_id], []])
    const log = await world.call(listAudit, world.admin, { query: { q: _id } })
    expect(log.data[0]).toMatchObject({
      action: 'earning.declined',
      actorName: world.secondAdmin.name,
      reason: 'Meant for another month',
      subjectKind: 'earning',
    })
    const { data } = await world.call(getInvestment, investor, { params: { id: investment } })
    expect(data).toMatchObject({ earned: 0, earnings: [shown] })
    expect(data.history.at(-1)).toMatchObject({
      action: 'Earning declined',
      actor: 'The firm',
      reason: 'Meant for another month',
    })
  })

  test('[D7] without a reason, for an investor, and for one that is not there, nothing changes', async () => {
    const { _id } = await proposed()
    const before = await world.state()
    for (const reason of ['', '   ', undefined]) {
      const body = { ...(reason === undefined ? {} : { reason }) } as { reason: string }
      const answer = await world.call(call.declineEarning, world.admin, { params: { id: _id }, body })
      expect(answer).toMatchObject({ status: 400, message: 'Reason is required' })
    }
    expect(await decline(_id, investor)).toMatchObject({ status: 403, code: 'forbidden' })
    const nothing = '019aa000-0000-7000-8000-000000000000'
    expect(await decline(nothing)).toMatchObject({ status: 404, message: 'There is no such earning' })
    expect(await world.state()).toBe(before)
  })

  test('[S-04] what is paid or declined is neither declined nor approved again', async () => {
    const [paid, declined] = [await proposed({ amount: 10 }), await proposed({ amount: 20 })]
    await approve(paid._id)
    await decline(declined._id)
    const before = await world.state()
    expect(await decline(paid._id)).toMatchObject({
      status: 409,
      code: 'wrong_state',
      message: 'This earning is already paid. Only pending earnings can be declined.',
    })
    for (const refused of [await decline(declined._id), await approve(declined._id)]) {
      expect(refused).toMatchObject({ status: 409, code: 'wrong_state' })
    }
    expect(await world.state()).toBe(before)
  })

  test('[S-04, B-05] of approving and declining at the same time one has an effect', async () => {
    let paid = 0n
    for (let round = 0; round < 10; round += 1) {
      const { _id } = await proposed({ amount: 5 })
      const answers = await Promise.all([
        ...Array.from({ length: 3 }, () => approve(_id)),
        ...Array.from({ length: 3 }, () => decline(_id)),
      ])
      const done = answers.filter(answer => answer.status === 200)
      expect(done).toHaveLength(1)
      expect(answers.filter(answer => answer.code === 'wrong_state')).toHaveLength(5)
      if (done[0]!.data.status === 'paid') paid += 500n
      expect(await available()).toBe(paid)
      expect(await left()).toBe(50_000n - paid)
    }
  })

  test('[B-06] the same key declines once and answers alike; with another reason it is refused', async () => {
    const { _id } = await proposed()
    const send = (reason: string) =>
      world.call(
        call.declineEarning,
        world.admin,
        { params: { id: _id }, body: { reason } },
        { idempotencyKey: 'decline-1' },
      )
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('Twice in the list')))
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, data: { declineReason: 'Twice in the list' } })
    }
    const before = await world.state()
    expect(await send('Another reason')).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    expect(await world.state()).toBe(before)
  })

  test('[D7] of many that propose what has become free again one does', async () => {
    const { _id } = await proposed()
    await decline(_id)
    const answers = await Promise.all(Array.from({ length: 10 }, () => add()))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'nothing_accrued')).toHaveLength(9)
  })
})

describe('lists', () => {
  test("[C-21, C-24] one's own, newest first; all for an admin", async () => {
    await record(500)
    await activeInvestment()
    for (const amount of [1, 2, 3]) await add({ amount })
    const own = await world.call(call.listOwnEarnings, investor)
    expect(own.data.map(earning => earning.amount)).toEqual([3, 2, 1])
    const all = await world.call(call.listEarnings, world.admin, { query: { limit: 2 } })
    expect(all.data.map(earning => [earning.amount, earning.userName])).toEqual([
      [3, 'Ines Investor'],
      [2, 'Ines Investor'],
    ])
    expect(all.page?.total).toBe(3)
    const nobody = await world.call(call.listOwnEarnings, await world.person('Other'))
    expect(nobody.data).toEqual([])
  })
})
