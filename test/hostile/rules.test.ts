import { beforeAll, describe, expect, test } from 'vitest'
import { cancelDeposit, cancelInvestment, cancelWithdrawal } from '#shared/contract/cancelling.ts'
import { approveDeposit, declineDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { addEarning, approveEarning, declineEarning } from '#shared/contract/earnings.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  newInvestment,
} from '#shared/contract/investments.ts'
import { newReturn, proposeVoid } from '#shared/contract/returns.ts'
import { may, roles } from '#shared/roles.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/**
 * What the database refuses for rows about money by any client: the application's role, which a bug or an intruder may
 * use, and the owner of the tables.
 */
let world: World
let investor: Person
/** Ids of rows in each state. */
const rows = {} as Record<
  | 'pending'
  | 'large'
  | 'staffs'
  | 'split'
  | 'approved'
  | 'paid'
  | 'declined'
  | 'waiting'
  | 'active'
  | 'closed'
  | 'refused'
  | 'unpaid'
  | 'earned'
  | 'unearned'
  | 'realised'
  | 'submitted'
  | 'doubted'
  | 'asked'
  | 'credited'
  | 'expired'
  | 'cancelled'
  | 'dropped'
  | 'stopped'
  | 'foregone',
  string
>

const { ask, approve, decline, pay } = withdrawalsIn(() => world)

async function requested(amount: number, who = investor): Promise<string> {
  return (await ask(who, amount)).data._id
}

async function invested(): Promise<string> {
  const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
  return (await world.call(newInvestment, investor, { body })).data._id
}

async function earning(investmentId: string): Promise<string> {
  const { data } = await world.call(addEarning, world.admin, {
    params: { userId: investor.id },
    body: { amount: 1, investmentId },
  })
  return data[0]!._id
}

beforeAll(async () => {
  world = await openWorld({ earningsSecondApproval: true })
  investor = await world.person('Ines Investor')
  await world.fund(investor, 10_000_000n)
  await world.person('Sue Support', 'support')
  const left = await world.person('Lena Left', 'finance')
  await world.owner(`UPDATE app.users SET access_ended_at = now() WHERE id = '${left.id}'`)
  const staff = await world.person('Olga Owner', 'finance')
  await world.fund(staff, 20_000n)
  rows.staffs = await requested(100, staff)
  for (const state of ['pending', 'approved', 'paid', 'declined'] as const) rows[state] = await requested(100)
  rows.large = await requested(20_000)
  await approve(rows.large)
  // Each of these is below the limit, and both together are not.
  const splitter = await world.person('Sam Splitter')
  await world.fund(splitter, 2_000_000n)
  await requested(6_000, splitter)
  rows.split = await requested(6_000, splitter)
  await world.owner(
    `INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id) VALUES ('${rows.split}', '${world.admin.id}')`,
  )
  // The same of one person who approves these.
  for (const name of ['Solo One', 'Solo Two', 'Solo Three']) {
    const owner = await world.person(name)
    await world.fund(owner, 1_000_000n)
    await requested(6_000, owner)
  }
  for (const id of [rows.approved, rows.paid]) await approve(id)
  await pay(rows.paid, world.secondAdmin)
  await decline(rows.declined)
  rows.dropped = await requested(100)
  await world.call(cancelWithdrawal, investor, { params: { id: rows.dropped } })

  const quoted = { method: 'usdt', amount: 100 } as const
  for (const state of ['asked', 'credited', 'expired', 'cancelled'] as const) {
    rows[state] = (await world.call(newDeposit, investor, { body: quoted })).data._id
  }
  await world.call(approveDeposit, world.admin, { params: { id: rows.credited } })
  await world.call(declineDeposit, world.admin, {
    params: { id: rows.cancelled },
    body: { reason: 'No payment' },
  })
  await world.owner(`UPDATE app.deposits SET status = 'unpaid' WHERE id = '${rows.expired}'`)
  rows.foregone = (await world.call(newDeposit, investor, { body: quoted })).data._id
  await world.call(cancelDeposit, investor, { params: { id: rows.foregone } })

  for (const state of ['waiting', 'active', 'closed', 'refused'] as const) rows[state] = await invested()
  for (const id of [rows.active, rows.closed]) {
    await world.call(approveInvestment, world.admin, { params: { id } })
  }
  const body = { reason: 'Closed early' }
  await world.call(closeInvestment, world.admin, { params: { id: rows.closed }, body })
  await world.call(declineInvestment, world.admin, { params: { id: rows.refused }, body })

  rows.stopped = await invested()
  await world.call(cancelInvestment, investor, { params: { id: rows.stopped } })

  const realised = {
    amount: 500,
    source: 'Rent',
    realisedAt: '2026-01-31',
    evidence: 'https://example.com/r',
  }
  rows.realised = (await world.call(newReturn, world.admin, { body: realised })).data._id
  for (const [state, amount] of [
    ['submitted', 20_000],
    ['doubted', 300],
  ] as const) {
    rows[state] = (await world.call(newReturn, world.admin, { body: { ...realised, amount } })).data._id
  }
  await world.call(proposeVoid, world.admin, { params: { id: rows.doubted }, body })
  for (const state of ['unpaid', 'earned', 'unearned'] as const) rows[state] = await earning(rows.active)
  await world.call(approveEarning, world.secondAdmin, { params: { id: rows.earned } })
  await world.call(declineEarning, world.admin, { params: { id: rows.unearned }, body })
})

const [fact, status, approval, removed, denied] = ['PB912', 'PB913', 'PB914', 'PB900', '42501']
/** A constraint of the table. */
const twice = '23514'
type State = keyof typeof rows
type Attempt = { what: string; owner: string; sql: () => string }

const set = (table: string, row: State, change: string, owner: string): Attempt => ({
  what: `${table}, ${row}: ${change}`,
  owner,
  sql: () => `UPDATE app.${table} SET ${change} WHERE id = '${rows[row]}'`,
})
const own = (what: string, sql: () => string, owner: string): Attempt => ({ what, sql, owner })
const another = 'gen_random_uuid()'
const anyone = '(SELECT id FROM app.users ORDER BY id LIMIT 1)'
const grace = "(SELECT id FROM app.users WHERE name = 'Grace Admin')"

const changes: Attempt[] = [
  ...['amount_cents = 1', 'amount_cents = 9999999', `hold_id = ${another}`, "invoice_id = 'WDR-1'"].map(to =>
    set('withdrawals', 'pending', to, fact),
  ),
  ...[`user_id = ${anyone}`, "wallet = 'Litecoin (LTC)'", "address = 'x'", 'created_at = now()'].map(to =>
    set('withdrawals', 'pending', to, fact),
  ),
  set('withdrawals', 'paid', 'amount_cents = 1', fact),
  set('withdrawals', 'paid', "paid_at = now() - interval '1 day'", fact),
  set('withdrawals', 'approved', 'approved_at = now()', fact),
  set('withdrawals', 'declined', "decline_reason = 'Another one'", fact),
  set('withdrawals', 'large', 'approvals_needed = 1', fact),
  set('withdrawals', 'approved', 'approvals_needed = 2', fact),
  own(
    'a withdrawal hides from the sums of its day behind its id',
    () => `INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, hold_id, single_approval_cents, approvals_needed)
           SELECT '00000000-0000-7000-8000-000000000001', 'WDR-3', user_id, 1, wallet, address, ${another}, 1, 1
             FROM app.withdrawals WHERE id = '${rows.pending}'`,
    fact,
  ),
  set('withdrawals', 'pending', 'single_approval_cents = 99999999', fact),
  ...['amount_cents = 1', `user_id = ${anyone}`, "method = 'usdt'", "invoice_id = 'INV-1'"].map(to =>
    set('investments', 'waiting', to, fact),
  ),
  set(
    'investments',
    'active',
    `plan_version_id = (SELECT id FROM app.plan_versions ORDER BY id DESC LIMIT 1)`,
    fact,
  ),
  set('investments', 'active', `hold_id = ${another}`, fact),
  set('investments', 'active', 'created_at = now()', fact),
  set('investments', 'active', 'ending_at = now()', fact),
  set('investments', 'closed', "close_reason = 'Another one'", fact),
  set('investments', 'refused', "decline_reason = 'Another one'", fact),
  ...['amount_cents = 1', `user_id = ${anyone}`, "note = 'x'", 'created_at = now()'].map(to =>
    set('earnings', 'unpaid', to, fact),
  ),
  set('earnings', 'unpaid', `investment_id = (SELECT id FROM app.investments ORDER BY id LIMIT 1)`, fact),
  set('earnings', 'unpaid', `created_by = ${grace}`, fact),
  set('earnings', 'earned', 'approved_by = NULL', fact),
  ...[
    'amount_cents = 60000',
    "source = 'x'",
    "realised_on = '2020-01-01'",
    "evidence = 'x'",
    'spent_cents = 0',
    'spent_cents = amount_cents',
    'alone_limit_cents = 99999999',
    `recorded_by = ${grace}`,
    `approved_by = ${grace}`,
  ].map(to => set('returns', 'realised', to, fact)),
  set('returns', 'doubted', 'spent_cents = 1', fact),
  set('returns', 'doubted', "void_reason = 'Another one'", fact),
  set('returns', 'doubted', `void_proposed_by = ${grace}`, fact),
  ...[
    `id = ${another}`,
    "invoice_id = 'DEP-1'",
    `user_id = ${anyone}`,
    `investment_id = (SELECT id FROM app.investments ORDER BY id LIMIT 1)`,
    'amount_cents = 1',
    "method = 'ethereum'",
    "asset = 'ETH'",
    "network = 'x'",
    "address = 'x'",
    'crypto_units = 1',
    'rate_e8 = 1',
    "rate_at = now() - interval '1 day'",
    "rate_source = 'x'",
    "payment_uri = 'x'",
    "expires_at = now() + interval '1 day'",
    "created_at = now() - interval '1 day'",
  ].flatMap(to => [set('deposits', 'asked', to, fact), set('deposits', 'credited', to, fact)]),
]

const newReturnAs = (by: string, cents: number, as: string) => () =>
  `INSERT INTO app.returns (id, amount_cents, status, alone_limit_cents, source, realised_on, evidence, evidence_kind, recorded_by)
   SELECT ${another}, ${cents}, '${as}', 1000000, 'x', '2026-01-31', 'BANK-1', 'transaction', id FROM app.users WHERE name = '${by}'`

const steps: Attempt[] = [
  set('withdrawals', 'pending', "status = 'paid', paid_at = now(), transaction_id = 'x'", status),
  set('withdrawals', 'approved', "status = 'pending'", status),
  set('withdrawals', 'paid', "status = 'approved', paid_at = NULL, transaction_id = NULL", status),
  set('withdrawals', 'declined', "status = 'pending', decline_reason = NULL", status),
  set('investments', 'waiting', "status = 'inactive', approved_at = now(), ending_at = now()", status),
  set('investments', 'active', "status = 'pending', approved_at = NULL, ending_at = NULL", status),
  set('investments', 'closed', "status = 'active'", status),
  set('investments', 'refused', "status = 'pending', decline_reason = NULL", status),
  set('earnings', 'earned', "status = 'pending', paid_at = NULL", status),
  set('earnings', 'unearned', "status = 'pending', decline_reason = NULL", status),
  set('returns', 'realised', "status = 'pending'", status),
  set(
    'returns',
    'submitted',
    `status = 'void_proposed', void_reason = 'x', void_proposed_by = recorded_by`,
    status,
  ),
  set(
    'returns',
    'realised',
    `status = 'voided', void_reason = 'x', void_proposed_by = recorded_by, voided_by = (SELECT id FROM app.users WHERE name = 'Grace Admin')`,
    status,
  ),
  set('deposits', 'credited', "status = 'unpaid'", status),
  set('deposits', 'credited', "status = 'declined', decline_reason = 'x'", status),
  set('deposits', 'expired', "status = 'pending'", status),
  set('deposits', 'expired', "status = 'declined', decline_reason = 'x'", status),
  set('deposits', 'cancelled', "status = 'pending', decline_reason = NULL", status),
  own(
    'a deposit begins as paid',
    () => `INSERT INTO app.deposits
           SELECT (jsonb_populate_record(NULL::app.deposits, to_jsonb(d) || jsonb_build_object('id', ${another}, 'invoice_id', 'DEP-2'))).*
             FROM app.deposits d WHERE id = '${rows.credited}'`,
    status,
  ),
  own('a return begins as voided', newReturnAs('Ada Admin', 1, 'voided'), status),
  own(
    'a withdrawal begins as approved',
    () => `INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, status, hold_id, single_approval_cents, approvals_needed, approved_at)
           SELECT ${another}, 'WDR-2', user_id, 1, wallet, address, 'approved', ${another}, 1, 1, now()
             FROM app.withdrawals WHERE id = '${rows.pending}'`,
    status,
  ),
  own(
    'an investment begins as active',
    () => `INSERT INTO app.investments (id, invoice_id, user_id, plan_version_id, amount_cents, method, status, hold_id, approved_at, ending_at)
           SELECT ${another}, 'INV-2', user_id, plan_version_id, 1, method, 'active', ${another}, now(), now()
             FROM app.investments WHERE id = '${rows.waiting}'`,
    status,
  ),
]

const cancelledBy = (who: string) => `status = 'declined', cancelled_by = ${who}`
const cancels: Attempt[] = [
  // Not by their owner.
  ...(
    [
      ['withdrawals', 'pending'],
      ['investments', 'waiting'],
      ['deposits', 'asked'],
    ] as const
  ).flatMap(([table, row]) => [
    set(table, row, cancelledBy(grace), twice),
    set(table, row, `${cancelledBy('user_id')}, decline_reason = 'x'`, twice),
    set(table, row, 'cancelled_by = user_id', twice),
  ]),
  // Not while they are pending.
  set('withdrawals', 'approved', cancelledBy('user_id'), twice),
  set('withdrawals', 'paid', cancelledBy('user_id'), status),
  set('investments', 'active', cancelledBy('user_id'), status),
  set('deposits', 'credited', cancelledBy('user_id'), status),
  set('deposits', 'expired', cancelledBy('user_id'), status),
  // Without their posting.
  set('withdrawals', 'pending', cancelledBy('user_id'), 'PB105'),
  set('investments', 'waiting', `${cancelledBy('user_id')}, declined_at = now()`, 'PB105'),
  // Who has ended it never changes.
  ...(
    [
      ['withdrawals', 'dropped', 'declined'],
      ['investments', 'stopped', 'refused'],
      ['deposits', 'foregone', 'cancelled'],
    ] as const
  ).flatMap(([table, cancelled, declined]) => [
    set(table, cancelled, "cancelled_by = NULL, decline_reason = 'x'", fact),
    set(table, declined, 'cancelled_by = user_id, decline_reason = NULL', fact),
    set(table, cancelled, "status = 'pending', cancelled_by = NULL", status),
  ]),
]

const approveAs = (who: string, of: State) => () =>
  `INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id) VALUES ('${rows[of]}', (SELECT id FROM app.users WHERE name = '${who}'))`
const newEarning =
  (by: string, more = '') =>
  () =>
    `INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, status, created_by${more && ', approved_by'})
   SELECT ${another}, user_id, investment_id, 1, 'pending', (SELECT id FROM app.users WHERE name = '${by}')${more}
     FROM app.earnings WHERE id = '${rows.unpaid}'`

/** A paid earning without a second person. */
const earningPaidAtOnce = (cents: number) => () =>
  `INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, status, created_by, paid_at)
   SELECT ${another}, user_id, id, ${cents}, 'paid', (SELECT id FROM app.users WHERE name = 'Ada Admin'), now()
     FROM app.investments WHERE id = '${rows.active}'`

/** Approvals, and a part of what they approve, in one statement: it ends before it has read all of them. */
const tooMuchAloneAtOnce = () =>
  `WITH given AS (
     INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id, created_at)
     SELECT w.id, ${grace}, now() FROM app.withdrawals w
       JOIN app.users u ON u.id = w.user_id WHERE u.name LIKE 'Solo %'
     RETURNING withdrawal_id)
   UPDATE app.withdrawals w SET status = 'approved', approved_at = now()
     FROM (SELECT * FROM given LIMIT 2) b WHERE w.id = b.withdrawal_id`

const paidNow = "status = 'paid', paid_at = now(), transaction_id = 'x'"
const approvals: Attempt[] = [
  set('withdrawals', 'pending', "status = 'approved', approved_at = now()", approval),
  set('withdrawals', 'large', "status = 'approved', approved_at = now()", approval),
  own('an investor approves', approveAs('Ines Investor', 'pending'), approval),
  own('support approves', approveAs('Sue Support', 'pending'), approval),
  own('somebody whose access has ended approves', approveAs('Lena Left', 'pending'), approval),
  own('the owner of a withdrawal approves it', approveAs('Olga Owner', 'staffs'), approval),
  own('a paid withdrawal is approved', approveAs('Grace Admin', 'paid'), approval),
  own(
    'an earlier holder of an account approves',
    () =>
      `INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id, holder) VALUES ('${rows.pending}', '${world.admin.id}', 2)`,
    approval,
  ),
  set('withdrawals', 'split', "status = 'approved', approved_at = now()", approval),
  own('one person approves too much alone, in one statement', tooMuchAloneAtOnce, approval),
  set('withdrawals', 'approved', `${paidNow}, paid_by = NULL`, approval),
  ...['Ada Admin', 'Ines Investor', 'Sue Support'].map(name =>
    set(
      'withdrawals',
      'approved',
      `${paidNow}, paid_by = (SELECT id FROM app.users WHERE name = '${name}')`,
      approval,
    ),
  ),
  set('earnings', 'unpaid', "status = 'paid', paid_at = now()", approval),
  set('earnings', 'unpaid', `status = 'paid', paid_at = now(), approved_by = user_id`, approval),
  set('earnings', 'unpaid', `status = 'paid', paid_at = now(), approved_by = created_by`, approval),
  own('an earning beyond the accrual is paid at once', earningPaidAtOnce(100), approval),
  own('support adds an earning', newEarning('Sue Support'), approval),
  own('support records a return', newReturnAs('Sue Support', 1, 'pending'), approval),
  own('one person records too much alone', newReturnAs('Ada Admin', 1_000_000, 'recorded'), approval),
  set('returns', 'submitted', "status = 'recorded'", approval),
  ...['Ines Investor', 'Sue Support', 'Lena Left'].map(name =>
    set(
      'returns',
      'submitted',
      `status = 'recorded', approved_by = (SELECT id FROM app.users WHERE name = '${name}')`,
      approval,
    ),
  ),
  set('returns', 'submitted', "status = 'recorded', approved_by = recorded_by", twice),
  set('returns', 'doubted', "status = 'voided', voided_by = void_proposed_by", twice),
  set(
    'returns',
    'doubted',
    "status = 'voided', voided_by = (SELECT id FROM app.users WHERE name = 'Sue Support')",
    approval,
  ),
  set(
    'returns',
    'realised',
    "status = 'void_proposed', void_reason = 'x', void_proposed_by = (SELECT id FROM app.users WHERE name = 'Ines Investor')",
    approval,
  ),
  own(
    'an earning begins with its approval',
    newEarning('Ada Admin', ", (SELECT id FROM app.users WHERE name = 'Grace Admin')"),
    approval,
  ),
]

const source = (earning: State, from: State, cents = 100) =>
  `INSERT INTO app.earning_sources (earning_id, return_id, amount_cents) VALUES ('${rows[earning]}', '${rows[from]}', ${cents})`
const newId = '00000000-0000-7000-8000-000000000100'
const paidFrom = (from: State) =>
  `INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, status, created_by, created_at)
   SELECT '${newId}', user_id, investment_id, amount_cents, 'pending', created_by, now()
     FROM app.earnings WHERE id = '${rows.unpaid}';
   UPDATE app.earnings SET status = 'paid', paid_at = now(), approved_by = '${world.secondAdmin.id}' WHERE id = '${newId}';
   SELECT ledger.post(ROW (uuidv7(), 'earning.paid', 'earning', id, NULL, NULL, NULL)::ledger.posting,
            ARRAY[ROW (1, ledger.firm(), 'recorded_returns', user_id, 'available', 'USD', amount_cents)::ledger.leg])
     FROM app.earnings WHERE id = '${newId}';
   INSERT INTO app.earning_sources (earning_id, return_id, amount_cents) VALUES ('${newId}', '${rows[from]}', 100)`

const disagrees = 'PB105'
const sources: Attempt[] = [
  own('a return pays a pending earning', () => source('unpaid', 'realised'), disagrees),
  own('a return pays a declined earning', () => source('unearned', 'realised'), disagrees),
  own('another return pays a paid earning once more', () => source('earned', 'doubted'), disagrees),
  own('a return pays a part of an earning', () => paidFrom('realised').replace(', 100)', ', 99)'), disagrees),
  own('a pending return pays an earning', () => paidFrom('submitted'), fact),
  own('a return to be voided pays an earning', () => paidFrom('doubted'), fact),
  own('a return that was never recorded pays an earning', () => paidFrom('active'), disagrees),
  own(
    'an earning is on no investment',
    () => newEarning('Ada Admin')().replace(', user_id, investment_id, 1', ', user_id, user_id, 1'),
    fact,
  ),
  own(
    "an earning is on another investor's investment",
    () =>
      newEarning('Ada Admin')().replace(
        ', user_id, investment_id, 1',
        ", (SELECT id FROM app.users WHERE name = 'Sam Splitter'), investment_id, 1",
      ),
    fact,
  ),
]

const runId = "'00000000-0000-7000-8000-000000000141'"
const run = () => `
  INSERT INTO app.earning_runs (id, plan_id, as_of, digest, investments, total_cents, needs_approval, created_by, created_at)
  VALUES (${runId}, ${runId}, now(), '', 1, 100, false, '${world.admin.id}', now())`
const share = (cents: number, investment = rows.active) =>
  `INSERT INTO app.earning_run_shares (run_id, investment_id, amount_cents) VALUES (${runId}, '${investment}', ${cents})`
const runs: Attempt[] = [
  own('a share of a run is less than confirmed', () => `${run()}; ${share(99)}`, fact),
  own('a share slips into a run', () => `${run()}; ${share(100)}; ${share(1, rows.waiting)}`, fact),
]

const tables = ['withdrawals', 'approval_hours', 'investments', 'earnings', 'returns', 'deposits'] as const
const appendOnly = ['withdrawal_approvals', 'earning_sources'] as const
const removals: Attempt[] = [
  ...[...tables, ...appendOnly].flatMap(table => [
    own(`${table}: delete`, () => `DELETE FROM app.${table}`, removed),
    own(`${table}: truncate`, () => `TRUNCATE app.${table} CASCADE`, removed),
  ]),
  own(
    'an approval changes hands',
    () => `UPDATE app.withdrawal_approvals SET admin_id = '${world.secondAdmin.id}'`,
    removed,
  ),
  own('what a person approved alone is lowered', () => 'UPDATE app.approval_hours SET alone_cents = 1', fact),
  own(
    'an hour in which a person approved alone is made up',
    () => `INSERT INTO app.approval_hours VALUES (${grace}, 1, now() - interval '1 hour', 1)`,
    fact,
  ),
  own('an earning changes its source', () => 'UPDATE app.earning_sources SET amount_cents = 1', removed),
]

describe('the database refuses from every role', () => {
  test.each([...changes, ...steps, ...cancels, ...approvals, ...sources, ...runs, ...removals])(
    '[B-02] $what',
    async ({ sql, owner }) => {
      const before = await world.state()
      await expect(world.owner(sql())).rejects.toMatchObject({ code: owner })
      const asApp = await world.database.app.query(sql()).catch((error: { code: string }) => error)
      expect([owner, denied]).toContain('code' in asApp && asApp.code)
      expect(await world.state()).toBe(before)
    },
  )

  test('[B-02, N-13] knows the roles that may decide', async () => {
    for (const role of roles) {
      const someone = await world.person(`Some ${role}`, role)
      const { rows: found } = await world.owner(`SELECT app.may_decide('${someone.id}') AS may`)
      expect(found, role).toEqual([{ may: may(role, 'decide') }])
      const { rows: carers } = await world.owner(`SELECT FROM app.carers WHERE id = '${someone.id}'`)
      expect(carers.length > 0, role).toBe(may(role, 'care'))
    }
  })
})
