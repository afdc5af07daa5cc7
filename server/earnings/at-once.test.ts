import { describe, expect, test } from 'vitest'
import { earningsWorld } from '#test/support/earnings.ts'
import type { Person } from '#test/support/world.ts'

const { world, record, add, activeInvestment, left } = earningsWorld()

/** People with an active investment and $3,000 of unpaid accruals each. */
async function accruing(count: number): Promise<Person[]> {
  const people: Person[] = []
  for (let n = 0; n < count; n++) {
    const who = await world().person(`Accruing ${n}`)
    await activeInvestment(20_000, 'Promo', who)
    people.push(who)
  }
  world().clock.pass({ days: 30 })
  return people
}

describe('earnings that several people add at once', () => {
  test('[N-09, N-12] each have their own amount, note, adder and line', async () => {
    await record(500)
    const people = await accruing(12)
    const adderOf = (n: number) => (n % 2 === 0 ? world().admin : world().secondAdmin)
    const answers = await Promise.all(
      people.map((who, n) => add({ amount: n + 1, note: `Note ${n}` }, adderOf(n), who)),
    )
    for (const [n, { data }] of answers.entries()) {
      expect(data).toMatchObject([{ user: people[n]!.id, amount: n + 1, status: 'paid', note: `Note ${n}` }])
    }
    expect(await left()).toBe(50_000n - 7_800n)
    const ids = answers.map(({ data }) => data[0]!._id)
    const { rows } = await world().ownerPool.query(
      `SELECT e.amount_cents::int AS cents, e.created_by AS adder, a.actor_id AS actor, a.reason, t.actor AS poster,
              e.xmin::text AS transaction, (SELECT sum(amount_cents)::int FROM app.earning_sources WHERE earning_id = e.id) AS sources
         FROM app.earnings e
         JOIN app.audit_log a ON a.subject_id = e.id AND a.action = 'earning.added'
         JOIN ledger.transactions t ON t.reference_id = e.id
        WHERE e.id = ANY ($1) ORDER BY e.amount_cents`,
      [ids],
    )
    expect(rows).toHaveLength(12)
    for (const [n, row] of rows.entries()) {
      const { id } = adderOf(n)
      const cents = (n + 1) * 100
      expect(row).toMatchObject({
        cents,
        sources: cents,
        adder: id,
        actor: id,
        poster: id,
        reason: `Note ${n}`,
      })
    }
    expect(new Set(rows.map(({ transaction }) => transaction)).size).toBeLessThan(12)
  })

  test('[N-09, D7, B-04] are refused one by one', async () => {
    await record(10)
    const [first, second, third] = await accruing(3)
    await activeInvestment(1_000, 'Enthusiast', world().secondAdmin)
    const idle = await world().person('Idle')
    const answers = await Promise.all([
      add({ amount: 4 }, world().admin, first),
      add({ amount: 11 }, world().admin, second),
      add({ amount: 1 }, world().secondAdmin, world().secondAdmin),
      add({ amount: 1 }, world().admin, idle),
      add({ amount: 5_000 }, world().admin, third),
    ])
    expect(answers.map(({ code }) => code)).toEqual([
      undefined,
      'insufficient_returns',
      'own_request',
      'no_active_investment',
      'insufficient_returns',
    ])
    expect(await left()).toBe(600n)
  })

  test('[B-04] never pay more than the recorded returns', async () => {
    await record(10)
    const people = await accruing(8)
    const answers = await Promise.all(people.map(who => add({ amount: 3 }, world().admin, who)))
    expect(answers.map(({ code }) => code ?? 'paid').sort()).toEqual([
      ...Array.from({ length: 5 }, () => 'insufficient_returns'),
      ...Array.from({ length: 3 }, () => 'paid'),
    ])
    expect(await left()).toBe(100n)
  })
  test('[B-06] keep refusals for want of returns under their keys', async () => {
    const people = await accruing(3)
    const ask = (n: number) =>
      add({ amount: 4 }, world().admin, people[n], { idempotencyKey: `wanting-${n}` })
    const refused = await Promise.all([0, 1, 2].map(ask))
    expect(refused.map(({ code }) => code)).toEqual(people.map(() => 'insufficient_returns'))
    await record(12)
    const repeated = await Promise.all([0, 1, 2].map(ask))
    expect(repeated.map(({ message }) => message)).toEqual(refused.map(({ message }) => message))
    expect((await add({ amount: 4 }, world().admin, people[0])).status).toBe(200)
  })
})
