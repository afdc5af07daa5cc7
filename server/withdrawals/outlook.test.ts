import { beforeEach, describe, expect, test } from 'vitest'
import { estimateWithdrawal, withdrawalTimes } from '#shared/contract/withdrawals.ts'
import { priceStaleMinutes, withdrawalTimesDays, withdrawalTimesLeast } from '#shared/limits.ts'
import { payingRails } from '#test/support/payouts.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** What an investor is told before they request a withdrawal. */

let world: World
let investor: Person
beforeEach(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
})

describe('the estimate in coin', () => {
  const estimate = async (wallet: string, amount = '250.50') =>
    (await world.call(estimateWithdrawal, investor, { query: { wallet, amount } as never })).data

  test('[D-08, D7] is what an approval would lock, with the rate and its time', async () => {
    const data = await estimate('Bitcoin (BTC)')
    const rate = Number(data!.rate.replaceAll(',', ''))
    expect(Number(data!.amountCrypto)).toBeCloseTo(250.5 / rate, 8)
    expect(data).toMatchObject({ asset: 'BTC', rateAt: expect.any(String), lockedAtApproval: false })
    expect(await estimate('USDT TRC-20')).toMatchObject({ asset: 'USDT', amountCrypto: '250.500000' })
    world = await openWorld(payingRails)
    investor = await world.person('Ines Investor')
    const { amountCrypto } = (await estimate('Ethereum (ETH)'))!
    expect(await estimate('Ethereum (ETH)')).toMatchObject({ asset: 'ETH', lockedAtApproval: true })
    await world.fund(investor, 25_050n)
    const { payout } = await withdrawalsIn(() => world).approved(investor, 250.5, {
      wallet: 'Ethereum (ETH)',
    })
    expect(payout).toMatchObject({ asset: 'ETH', amountCrypto })
  })

  test('[D-08, D5] there is none by a stale price, and of a coin that is paid by hand', async () => {
    expect(await estimate('Litecoin (LTC)')).toBeNull()
    world.clock.pass({ minutes: priceStaleMinutes + 1 })
    expect(await estimate('Bitcoin (BTC)')).toBeNull()
    expect(await estimate('USDT TRC-20')).not.toBeNull()
  })

  test('[D-08] an amount of nothing is refused', async () => {
    const query = { wallet: 'Bitcoin (BTC)', amount: '0' } as const
    expect(await world.call(estimateWithdrawal, investor, { query })).toMatchObject({ status: 400 })
  })
})

describe('the times of withdrawals', () => {
  const { ask, approve, pay } = withdrawalsIn(() => world)
  const times = async () => {
    // They are measured once a minute.
    world.clock.pass({ minutes: 2 })
    return (await world.call(withdrawalTimes, investor)).data
  }
  /** Withdrawals that take one hour, two hours, and so on, one after the other. */
  const paidIn = async (count: number) => {
    for (let hours = 1; hours <= count; hours += 1) {
      const { _id } = (await ask(investor, 1)).data
      await approve(_id)
      world.clock.pass({ minutes: hours * 60 })
      await pay(_id)
    }
  }

  test('[D-08] are measured over those paid lately, beside those that wait', async () => {
    await world.fund(investor, 100_000n)
    await paidIn(withdrawalTimesLeast - 1)
    expect(await times()).toBeNull()
    await ask(investor, 1)
    await paidIn(1)
    const data = await times()
    expect(data).toMatchObject({
      days: withdrawalTimesDays,
      paid: withdrawalTimesLeast,
      share: 90,
      waiting: 1,
    })
    expect(Math.floor(data!.longestWait / 3_600)).toBe(1)
    // Of 1, 1, 2 … 19 hours, the tenth and the eighteenth; each took some moments longer.
    expect([data!.half, data!.most].map(seconds => Math.floor(seconds / 3_600))).toEqual([9, 17])
    world.clock.pass({ days: withdrawalTimesDays })
    expect(await times()).toBeNull()
  })
})
