import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { earningsWorld } from '#test/support/earnings.ts'
import { until } from '#test/support/processes.ts'

/** Two sessions of the application's role, which an intruder may use, at the same time. */
const { world, investor, record, activeInvestment } = earningsWorld()

/** An investment, what has accrued in its first five days, in cents, and a recorded return that can pay it. */
async function accrued() {
  const { _id: realised } = (await record(5_000)).data
  const id = await activeInvestment()
  world().clock.pass({ days: 5 })
  const at = world().clock.now().toISOString()
  const { rows } = await world().owner(`
    SELECT app.accrued(i.amount_cents, v.percentage_bp, v.duration_days, i.approved_at, '${at}') AS cents
      FROM app.investments i JOIN app.plan_versions v ON v.id = i.plan_version_id WHERE i.id = '${id}'`)
  const cents: bigint = rows[0].cents
  expect(cents).toBeGreaterThan(0n)
  return { id, realised, cents, at }
}

type Accrued = Awaited<ReturnType<typeof accrued>>

const earning = ({ id, cents, at }: Accrued, of: string) => `
  INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, status, created_by, created_at, paid_at)
  VALUES ('${of}', '${investor().id}', '${id}', ${cents}, 'paid', '${world().admin.id}', '${at}', '${at}')`

const payment = ({ cents, realised }: Accrued, of: string) => `
  SELECT ledger.post(ROW (uuidv7(), 'earning.paid', 'earning', '${of}', NULL, NULL, NULL), ARRAY[
    ROW (1, ledger.firm(), 'recorded_returns', '${investor().id}', 'available', 'USD', ${cents})::ledger.leg]);
  INSERT INTO app.earning_sources (earning_id, return_id, amount_cents) VALUES ('${of}', '${realised}', ${cents})`

test.each([
  ['READ COMMITTED', 'PB914'],
  ['REPEATABLE READ', '40001'],
])('what has accrued is not paid twice at once, in two sessions that are %s', async (isolation, code) => {
  const due = await accrued()
  const [one, other] = [randomUUID(), randomUUID()]
  const [first, second] = [await world().database.app.connect(), await world().database.app.connect()]
  try {
    for (const session of [first, second])
      await session.query(`BEGIN ISOLATION LEVEL ${isolation}; SELECT FROM app.earnings`)
    await first.query(earning(due, one))
    const outcome = second.query(earning(due, other)).then(
      () => 'added',
      (error: { code: string }) => error.code,
    )
    await until(async () => {
      const { rows } = await world().owner(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      return rows.length === 1
    })
    await first.query(payment(due, one))
    await first.query('COMMIT')
    expect(await outcome).toBe(code)
  } finally {
    for (const session of [first, second]) {
      await session.query('ROLLBACK')
      session.release()
    }
  }
})
