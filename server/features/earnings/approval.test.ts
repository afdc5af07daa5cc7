import { beforeEach, describe, expect, test } from 'vitest'
import { earningsWorld } from '#test/support/earnings.ts'

const { world, record, add, approve, activeInvestment, available } = earningsWorld({
  earningsSecondApproval: true,
})

describe('where a second admin must approve', () => {
  beforeEach(async () => {
    await record(500)
    await activeInvestment()
  })

  test('[D7, C-15] it waits, and is paid by the second admin', async () => {
    const { data, message } = await add({ amount: 100 })
    expect(message).toBe('Earnings added. Another admin must approve them')
    expect(data).toMatchObject([{ status: 'pending', source: 'Recorded returns, named when it is paid' }])
    expect(await available()).toBe(0n)
    const approved = await approve(data[0]!._id)
    expect(approved.data).toMatchObject({ status: 'paid', source: 'Sale of a warehouse' })
    expect(await available()).toBe(10_000n)
  })

  test('[D7, S-04] who has added it cannot approve it; nobody approves it twice', async () => {
    const { data } = await add({ amount: 100 })
    const id = data[0]!._id
    const before = await world().state()
    expect(await approve(id, world().admin)).toMatchObject({ status: 409, code: 'same_approver' })
    expect(await world().state()).toBe(before)
    const answers = await Promise.all(Array.from({ length: 50 }, () => approve(id)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'wrong_state')).toHaveLength(49)
    expect(await available()).toBe(10_000n)
  })

  test('[D7] whose earning it is cannot approve it, though another admin has added it', async () => {
    await activeInvestment(1_000, 'Enthusiast', world().secondAdmin)
    const { data } = await add({ amount: 100 }, world().admin, world().secondAdmin)
    const before = await world().state()
    expect(await approve(data[0]!._id)).toMatchObject({ status: 409, code: 'own_request' })
    expect(await world().state()).toBe(before)
  })

  test('[D7] what waits does not accrue again', async () => {
    world().clock.pass({ days: 10 })
    await add()
    expect(await add()).toMatchObject({ code: 'nothing_accrued' })
  })

  test('[B-04, D7] two that wait for the same money: the second is refused when it is approved', async () => {
    const [first, second] = [await add({ amount: 300 }), await add({ amount: 300 })]
    await approve(first.data[0]!._id)
    const before = await world().state()
    expect(await approve(second.data[0]!._id)).toMatchObject({
      status: 409,
      code: 'insufficient_returns',
      message: 'Recorded returns hold $200.00; $300.00 is needed. Record a realised return first.',
    })
    expect(await world().state()).toBe(before)
  })
})
