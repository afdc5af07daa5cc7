import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { addEarning } from '#shared/contract/earnings.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { rowsRead } from '#test/support/rows-read.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { partsOf } from './sources.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const cents = fc.bigInt({ min: 1n, max: 40n })

/** The definition: the part of an earning that a return pays is the overlap of their stretches of the running total. */
async function overlaps(earnings: bigint[], returns: bigint[]): Promise<string[]> {
  const { rows } = await sql<{ part: string }>`
    WITH returns AS (
      SELECT place, cents, sum(cents) OVER (ORDER BY place) AS upto
        FROM unnest(${returns}::bigint[]) WITH ORDINALITY AS r (cents, place)
    ), earnings AS (
      SELECT place, cents, sum(cents) OVER (ORDER BY place) AS upto
        FROM unnest(${earnings}::bigint[]) WITH ORDINALITY AS e (cents, place)
    )
    SELECT concat_ws(' ', e.place, r.place, least(e.upto, r.upto) - greatest(e.upto - e.cents, r.upto - r.cents)) AS part
      FROM earnings e JOIN returns r ON r.upto > e.upto - e.cents AND r.upto - r.cents < e.upto
     ORDER BY e.place, r.place`.execute(world.database.db)
  return rows.map(({ part }) => part)
}

test('[D1] a return pays what overlaps when both are laid end to end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(cents, { maxLength: 12 }), fc.array(cents), async (due, unspent) => {
      const total = due.reduce((sum, one) => sum + one, 0n)
      // The last one covers the rest, as the list of unspent returns does.
      const returns = [...unspent, total + 1n]
      const parts = partsOf(
        due.map((amount_cents, index) => ({ id: `${index + 1}`, user_id: '', amount_cents, note: null })),
        returns.map((left, index) => ({ id: `${index + 1}`, cents: left })),
      )
      const inWords = parts.map(part => `${part.earningId} ${part.returnId} ${part.cents}`)
      expect(inWords).toEqual(await overlaps(due, returns))
    }),
    { numRuns: 50 },
  )
})

test('[B-04] the work of an earning grows with the returns that pay it', async () => {
  const investor = await world.person('Ines Investor')
  const body = { method: 'usdt', plan: 'Enthusiast', amount: 2_000 } as const
  const { data } = await world.call(newInvestment, investor, { body })
  await world.call(approveInvestment, world.admin, { params: { id: data._id } })
  const deed = {
    amount: 1,
    source: 'Rent',
    realisedAt: '2026-03-01',
    evidence: 'https://registry.example/deed/1',
  }
  await Promise.all(Array.from({ length: 300 }, () => world.call(newReturn, world.admin, { body: deed })))
  world.clock.pass({ days: 20 })
  const readFor = async (amount: number) => {
    const tables = ['returns', 'earnings', 'earning_sources']
    const before = await rowsRead(world.database, tables)
    const answer = await world.call(addEarning, world.admin, {
      params: { userId: investor.id },
      body: { amount },
    })
    expect(answer.status).toBe(200)
    return (await rowsRead(world.database, tables)) - before
  }
  const ten = await readFor(10)
  expect(await readFor(100)).toBeLessThan(20 * ten)
  const { rows } = await world.owner('SELECT count(*)::int AS sources FROM app.earning_sources')
  expect(rows).toEqual([{ sources: 110 }])
})
