import type { Pool } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { addEarning, approveEarning } from '#shared/contract/earnings.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/**
 * The books and the records agree at every commit, for every writer: the application's role, which a bug or an intruder
 * may use, and the owner of the tables.
 */
let world: World
let alice: Person
let bob: Person
const ids = {} as Record<
  | 'deposit'
  | 'pending'
  | 'large'
  | 'approved'
  | 'paid'
  | 'invested'
  | 'asked'
  | 'earned'
  | 'realised'
  | 'submitted',
  string
>
const holds = {} as Record<'pending' | 'large' | 'approved' | 'asked', string>
const { ask, approve, pay } = withdrawalsIn(() => world)

async function invest(): Promise<string> {
  const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
  return (await world.call(newInvestment, alice, { body })).data._id
}

beforeAll(async () => {
  world = await openWorld()
  alice = await world.person('Alice Able')
  bob = await world.person('Bob Baker')
  await world.fund(alice, 1_000_000n)
  await world.fund(bob, 1_000_000n)
  for (const state of ['pending', 'large', 'approved', 'paid'] as const)
    ids[state] = (await ask(alice, 100)).data._id
  for (const id of [ids.approved, ids.paid]) await approve(id)
  await pay(ids.paid, world.secondAdmin)
  ids.asked = await invest()
  ids.invested = await invest()
  await world.call(approveInvestment, world.admin, { params: { id: ids.invested } })
  const realised = { amount: 50, source: 'Rent', realisedAt: '2026-01-31', evidence: 'https://example.com/r' }
  ids.realised = (await world.call(newReturn, world.admin, { body: realised })).data._id
  const large = { ...realised, amount: 20_000 }
  ids.submitted = (await world.call(newReturn, world.admin, { body: large })).data._id
  const added = await world.call(addEarning, world.admin, {
    params: { userId: alice.id },
    body: { amount: 1, investmentId: ids.invested },
  })
  ids.earned = added.data[0]!._id
  // Nothing has accrued, so it needs a second person.
  await world.call(approveEarning, world.secondAdmin, { params: { id: ids.earned } })
  const { rows } = await world.owner(`
    SELECT (SELECT id FROM app.deposits WHERE user_id = '${alice.id}') AS deposit,
           (SELECT jsonb_object_agg(id, hold_id) FROM app.withdrawals) ||
           (SELECT jsonb_object_agg(id, hold_id) FROM app.investments) AS holds`)
  ids.deposit = rows[0].deposit
  for (const state of ['pending', 'large', 'approved', 'asked'] as const)
    holds[state] = rows[0].holds[ids[state]]
})

/** The SQLSTATE with which a transaction of these statements is refused; nothing must have changed. */
async function refusal(pool: Pool, statements: string): Promise<string> {
  const before = await world.state()
  const client = await pool.connect()
  const code = await client.query(`BEGIN; ${statements}; COMMIT`).then(
    () => 'accepted',
    error => error.code,
  )
  await client.query('ROLLBACK')
  client.release()
  expect(await world.state()).toBe(before)
  return code
}

type Leg = { from: string; to: string; cents: number; owner?: () => string; asset?: string }
const firm = new Set(['custody', 'exchange', 'payouts', 'receivable', 'recorded_returns', 'returns_received'])

/** A posting as an intruder with the application's role would write it. */
function posting(event: string, id: string, legs: Leg[], hold?: string): string {
  const side = (kind: string, owner = alice.id) =>
    `${firm.has(kind) ? 'ledger.firm()' : `'${owner}'`}, '${kind}'`
  const list = legs.map(
    ({ from, to, cents, owner, asset = 'USD' }) =>
      `ROW (1, ${side(from, owner?.())}, ${side(to, owner?.())}, '${asset}', ${cents})::ledger.leg`,
  )
  return `SELECT ledger.post(ROW (uuidv7(), '${event}', split_part('${event}', '.', 1), '${id}',
    ${hold === undefined ? 'NULL' : `'${hold}'`}, NULL, NULL), ARRAY[${list.join(', ')}]::ledger.leg[])`
}

const unknown = '00000000-0000-4000-8000-000000000000'
const coins = { from: 'custody', to: 'exchange', cents: 100_000_000, asset: 'USDT' }
const credit = { from: 'exchange', to: 'available', cents: 10_000 }
const ofBob = () => bob.id

const postings: [string, () => string][] = [
  ['a deposit that does not exist is credited', () => posting('deposit.settled', unknown, [coins, credit])],
  ['a deposit is credited once more', () => posting('deposit.settled', ids.deposit, [coins, credit])],
  [
    'more is added to a deposit than its record says',
    () => posting('deposit.added', ids.deposit, [coins, credit]),
  ],
  ['a deposit is credited without its coins', () => posting('deposit.added', ids.deposit, [credit])],
  [
    'a deposit receives another coin than its own',
    () => posting('deposit.added', ids.deposit, [{ ...coins, cents: 5, asset: 'BTC' }]),
  ],
  [
    "another investor gets a part of a deposit's credit",
    () => posting('deposit.added', ids.deposit, [{ ...credit, owner: ofBob }]),
  ],
  [
    'a deposit is reversed that the network still shows',
    () => posting('deposit.reversed', ids.deposit, [{ from: 'available', to: 'exchange', cents: 100 }]),
  ],
  [
    'money repays a debt that does not exist',
    () => posting('deposit.reversed', ids.deposit, [{ from: 'available', to: 'receivable', cents: 100 }]),
  ],
  [
    'a hold is placed for no withdrawal',
    () => posting('withdrawal.requested', unknown, [{ from: 'available', to: 'held', cents: 100 }]),
  ],
  [
    'a second hold is placed for a withdrawal',
    () => posting('withdrawal.requested', ids.pending, [{ from: 'available', to: 'held', cents: 10_000 }]),
  ],
  [
    'a pending withdrawal is booked as paid',
    () =>
      posting(
        'withdrawal.paid',
        ids.pending,
        [{ from: 'held', to: 'payouts', cents: 10_000 }],
        holds.pending,
      ),
  ],
  [
    'an approved withdrawal is booked as declined',
    () =>
      posting(
        'withdrawal.declined',
        ids.approved,
        [{ from: 'held', to: 'available', cents: 10_000 }],
        holds.approved,
      ),
  ],
  [
    "one withdrawal's hold is released for another",
    () =>
      posting(
        'withdrawal.declined',
        ids.pending,
        [{ from: 'held', to: 'available', cents: 10_000 }],
        holds.large,
      ),
  ],
  [
    'a hold is placed for no investment',
    () => posting('investment.requested', unknown, [{ from: 'available', to: 'held', cents: 100 }]),
  ],
  [
    'a pending investment is locked in its plan',
    () =>
      posting(
        'investment.approved',
        ids.asked,
        [{ from: 'held', to: 'invested', cents: 50_000 }],
        holds.asked,
      ),
  ],
  [
    "a withdrawal's hold is locked in a plan",
    () =>
      posting(
        'investment.approved',
        ids.asked,
        [{ from: 'held', to: 'invested', cents: 10_000 }],
        holds.pending,
      ),
  ],
  [
    'an active investment is booked as closed',
    () => posting('investment.closed', ids.invested, [{ from: 'invested', to: 'available', cents: 50_000 }]),
  ],
  [
    'a part of an investment is closed',
    () => posting('investment.closed', ids.invested, [{ from: 'invested', to: 'available', cents: 1 }]),
  ],
  [
    'an investment is funded by coins that nobody paid',
    () =>
      posting('investment.funded', ids.asked, [
        coins,
        credit,
        { from: 'available', to: 'invested', cents: 50_000 },
      ]),
  ],
  [
    'an earning that does not exist is paid',
    () => posting('earning.paid', unknown, [{ from: 'recorded_returns', to: 'available', cents: 100 }]),
  ],
  [
    'an earning is paid twice',
    () => posting('earning.paid', ids.earned, [{ from: 'recorded_returns', to: 'available', cents: 100 }]),
  ],
  [
    'an earning is paid to another investor',
    () =>
      posting('earning.paid', ids.earned, [
        { from: 'recorded_returns', to: 'available', cents: 100, owner: ofBob },
      ]),
  ],
  [
    'a return that does not exist is booked',
    () =>
      posting('return.recorded', unknown, [{ from: 'returns_received', to: 'recorded_returns', cents: 100 }]),
  ],
  [
    'a return that nobody voided is booked as voided',
    () =>
      posting('return.voided', ids.realised, [
        { from: 'recorded_returns', to: 'returns_received', cents: 4_900 },
      ]),
  ],
  [
    'a pending return is booked',
    () =>
      posting('return.recorded', ids.submitted, [
        { from: 'returns_received', to: 'recorded_returns', cents: 2_000_000 },
      ]),
  ],
  [
    'a return is booked twice',
    () =>
      posting('return.recorded', ids.realised, [
        { from: 'returns_received', to: 'recorded_returns', cents: 5_000 },
      ]),
  ],
]

describe('the application cannot commit a posting without the record that calls for it', () => {
  test.each(postings)('[B-01, B-02] %s', async (_, statement) => {
    expect(await refusal(world.database.app, statement())).toBe('PB105')
  })

  test('[B-02] a posting moves something', async () => {
    expect(await refusal(world.database.app, posting('deposit.added', ids.deposit, []))).toBe('PB101')
    const empty = `INSERT INTO ledger.transactions (id, event, reference_kind, reference_id, created_at)
                   VALUES (uuidv7(), 'deposit.added', 'deposit', '${ids.deposit}', now())`
    expect(await refusal(world.database.owner, empty)).toBe('PB101')
  })

  test('[B-02] a reference is of the kind of its event', async () => {
    const statement = posting('earning.paid', ids.earned, [
      { from: 'recorded_returns', to: 'available', cents: 100 },
    ])
    expect(
      await refusal(world.database.app, statement.replace("split_part('earning.paid', '.', 1)", "'deposit'")),
    ).toBe('23514')
  })

  test('[B-01] a check that is brought forward is made again for what comes after it', async () => {
    const early = `SET CONSTRAINTS ALL IMMEDIATE; ${posting('earning.paid', unknown, [{ from: 'recorded_returns', to: 'available', cents: 1 }])}`
    expect(await refusal(world.database.app, early)).toBe('PB105')
  })
})

const insertDeposit = (changes: string) => `
  INSERT INTO app.deposits
  SELECT (jsonb_populate_record(NULL::app.deposits, to_jsonb(d) || '{ "status": "pending", "settled_at": null }'
           || jsonb_build_object('id', uuidv7(), 'invoice_id', 'DEP-X') || '${changes}')).*
    FROM app.deposits d WHERE id = '${ids.deposit}'`

/** Another deposit with the same manual credit. */
const insertCredit = (posted: string) => `
  ${insertDeposit('{}')};
  INSERT INTO app.deposit_credits (deposit_id, entered_by, units, exchanged_units, cents, rate_e8, rate_at, rate_source, posting)
  SELECT d.id, entered_by, units, exchanged_units, cents, c.rate_e8, c.rate_at, c.rate_source, ${posted}
    FROM app.deposit_credits c, app.deposits d WHERE c.deposit_id = '${ids.deposit}' AND d.invoice_id = 'DEP-X'`

const approvedEarning = (owner: string) => `
  INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, status, created_by)
  VALUES ('${unknown}', '${owner}', '${ids.invested}', 100, 'pending', '${world.admin.id}');
  UPDATE app.earnings SET status = 'paid', paid_at = now(), approved_by = '${world.secondAdmin.id}' WHERE id = '${unknown}'`

const source = () =>
  `INSERT INTO app.earning_sources (earning_id, return_id, amount_cents) VALUES ('${unknown}', '${ids.realised}', 100)`

const records: [string, () => string][] = [
  ['a new deposit with a debt', () => insertDeposit('{ "debt_cents": 1 }')],
  ["a credit with another deposit's posting", () => insertCredit('c.posting')],
  ['a credit without a posting', () => insertCredit('uuidv7()')],
  [
    'a paid deposit that says it is pending',
    () => `UPDATE app.deposits SET status = 'pending', settled_at = NULL WHERE id = '${ids.deposit}'`,
  ],
  ['a debt that nothing left', () => `UPDATE app.deposits SET debt_cents = 1 WHERE id = '${ids.deposit}'`],
  [
    'a withdrawal without a hold',
    () => `INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, hold_id, single_approval_cents, approvals_needed)
           SELECT uuidv7(), 'WDR-X', user_id, amount_cents, wallet, address, uuidv7(), amount_cents, 1 FROM app.withdrawals WHERE id = '${ids.pending}'`,
  ],
  [
    "a withdrawal with another one's hold",
    () => `INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, hold_id, single_approval_cents, approvals_needed)
           SELECT uuidv7(), 'WDR-X', user_id, amount_cents, wallet, address, hold_id, amount_cents, 1 FROM app.withdrawals WHERE id = '${ids.pending}'`,
  ],
  [
    'a withdrawal that says it is paid',
    () =>
      `UPDATE app.withdrawals SET status = 'paid', paid_at = now(), paid_by = '${world.secondAdmin.id}', transaction_id = 'x' WHERE id = '${ids.approved}'`,
  ],
  [
    'a withdrawal that says it is declined',
    () => `UPDATE app.withdrawals SET status = 'declined', decline_reason = 'x' WHERE id = '${ids.pending}'`,
  ],
  [
    'an investment whose money is still held',
    () =>
      `UPDATE app.investments SET status = 'active', approved_at = now(), ending_at = now() WHERE id = '${ids.asked}'`,
  ],
  [
    'an investment closed without its principal',
    () => `UPDATE app.investments SET status = 'inactive', closed_at = now() WHERE id = '${ids.invested}'`,
  ],
  ['an earning that nothing pays', () => approvedEarning(alice.id)],
  [
    'an earning of another amount than posted',
    () => `${approvedEarning(alice.id)};
           ${posting('earning.paid', unknown, [{ from: 'recorded_returns', to: 'available', cents: 99 }])};
           ${source()}`,
  ],
  [
    'an earning that was posted to another investor',
    () => `${approvedEarning(alice.id)};
           ${posting('earning.paid', unknown, [{ from: 'recorded_returns', to: 'available', cents: 100, owner: ofBob }])};
           ${source()}`,
  ],
  [
    'an earning that was posted twice',
    () => {
      const once = posting('earning.paid', unknown, [
        { from: 'recorded_returns', to: 'available', cents: 100 },
      ])
      return `${approvedEarning(alice.id)}; ${once}; ${once}; ${source()}`
    },
  ],
  [
    'an earning whose sources are written before it is posted',
    () => `${approvedEarning(alice.id)}; ${source()};
           ${posting('earning.paid', unknown, [{ from: 'recorded_returns', to: 'available', cents: 100 }])}`,
  ],
  [
    'a return that is not booked',
    () => `INSERT INTO app.returns (id, amount_cents, status, alone_limit_cents, source, realised_on, evidence, evidence_kind, recorded_by, created_at)
           VALUES (uuidv7(), 100, 'recorded', 1000000, 'Rent', '2026-01-31', 'https://example.com/x', 'link', '${world.admin.id}', now())`,
  ],
  [
    'a pending return that says it is recorded',
    () =>
      `UPDATE app.returns SET status = 'recorded', approved_by = '${world.secondAdmin.id}' WHERE id = '${ids.submitted}'`,
  ],
  [
    'a return that says it is voided',
    () => `UPDATE app.returns SET status = 'void_proposed', void_reason = 'x', void_proposed_by = '${world.admin.id}' WHERE id = '${ids.realised}';
           UPDATE app.returns SET status = 'voided', voided_by = '${world.secondAdmin.id}' WHERE id = '${ids.realised}'`,
  ],
]

describe('nobody can commit a record that the books do not bear out', () => {
  test.each(records)('[B-01, B-03] %s', async (_, statement) => {
    expect(await refusal(world.database.owner, statement())).toBe('PB105')
  })
})
