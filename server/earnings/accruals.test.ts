import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accruedAfter } from '#shared/plans.ts'
import { testDatabase } from '#test/support/database.ts'

const { owner } = await testDatabase()

const anyTerms = fc.record({
  percentageBp: fc.integer({ min: 1, max: 10_000 }),
  durationDays: fc.integer({ min: 1, max: 400 }),
})
/** Of these, every other amount accrues half a cent. */
const halves = fc.record({
  percentageBp: fc.constantFrom(2_500, 5_000),
  durationDays: fc.constantFrom(1, 2, 4),
})
const termsAndDays = fc
  .oneof(anyTerms, halves)
  .chain(terms => fc.tuple(fc.constant(terms), fc.nat(terms.durationDays + 1), fc.nat(terms.durationDays)))

test('[D4] the database accrues as the pages do, and knows the first day beyond', async () => {
  await fc.assert(
    fc.asyncProperty(
      termsAndDays,
      fc.bigInt(1n, 300_000n),
      fc.bigInt(-1n, 1n),
      async ([terms, day, coveredDay], amount, more) => {
        const covered = accruedAfter(terms, amount, coveredDay) + more
        fc.pre(covered >= 0n)
        const days = Array.from({ length: terms.durationDays }, (_, n) => n + 1)
        const first = days.find(one => accruedAfter(terms, amount, one) > covered)
        const of = `${amount}, ${terms.percentageBp}, ${terms.durationDays}, timestamptz '2026-01-01Z'`
        const { rows } = await owner.query(`
          SELECT app.accrued(${of}, timestamptz '2026-01-01Z' + interval '${24 * day + 23} hours') AS accrued,
                 (extract(epoch FROM app.accrued_beyond(${of}, ${covered}) - timestamptz '2026-01-01Z') / 86400)::int AS day`)
        expect(rows[0].accrued).toBe(accruedAfter(terms, amount, day))
        if (first === undefined) expect(rows[0].day).toBeGreaterThan(3650)
        else expect(rows[0].day).toBe(first)
      },
    ),
    { numRuns: 400 },
  )
})
