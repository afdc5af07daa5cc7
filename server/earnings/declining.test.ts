import { beforeEach, describe, expect, test } from 'vitest'
import * as call from '#shared/contract/earnings.ts'
import { getInvestment } from '#shared/contract/investments.ts'
import { listAudit } from '#shared/contract/site.ts'
import { earningsWorld } from '#test/support/earnings.ts'

const { world, investor, record, add, approve, decline, activeInvestment, close, available, left } =
  earningsWorld({ earningsSecondApproval: true })

describe('declining a pending earning', () => {
  let investment: string
  beforeEach(async () => {
    await record(500)
    investment = await activeInvestment()
    world().clock.pass({ days: 10 })
  })
  const proposed = async (body: object = {}) => (await add(body)).data[0]!
  const accrued = async () => {
    const { data } = await world().call(getInvestment, investor(), { params: { id: investment } })
    return data.accrued
  }

  test('[D7] with a reason pays nothing, and its days accrue again', async () => {
    const { _id } = await proposed()
    expect(await accrued()).toBe(0)
    const answer = await decline(_id, world().secondAdmin)
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

  test('[D7] its author may decline it, even on a closed investment', async () => {
    const { _id } = await proposed()
    await close(investment)
    expect((await decline(_id, world().admin)).data.status).toBe('declined')
    expect(await available()).toBe(100_000n)
    expect(await left()).toBe(50_000n)
  })

  test('[D7, N-12] the investor, the list and the audit log show it with its reason', async () => {
    const { _id } = await proposed({ amount: 12.5, note: 'October' })
    await decline(_id, world().secondAdmin)
    const shown = { _id, status: 'declined', declineReason: 'Meant for another month', note: 'October' }
    const own = await world().call(call.listOwnEarnings, investor())
    expect(own.data).toMatchObject([shown])
    const listed = async (status: string) =>
      (await world().call(call.listEarnings, world().admin, { query: { status } })).data.map(({ _id }) => _id)
    expect([await listed('declined'), await listed('pending')]).toEqual([[_id], []])
    const log = await world().call(listAudit, world().admin, { query: { q: _id } })
    expect(log.data[0]).toMatchObject({
      action: 'earning.declined',
      actorName: world().secondAdmin.name,
      reason: 'Meant for another month',
      subjectKind: 'earning',
    })
    const { data } = await world().call(getInvestment, investor(), { params: { id: investment } })
    expect(data).toMatchObject({ earned: 0, earnings: [shown] })
    expect(data.history.at(-1)).toMatchObject({
      action: 'Earning declined',
      actor: 'The firm',
      reason: 'Meant for another month',
    })
  })

  test('[D7] changes nothing without a reason, for investors or for unknown earnings', async () => {
    const { _id } = await proposed()
    const before = await world().state()
    for (const reason of ['', '   ', undefined]) {
      const body = { ...(reason === undefined ? {} : { reason }) } as { reason: string }
      const answer = await world().call(call.declineEarning, world().admin, { params: { id: _id }, body })
      expect(answer).toMatchObject({ status: 400, message: 'Reason is required' })
    }
    expect(await decline(_id, investor())).toMatchObject({ status: 403, code: 'forbidden' })
    const nothing = '019aa000-0000-7000-8000-000000000000'
    expect(await decline(nothing)).toMatchObject({ status: 404, message: 'There is no such earning' })
    expect(await world().state()).toBe(before)
  })

  test('[S-04] a paid or declined earning is neither declined nor approved again', async () => {
    const [paid, declined] = [await proposed({ amount: 10 }), await proposed({ amount: 20 })]
    await approve(paid._id)
    await decline(declined._id)
    const before = await world().state()
    expect(await decline(paid._id)).toMatchObject({
      status: 409,
      code: 'wrong_state',
      message: 'This earning is already paid. Only pending earnings can be declined.',
    })
    for (const refused of [await decline(declined._id), await approve(declined._id)]) {
      expect(refused).toMatchObject({ status: 409, code: 'wrong_state' })
    }
    expect(await world().state()).toBe(before)
  })

  test('[S-04, B-05] of concurrent approving and declining one takes effect', async () => {
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

  test('[B-06] the same key declines once; with another reason it is refused', async () => {
    const { _id } = await proposed()
    const send = (reason: string) =>
      world().call(
        call.declineEarning,
        world().admin,
        { params: { id: _id }, body: { reason } },
        { idempotencyKey: 'decline-1' },
      )
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('Twice in the list')))
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, data: { declineReason: 'Twice in the list' } })
    }
    const before = await world().state()
    expect(await send('Another reason')).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    expect(await world().state()).toBe(before)
  })

  test('[D7] of many who then add the released accrual one succeeds', async () => {
    const { _id } = await proposed()
    await decline(_id)
    const answers = await Promise.all(Array.from({ length: 10 }, () => add()))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'nothing_accrued')).toHaveLength(9)
  })
})
