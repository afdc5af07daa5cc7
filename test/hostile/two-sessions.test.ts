import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { earningsWorld } from '#test/support/earnings.ts'
import { until } from '#test/support/processes.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'

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

/**
 * Two sessions, with snapshots from before both: the second one acts while the first has not committed.
 * @returns what became of the second: `done`, or the error's SQLSTATE
 */
async function secondOf(
  isolation: string,
  { first, thenFirst = '', second }: { first: string; thenFirst?: string; second: string },
): Promise<string> {
  const sessions = [await world().database.app.connect(), await world().database.app.connect()] as const
  try {
    for (const session of sessions)
      await session.query(`BEGIN ISOLATION LEVEL ${isolation}; SELECT FROM app.earnings`)
    await sessions[0].query(first)
    const outcome = sessions[1].query(`${second}; COMMIT`).then(
      () => 'done',
      (error: { code: string }) => error.code,
    )
    await until(async () => {
      const { rows } = await world().owner(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      return rows.length === 1
    })
    await sessions[0].query(`${thenFirst}; COMMIT`)
    return await outcome
  } finally {
    for (const session of sessions) {
      await session.query('ROLLBACK')
      session.release()
    }
  }
}

const isolations = [
  ['READ COMMITTED', 'PB914'],
  ['REPEATABLE READ', '40001'],
  ['SERIALIZABLE', '40001'],
]

test.each(isolations)('what has accrued is not paid twice at once, %s', async (isolation, code) => {
  const due = await accrued()
  const [one, other] = [randomUUID(), randomUUID()]
  const first = earning(due, one)
  const second = earning(due, other)
  expect(await secondOf(isolation, { first, thenFirst: payment(due, one), second })).toBe(code)
})

/** In two hours, which the database counts apart. */
async function approval(ago: string): Promise<string> {
  const owner = await world().person('Olga Owner')
  await world().fund(owner, 1_000_000n)
  const { data } = await withdrawalsIn(world).ask(owner, 6_000)
  return `
    INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id, created_at)
    VALUES ('${data._id}', '${world().admin.id}', now() - interval '${ago}');
    UPDATE app.withdrawals SET status = 'approved', approved_at = now() WHERE id = '${data._id}'`
}

async function recording(): Promise<string> {
  const id = randomUUID()
  return `
    INSERT INTO app.returns (id, amount_cents, status, alone_limit_cents, source, realised_on, evidence, evidence_kind, recorded_by)
    VALUES ('${id}', 600000, 'recorded', 1000000, 'Rent', '2026-01-31', 'BANK-1', 'transaction', '${world().admin.id}');
    SELECT ledger.post(ROW (uuidv7(), 'return.recorded', 'return', '${id}', NULL, NULL, NULL), ARRAY[
      ROW (1, ledger.firm(), 'returns_received', ledger.firm(), 'recorded_returns', 'USD', 600000)::ledger.leg])`
}

describe.each([
  ['approves', approval],
  ['records', recording],
])('what one person %s alone', (_, act) => {
  test('is added up in two sessions at once', async () => {
    const [first, second] = [await act('1 hour'), await act('0')]
    expect(await secondOf('READ COMMITTED', { first, second })).toBe('PB914')
  })

  test.each(['REPEATABLE READ', 'SERIALIZABLE'])('is refused with the snapshot of %s', async isolation => {
    const session = await world().database.app.connect()
    try {
      await session.query(`BEGIN ISOLATION LEVEL ${isolation}`)
      await expect(session.query(await act('0'))).rejects.toMatchObject({ code: 'PB200' })
    } finally {
      await session.query('ROLLBACK')
      session.release()
    }
  })
})
