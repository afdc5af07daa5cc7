import { describe, expect, test } from 'vitest'
import { earningsWorld } from '#test/support/earnings.ts'

const { world, record, add, activeInvestment, close, available } = earningsWorld()

describe('without an amount', () => {
  test('[C-15] refuses a misspelt amount', async () => {
    const before = await world().state()
    expect(await add({ amout: 5 })).toMatchObject({
      status: 400,
      message: 'There is no field amout',
    })
    expect(await world().state()).toBe(before)
  })

  test('[D7, C-15] pays the accruals of whole days, an earning for each investment', async () => {
    await record(1_000)
    const first = await activeInvestment(1_000, 'Enthusiast') // 10.5 % in 30 days: $3.50 a day
    world().clock.pass({ days: 2 })
    const second = await activeInvestment(600, 'Beginner') // 3 % in 30 days: $0.60 a day
    world().clock.pass({ days: 5, minutes: 60 })
    const { data } = await add()
    expect(data.map(({ investment, amount }) => [investment, amount])).toEqual([
      [first, 24.5],
      [second, 3],
    ])
    expect(await available()).toBe(2_750n)
  })

  test('[D7] never pays an accrual twice, nor more than the whole target', async () => {
    await record(1_000)
    await activeInvestment(1_000, 'Enthusiast')
    world().clock.pass({ days: 10 })
    expect((await add()).data.map(earning => earning.amount)).toEqual([35])
    const before = await world().state()
    expect(await add()).toMatchObject({ status: 409, code: 'nothing_accrued' })
    expect(await world().state()).toBe(before)
    await add({ amount: 20 })
    world().clock.pass({ days: 400 })
    expect((await add()).data.map(earning => earning.amount)).toEqual([50])
    expect(await add()).toMatchObject({ code: 'nothing_accrued' })
  })

  test('[D7] of 20 parallel requests one pays the accruals', async () => {
    await record(1_000)
    await activeInvestment(1_000, 'Enthusiast')
    world().clock.pass({ days: 10 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => add()))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'nothing_accrued')).toHaveLength(19)
    expect(await available()).toBe(3_500n)
  })

  test('[B-04, D7] pays nothing if the returns do not cover all of it', async () => {
    await record(30)
    await activeInvestment(1_000, 'Enthusiast')
    await activeInvestment(1_000, 'Enthusiast')
    world().clock.pass({ days: 5 })
    const before = await world().state()
    expect(await add()).toMatchObject({
      code: 'insufficient_returns',
      message: 'Only $30.00 of recorded returns is available; $35.00 needed. Record a realised return first.',
    })
    expect(await world().state()).toBe(before)
  })

  test('[D7] pays the named investment alone, if one is named', async () => {
    await record(1_000)
    await activeInvestment(1_000, 'Enthusiast')
    const second = await activeInvestment(2_000, 'Enthusiast')
    world().clock.pass({ days: 1 })
    const { data } = await add({ investmentId: second })
    expect(data.map(({ investment, amount }) => [investment, amount])).toEqual([[second, 7]])
  })

  test('[D7] adds no earning after a concurrent closing', async () => {
    await record(1_000)
    for (let round = 0; round < 10; round += 1) {
      const someone = await world().person('Racer')
      const id = await activeInvestment(1_000, 'Enthusiast', someone)
      world().clock.pass({ days: 1 })
      const [closed, added] = await Promise.all([close(id), add({ amount: 1 }, world().admin, someone)])
      expect(closed.status).toBe(200)
      expect(await available(someone)).toBe(added.status === 200 ? 100_100n : 100_000n)
    }
  })
})
