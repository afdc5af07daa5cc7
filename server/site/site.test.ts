import { beforeAll, describe, expect, test } from 'vitest'
import { loadFirm, sampleFirm } from '#server/demo/firm.ts'
import { newStatistic } from '#shared/contract/firm.ts'
import { approveInvestment, declineInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import * as call from '#shared/contract/site.ts'
import { approveWithdrawal, newWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { firmIn } from '#shared/firm-in-language.ts'
import { sampleSource } from '#shared/price-sources.ts'
import { openWorld, type World } from '#test/support/world.ts'

const site = (world: World) => world.call(call.site, null).then(({ data }) => data)
const load = (world: World) => world.database.db.transaction().execute(tx => loadFirm(tx, world.clock.now()))

describe('in demonstration mode', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })

  test('[P-14] says so before the sample is loaded', async () => {
    await world.owner('DELETE FROM app.firm_profiles')
    const answer = await world.call(call.site, null)
    expect(answer).toMatchObject({ status: 503, code: 'not_ready' })
    await load(world)
  })

  test('[P-12, D2] shows the fictional firm: founded 1996, online since 2004', async () => {
    const { mode, firm, largeWithdrawal, books } = await site(world)
    expect(mode).toBe('demo')
    expect(firm).toEqual(firmIn(sampleFirm, 'en'))
    expect([firm.foundedYear, firm.onlineSince]).toEqual([1996, 2004])
    expect(firm.streetAddress).toContain('Australia')
    expect(largeWithdrawal).toBe(10_000)
    expect(books).toEqual({ checkedAt: null, ok: null, publishedUntil: null })
  })

  test("[P-04] shows the specification's four figures as a sample", async () => {
    const { statistics } = await site(world)
    expect(statistics.map(({ value, label, kind }) => [value, label, kind])).toEqual([
      ['20k', 'Active investments', 'sample'],
      ['10+', 'Countries', 'sample'],
      ['8k', 'Businesses consulted', 'sample'],
      ['15k', 'Satisfied clients', 'sample'],
    ])
  })

  test('[C-30, D-02] the seven ticker coins and usdt have a price with source and age', async () => {
    world.clock.pass({ minutes: 2 })
    const { data } = await world.call(call.prices, null)
    expect(data.map(rate => rate.symbol)).toEqual(['BTC', 'ETH', 'EOS', 'XRP', 'LTC', 'DOGE', 'DASH', 'USDT'])
    expect(data[0]).toMatchObject({ name: 'Bitcoin', source: sampleSource, sample: true, stale: false })
    expect(data[0]?.usd).toMatch(/^\d{2,3},\d{3}\.\d\d$/)
    expect(data[0]?.ageSeconds).toBeGreaterThanOrEqual(120)
    expect(data.at(-1)).toMatchObject({
      usd: '0.99',
      source: 'Fixed by the firm',
      sample: false,
      stale: false,
    })
    world.clock.pass({ minutes: 4 })
    const { data: later } = await world.call(call.prices, null)
    expect(later.map(rate => rate.stale)).toEqual([...Array(7).fill(true), false])
  })
})

describe('in live mode', () => {
  test("[P-04, D1] shows the ledger's figures and sourced claims, never a sample", async () => {
    const world = await openWorld({ mode: 'live', firm: { ...sampleFirm, legalName: 'Real Firm Ltd' } })
    await load(world)
    await world.call(newStatistic, world.admin, {
      body: {
        label: 'Businesses consulted',
        value: '212',
        source: 'Annual report 2025',
        evidence: 'Report 2025, page 4',
        asOf: '2026-06-30',
        reason: 'Asked for',
      },
    })
    await world.call(newReturn, world.admin, {
      body: { amount: 1_250.5, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-1' },
    })
    const { firm, statistics } = await site(world)
    expect(firm.legalName).toBe('Real Firm Ltd')
    expect(statistics.map(({ label, value, kind }) => [label, value, kind])).toEqual([
      ['Invested in active plans', '$0.00', 'ledger'],
      ['Realised returns recorded', '$1,250.50', 'ledger'],
      ['Earnings paid', '$0.00', 'ledger'],
      ['Withdrawals paid', '$0.00', 'ledger'],
      ['Businesses consulted', '212', 'claim'],
    ])
    expect(statistics.every(figure => figure.source !== '' && Date.parse(figure.asOf) > 0)).toBe(true)
  })

  test("[P-04, D1] the ledger's figures are the money invested, recorded, earned and paid out", async () => {
    const world = await openWorld({ mode: 'live', firm: sampleFirm, addressWaitHours: 0 })
    const { admin } = world
    const investor = await world.person('Ines Investor')
    await world.fund(investor, 200_000n)
    const invest = { method: 'balance', plan: 'Basic', amount: 500 } as const
    for (const what of [approveInvestment, declineInvestment]) {
      const { data } = await world.call(newInvestment, investor, { body: invest })
      await world.call(what, admin, { params: { id: data._id }, body: { reason: 'Asked for' } } as never)
    }
    await world.call(newReturn, admin, {
      body: { amount: 80, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-3' },
    })
    await world.earn(investor, 3_000n)
    const payout = { wallet: 'Bitcoin (BTC)', address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' } as const
    const withdrawals = [20.25, 40]
    for (const amount of withdrawals) {
      const { data } = await world.call(newWithdrawal, investor, { body: { amount, ...payout } })
      const of = { params: { id: data._id } }
      await world.call(approveWithdrawal, admin, of)
      if (amount === 20.25)
        await world.call(payWithdrawal, world.secondAdmin, { ...of, body: { transactionId: 'f'.repeat(64) } })
    }
    const { statistics } = await site(world)
    expect(statistics.map(({ label, value }) => [label, value])).toEqual([
      ['Invested in active plans', '$500.00'],
      ['Realised returns recorded', '$80.00'],
      ['Earnings paid', '$30.00'],
      ['Withdrawals paid', '$20.25'],
    ])
  })

  test('[P-04, D1] computes figures once a minute for all visitors, with their time', async () => {
    const world = await openWorld({ mode: 'live', firm: sampleFirm })
    const recorded = async () => (await site(world)).statistics[1]!
    const before = await recorded()
    await world.call(newReturn, world.admin, {
      body: { amount: 10, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-2' },
    })
    expect(await recorded()).toEqual(before)
    world.clock.pass({ minutes: 1 })
    const after = await recorded()
    expect(after.value).toBe('$10.00')
    expect(Date.parse(after.asOf)).toBeGreaterThanOrEqual(Date.parse(before.asOf) + 60_000)
  })
})
