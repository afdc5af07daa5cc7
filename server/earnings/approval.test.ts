import { beforeEach, describe, expect, test } from 'vitest'
import { earningsWorld } from '#test/support/earnings.ts'

const { world, record, add, approve, activeInvestment, available } = earningsWorld({
  earningsSecondApproval: true,
})

describe('with a second approval', () => {
  beforeEach(async () => {
    await record(500)
    await activeInvestment()
  })

  test('[D7, C-15] an earning is pending until the second admin pays it', async () => {
    const { data, message } = await add({ amount: 100 })
    expect(message).toBe('Earnings added. A second person must approve them')
    expect(data).toMatchObject([{ status: 'pending', source: 'Recorded returns, named once it is paid' }])
    expect(await available()).toBe(0n)
    const approved = await approve(data[0]!._id)
    expect(approved.data).toMatchObject({ status: 'paid', source: 'Sale of a warehouse' })
    expect(await available()).toBe(10_000n)
  })

  test('[D7, S-04] its author cannot approve it; nobody approves it twice', async () => {
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

  test('[D7] its own investor cannot approve it, even if another admin added it', async () => {
    await activeInvestment(1_000, 'Enthusiast', world().secondAdmin)
    const { data } = await add({ amount: 100 }, world().admin, world().secondAdmin)
    const before = await world().state()
    expect(await approve(data[0]!._id)).toMatchObject({ status: 409, code: 'own_request' })
    expect(await world().state()).toBe(before)
  })

  test('[D7] a pending earning does not accrue again', async () => {
    world().clock.pass({ days: 10 })
    await add()
    expect(await add()).toMatchObject({ code: 'nothing_accrued' })
  })

  test('[B-04, D7] of two earnings for the same money, the second approval is refused', async () => {
    const [first, second] = [await add({ amount: 300 }), await add({ amount: 300 })]
    await approve(first.data[0]!._id)
    const before = await world().state()
    expect(await approve(second.data[0]!._id)).toMatchObject({
      status: 409,
      code: 'insufficient_returns',
      message:
        'Only $200.00 of recorded returns is available; $300.00 needed. Record a realised return first.',
    })
    expect(await world().state()).toBe(before)
  })
})
