import { describe, expect, test } from 'vitest'
import * as call from '#shared/contract/earnings.ts'
import { statement } from '#shared/contract/ledger.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import * as returnCall from '#shared/contract/returns.ts'
import { earningsWorld } from '#test/support/earnings.ts'

const { world, investor, record, add, approve, activeInvestment, close, available, left } = earningsWorld()

/** An active investment with $3,000 of unpaid accruals. */
async function accruing(): Promise<string> {
  const id = await activeInvestment(20_000, 'Promo')
  world().clock.pass({ days: 30 })
  return id
}

describe('adding an amount', () => {
  test('[C-15, N-09] pays it from recorded returns at once', async () => {
    await record(500)
    const investment = await accruing()
    const { data, message } = await add({ amount: 120.5, note: 'October' })
    expect(message).toBe('Earnings added')
    expect(data).toMatchObject([
      { amount: 120.5, status: 'paid', source: 'Sale of a warehouse', note: 'October', investment },
    ])
    expect(data[0]?.investmentLabel).toMatch(/^Promo, INV-/)
    expect(await available()).toBe(12_050n)
    expect(await left()).toBe(37_950n)
  })

  test('[N-09, D-10] sends its note by email and shows it on the statement', async () => {
    await record(500)
    await accruing()
    await add({ amount: 120.5, note: 'Rent of October' })
    const { data } = await world().call(statement, investor(), { query: { limit: 1 } })
    expect(data[0]).toMatchObject({ event: 'earning.paid', note: 'Rent of October' })
    const { data: notifications } = await world().call(listNotifications, investor(), { query: { limit: 1 } })
    expect(notifications[0]?.details).toContain('Note: Rent of October')
    await add({ amount: 1 })
    const { data: without } = await world().call(listNotifications, investor(), { query: { limit: 1 } })
    expect(without[0]?.details).toEqual(['Source: Sale of a warehouse.'])
  })

  test('[B-04, N-09] above the recorded returns is refused with the amount available', async () => {
    await record(500)
    await accruing()
    const before = await world().state()
    expect(await add({ amount: 500.01 })).toMatchObject({
      status: 409,
      code: 'insufficient_returns',
      message:
        'Only $500.00 of recorded returns is available; $500.01 needed. Record a realised return first.',
    })
    expect(await world().state()).toBe(before)
    expect((await add({ amount: 500 })).status).toBe(200)
    expect(await left()).toBe(0n)
    expect((await add({ amount: 0.01 })).message).toContain('Only $0.00 of recorded returns')
  })

  test('[D1] uses the oldest return first and names every return that paid', async () => {
    await record(100, 'Rent of a hall', '2026-05-01')
    await record(60, 'Sale of shares', '2026-02-01')
    await record(500, 'Licence fees', '2026-07-01')
    await accruing()
    const first = await add({ amount: 50 })
    expect(first.data[0]?.source).toBe('Sale of shares')
    const second = await add({ amount: 130 })
    expect(second.data[0]?.source).toBe('Sale of shares; Rent of a hall; Licence fees')
    const { data } = await world().call(returnCall.listReturns, world().admin)
    expect(data.map(item => [item.source, item.paidOut])).toEqual([
      ['Licence fees', 20],
      ['Sale of shares', 60],
      ['Rent of a hall', 100],
    ])
  })

  test('[C-15, D7] beyond what has accrued, a second person must approve it', async () => {
    await record(5_000)
    await accruing()
    expect((await add({ amount: 3_000 })).data[0]).toMatchObject({ status: 'paid', beyondAccrued: 0 })
    const { message, data } = await add({ amount: 0.01 })
    expect(message).toBe('Earnings added. A second person must approve them')
    expect(data[0]).toMatchObject({ status: 'pending', beyondAccrued: 0.01 })
    expect(await available()).toBe(300_000n)
    const { _id: id } = data[0]!
    expect(await approve(id, world().admin)).toMatchObject({ status: 409, code: 'same_approver' })
    expect((await approve(id)).data).toMatchObject({ status: 'paid', beyondAccrued: 0.01 })
    expect(await available()).toBe(300_001n)
  })

  test('[C-15] pays the named investment, else the oldest active one', async () => {
    await record(500)
    const [older, newer] = [await activeInvestment(), await activeInvestment()]
    expect((await add({ amount: 1 })).data[0]?.investment).toBe(older)
    expect((await add({ amount: 1, investmentId: newer })).data[0]?.investment).toBe(newer)
  })

  test('[N-09, C-15] without an active investment is refused', async () => {
    await record(500)
    expect(await add({ amount: 1 })).toMatchObject({ status: 409, code: 'no_active_investment' })
    const closed = await activeInvestment()
    await close(closed)
    const before = await world().state()
    for (const body of [{ amount: 1 }, {}, { amount: 1, investmentId: closed }]) {
      expect(await add(body)).toMatchObject({
        status: 409,
        code: 'no_active_investment',
        message: 'You can add earnings only for a user with an active investment.',
      })
    }
    expect(await world().state()).toBe(before)
  })

  test("[C-15] refuses another user's investment, unknown users and oneself", async () => {
    await record(500)
    await activeInvestment()
    const other = await activeInvestment(1_000, 'Enthusiast', await world().person('Other'))
    const before = await world().state()
    expect(await add({ amount: 1, investmentId: other })).toMatchObject({ code: 'no_active_investment' })
    const unknown = '019aa000-0000-7000-8000-000000000000'
    expect(
      await world().call(call.addEarning, world().admin, {
        params: { userId: unknown },
        body: { amount: 1 },
      }),
    ).toMatchObject({ status: 404, code: 'not_found' })
    expect(await add({ amount: 1 }, world().admin, world().admin)).toMatchObject({ code: 'own_request' })
    expect(await world().state()).toBe(before)
  })

  test('[B-04] of 50 parallel earnings only as many are paid as the returns cover', async () => {
    await record(60)
    await record(40, 'Rent of a hall')
    const people = [investor()]
    for (let n = 1; n < 10; n += 1) people.push(await world().person(`Investor ${n}`))
    for (const person of people) await activeInvestment(20_000, 'Promo', person)
    world().clock.pass({ days: 30 })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => add({ amount: 10 }, world().admin, people[n % 10])),
    )
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(10)
    expect(answers.filter(answer => answer.code === 'insufficient_returns')).toHaveLength(40)
    expect(answers.map(answer => answer.status).filter(status => status >= 500)).toEqual([])
    const paid = await Promise.all(people.map(available))
    expect(paid.reduce((sum, cents) => sum + cents, 0n)).toBe(10_000n)
    expect(await left()).toBe(0n)
    const { rows } = await world().owner('SELECT sum(amount_cents - spent_cents) AS unspent FROM app.returns')
    expect(rows[0].unspent).toBe('0')
  })
})

describe('lists', () => {
  test("[C-21, C-24] one's own newest first; staff see all", async () => {
    await record(500)
    await activeInvestment()
    for (const amount of [1, 2, 3]) await add({ amount })
    const own = await world().call(call.listOwnEarnings, investor())
    expect(own.data.map(earning => earning.amount)).toEqual([3, 2, 1])
    const all = await world().call(call.listEarnings, world().admin, { query: { limit: 2 } })
    expect(all.data.map(earning => [earning.amount, earning.userName])).toEqual([
      [3, 'Ines Investor'],
      [2, 'Ines Investor'],
    ])
    expect(all.page?.total).toBe(3)
    const other = await world().call(call.listOwnEarnings, await world().person('Other'))
    expect(other.data).toEqual([])
  })
})
