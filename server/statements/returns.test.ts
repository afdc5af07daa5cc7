import fc from 'fast-check'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { earningPaid, returnRecorded } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { balanceSeries } from '#shared/contract/ledger.ts'
import { deposit } from '#test/support/books.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { allowPostingsWithoutRecords } from '#test/support/database.ts'
import { openWorld } from '#test/support/world.ts'
import { returnsOf, type Valuation } from './returns.ts'

/** Valuations at the ends of steps, from what was paid in or out and earned in each, in dollars. */
function valuations(
  opening: number,
  steps: readonly (readonly [flow: number, earned: number, paidOut?: number])[],
  days = 1,
): Valuation[] {
  let [total, earned, paidIn] = [BigInt(opening) * 100n, 7n, 11n]
  const all: Valuation[] = [{ day: dayAt(0), total, earned, paidIn }]
  for (const [place, [flow, gain, out = 0]] of steps.entries()) {
    earned += BigInt(gain) * 100n
    paidIn += BigInt(Math.max(flow, 0)) * 100n
    total += BigInt(flow + gain - out) * 100n
    all.push({ day: dayAt((place + 1) * days), total, earned, paidIn })
  }
  return all
}

function dayAt(place: number): string {
  return new Date(Date.UTC(2026, 0, 1 + place)).toISOString().slice(0, 10)
}

const still: [number, number][] = [
  [0, 0],
  [0, 0],
  [0, 0],
  [0, 0],
]

test('[D-26] without flows both returns are what the funds have grown by', () => {
  const days: [number, number][] = [...still, [0, 50], ...still, [0, 21]]
  expect(returnsOf(valuations(1000, days))).toEqual({ timeWeighted: 7.1, moneyWeighted: 7.1 })
})

test('[D-26] only the money-weighted return depends on when money was paid in', () => {
  // 1,000 earn 100; then 9,000 come in, and 10,100 earn 101: 10 % and 1 %.
  const days: [number, number][] = [...still, [0, 100], [9000, 0], ...still, [0, 101]]
  const { timeWeighted, moneyWeighted } = returnsOf(valuations(1000, days))
  expect(timeWeighted).toBe(11.1)
  // 1,000 for 11 days and 9,000 for the last 6 of them grow to 10,201 at 3.39 %.
  expect(1000 * 1.0339 + 9000 * 1.0339 ** (6 / 11)).toBeCloseTo(10_201, -1)
  expect(moneyWeighted).toBeCloseTo(3.39, 1)
})

test('[D-26] money counts from the step that brings it to the one that takes it', () => {
  expect(returnsOf(valuations(0, [[1000, 50]]))).toEqual({ timeWeighted: 5, moneyWeighted: 5 })
  const leaves: [number, number][] = [[-1000, 50], ...still]
  expect(returnsOf(valuations(1000, leaves)).timeWeighted).toBe(5)
})

test('[D-26] what comes in and leaves in one step could earn in it', () => {
  // 50 on 100 and the 10,000 that were there for a while.
  const passing = valuations(100, [...still, [10_000, 50, 10_000]], 7)
  expect(returnsOf(passing).timeWeighted).toBe(0.5)
})

test('[D-26] longer steps weigh a flow by the part of the period that was left', () => {
  // 1,000 for three steps of 30 days, and 9,000 for the last two of them.
  const { moneyWeighted } = returnsOf(
    valuations(
      1000,
      [
        [0, 0],
        [9000, 0],
        [0, 100],
      ],
      30,
    ),
  )
  const grown = (percent: number) => 1000 * (1 + percent / 100) + 9000 * (1 + percent / 100) ** (2 / 3)
  expect(Math.abs(grown(moneyWeighted!) - 10_100)).toBeLessThan(1)
})

test('[D-26] there is no return without money, or on money that was gone', () => {
  const none = { timeWeighted: null, moneyWeighted: null }
  expect(returnsOf([])).toEqual(none)
  expect(returnsOf(valuations(0, still))).toEqual(none)
  const late: [number, number][] = [
    [1000, 0],
    [-1000, 0],
    [0, 5],
  ]
  expect(returnsOf(valuations(0, late)).timeWeighted).toBeNull()
})

test('[D-26] both returns are zero exactly where nothing was earned', () => {
  const flow = fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.constant(0))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.array(flow, { minLength: 1 }), (opening, days) => {
      expect(returnsOf(valuations(opening, days))).toEqual({ timeWeighted: 0, moneyWeighted: 0 })
    }),
  )
})

test('[D-26] without flows the returns agree whatever was earned', () => {
  const day = fc.tuple(fc.constant(0), fc.integer({ min: 0, max: 300 }))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.array(day, { minLength: 1 }), (opening, days) => {
      const { timeWeighted, moneyWeighted } = returnsOf(valuations(opening, days))
      expect(Math.abs(timeWeighted! - moneyWeighted!)).toBeLessThanOrEqual(0.011)
    }),
  )
})

test('[D-26] the return of a period is of its earnings and its funds alone', async () => {
  const world = await openWorld()
  await allowPostingsWithoutRecords(world.database)
  const person = await world.person('Rita Return')
  // The database owner alone can post in the past.
  const owner = openDatabase(
    openPool({ url: world.database.ownerUrl, as: 'owner', name: 'probity test', max: 1 }),
  )
  atEnd(() => owner.destroy())
  const at = (moment: string, posting: Parameters<typeof post>[1]) =>
    owner.transaction().execute(async tx => {
      await sql`SELECT set_config('ledger.at', ${moment}, true)`.execute(tx)
      await post(tx, posting)
    })
  await at('2024-01-01T10:00:00Z', returnRecorded({ actor: null, returnId: uuidv7(), amountCents: 900_000n }))
  await at('2024-01-10T10:00:00Z', deposit(person.id, 100_000n))
  const earning = (amountCents: bigint) =>
    earningPaid({ actor: null, earningId: uuidv7(), userId: person.id, amountCents })
  await at('2024-02-01T10:00:00Z', earning(5_000n))
  await at('2024-03-01T10:00:00Z', deposit(person.id, 95_000n))
  await at('2024-03-20T10:00:00Z', earning(2_000n))
  const returnOf = async (query: { from?: string; to?: string }) =>
    (await world.call(balanceSeries, person, { query })).data.returns
  expect(await returnOf({ to: '2024-02-15' })).toEqual({ timeWeighted: 5, moneyWeighted: 5 })
  expect(await returnOf({ from: '2024-03-05', to: '2024-03-31' })).toEqual({
    timeWeighted: 1,
    moneyWeighted: 1,
  })
  expect((await returnOf({ to: '2024-03-31' })).timeWeighted).toBe(6.05)
  expect(await returnOf({ to: '2023-12-31' })).toEqual({ timeWeighted: null, moneyWeighted: null })
})
