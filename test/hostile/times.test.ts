import { beforeAll, describe, expect, test } from 'vitest'
import { newDeposit } from '#shared/contract/deposits.ts'
import { addEarning } from '#shared/contract/earnings.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { settingsBody } from '#test/support/settings.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** What a live firm's database accepts as the time of an act. */
let world: World
let investor: Person
const ids = {} as Record<
  'withdrawal' | 'approved' | 'waiting' | 'active' | 'deposit' | 'return' | 'earning',
  string
>

const { ask, approve } = withdrawalsIn(() => world)

beforeAll(async () => {
  world = await openWorld({ earningsSecondApproval: true })
  investor = await world.person('Ines Investor')
  await world.fund(investor, 1_000_000n)
  ids.withdrawal = (await ask(investor, 100)).data._id
  ids.approved = (await ask(investor, 100)).data._id
  await approve(ids.approved)
  for (const state of ['waiting', 'active'] as const) {
    const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
    ids[state] = (await world.call(newInvestment, investor, { body })).data._id
  }
  await world.call(approveInvestment, world.admin, { params: { id: ids.active } })
  ids.deposit = (await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 100 } })).data._id
  const body = { amount: 500, source: 'Rent', realisedAt: '2026-01-31', evidence: 'https://example.com/r' }
  ids.return = (await world.call(newReturn, world.admin, { body })).data._id
  const { data } = await world.call(addEarning, world.admin, {
    params: { userId: investor.id },
    body: { amount: 1, investmentId: ids.active },
  })
  ids.earning = data[0]!._id
  await world.owner("INSERT INTO app.installation (mode) VALUES ('live')")
})

/** A statement that says at which time an act happened, given as an expression. */
type Act = (at: string) => string

/** A row as another one, but with some columns, given as expressions. */
const like =
  (table: string, row: keyof typeof ids, columns: (at: string) => Record<string, string>): Act =>
  at => {
    const pairs = Object.entries(columns(at)).map(([name, value]) => `'${name}', ${value}`)
    return `INSERT INTO app.${table}
            SELECT (jsonb_populate_record(t, jsonb_build_object(${pairs.join(', ')}))).*
              FROM app.${table} t WHERE id = '${ids[row]}'`
  }
const set =
  (table: string, row: keyof typeof ids, change: Act, before: () => string = () => ''): Act =>
  at =>
    `${before()}; UPDATE app.${table} SET ${change(at)} WHERE id = '${ids[row]}'`
const approval = (at = 'now()') => `
  INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id, created_at)
  VALUES ('${ids.withdrawal}', '${world.admin.id}', ${at})`
const { reason: _, ...asked } = settingsBody
const cents = { ...asked, largeWithdrawal: 0.01, largeReturn: 0.01 }
const proposal = (at = 'now()') => `
  INSERT INTO app.proposals (id, kind, content, reason, proposed_by, created_at)
  VALUES (uuidv7(), 'settings', '${JSON.stringify({ after: cents })}', 'x', '${world.admin.id}', ${at})`
const decision = (at = 'now()') => `${proposal()};
  UPDATE app.proposals SET status = 'approved', decided_by = '${world.secondAdmin.id}', decided_at = ${at}`
const term = "ending_at = now() + interval '30 days'"

const acts: Record<string, Act> = {
  'a deposit is requested': like('deposits', 'deposit', at => ({
    id: 'uuidv7()',
    invoice_id: "'DEP-1'",
    created_at: at,
  })),
  'a deposit is paid': set('deposits', 'deposit', at => `status = 'paid', settled_at = ${at}`),
  'an investment is requested': like('investments', 'waiting', at => ({
    id: 'uuidv7()',
    invoice_id: "'INV-1'",
    created_at: at,
  })),
  'an investment is approved': set(
    'investments',
    'waiting',
    at => `status = 'active', approved_at = ${at}, ${term}`,
  ),
  'an investment is declined': set(
    'investments',
    'waiting',
    at => `status = 'declined', decline_reason = 'x', declined_at = ${at}`,
  ),
  'an investment is closed': set('investments', 'active', at => `status = 'inactive', closed_at = ${at}`),
  'a withdrawal is requested': like('withdrawals', 'withdrawal', at => ({
    id: `app.first_id(${at} + interval '1 ms')`,
    invoice_id: "'WDR-1'",
    created_at: at,
  })),
  'a person approves a withdrawal': approval,
  'a withdrawal is approved': set(
    'withdrawals',
    'withdrawal',
    at => `status = 'approved', approved_at = ${at}`,
    approval,
  ),
  'a withdrawal is paid': set(
    'withdrawals',
    'approved',
    at => `status = 'paid', transaction_id = 'x', paid_by = '${world.secondAdmin.id}', paid_at = ${at}`,
  ),
  'an address is entered': at => `
    INSERT INTO app.payout_addresses (id, user_id, wallet, address, created_at)
    VALUES (uuidv7(), '${investor.id}', 'x', 'x', ${at})`,
  'an earning is added': like('earnings', 'earning', at => ({ id: 'uuidv7()', created_at: at })),
  'an earning is paid': set(
    'earnings',
    'earning',
    at => `status = 'paid', approved_by = '${world.secondAdmin.id}', paid_at = ${at}`,
  ),
  'a run of earnings is confirmed': at => `
    INSERT INTO app.earning_runs (id, plan_id, as_of, digest, investments, total_cents, needs_approval, created_by, created_at)
    VALUES (uuidv7(), uuidv7(), now(), '', 1, 100, false, '${world.admin.id}', ${at})`,
  'a return is recorded': like('returns', 'return', at => ({ id: 'uuidv7()', created_at: at })),
  'a change is proposed': proposal,
  'a change is decided': decision,
  'a setting comes into force': at => `${decision()};
    INSERT INTO app.setting_versions (large_withdrawal_cents, large_return_cents, earnings_second_approval, proposal_id, created_at)
    SELECT 1, 1, true, id, ${at} FROM app.proposals`,
  'an act is logged': at => `INSERT INTO app.audit_log (at, action) VALUES (${at}, 'x')`,
}

/** What a request lacks here, once its time is accepted. */
const withoutPosting = 'PB105'

/** The SQLSTATE of the refusal, or null; nothing is kept. */
async function outcome(statement: string, as: 'app' | 'owner' = 'owner'): Promise<string | null> {
  const client = await (as === 'app' ? world.database.app : world.ownerPool).connect()
  try {
    await client.query('BEGIN')
    await client.query(statement)
    return null
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

describe("a live firm's database takes its own time only", () => {
  test.each(Object.entries(acts))('[B-02] %s', async (_what, act) => {
    expect([null, withoutPosting]).toContain(await outcome(act('now()')))
    for (const at of ["now() - interval '6 minutes'", "now() + interval '2 minutes'"]) {
      expect(await outcome(act(at)), at).toBe('PB915')
    }
  })

  test('[B-02] so no earning is paid before it has accrued', async () => {
    const at = "now() + interval '10 years'"
    const earning = `
      INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, status, created_by, created_at, paid_at)
      VALUES (uuidv7(), '${investor.id}', '${ids.active}', 100, 'paid', '${world.admin.id}', ${at}, ${at})`
    expect(await outcome(earning, 'app')).toBe('PB915')
    expect(await outcome(earning.replaceAll(at, 'now()'), 'app')).toBe('PB914')
  })

  test('[B-02] and every column that says when something happened has that guard', async () => {
    const { rows } = await world.owner(`
      SELECT table_name || '.' || column_name AS name FROM information_schema.columns c
        JOIN pg_trigger t ON t.tgname = table_name || '_happen_now'
       WHERE table_schema = 'app' AND data_type = 'timestamp with time zone'
         AND pg_get_triggerdef(t.oid) !~ ('[.(]' || column_name || '\\M')
       ORDER BY 1`)
    expect(rows.map(({ name }) => name)).toEqual([
      // Deadlines and terms.
      'deposits.assess_after',
      'deposits.expires_at',
      // Of the price's source.
      'deposits.rate_at',
      'deposits.watch_until',
      // Of the preview; each earning is checked by its own time.
      'earning_runs.as_of',
      'investments.covered_until',
      'investments.ending_at',
      // Of movements in the ledger.
      'monitoring_cases.first_at',
      'monitoring_cases.last_at',
      'monitoring_cases.through',
      'payout_addresses.usable_from',
      'withdrawals.payout_rate_at',
    ])
  })
})
