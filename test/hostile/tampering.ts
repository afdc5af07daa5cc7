/**
 * What somebody can do to the books with a login of the database, and what comes of it: the database refuses it, or the
 * check of the books names it. Each change that is not refused is made on a copy of sealed books of its own.
 *
 * - app: the role of the web and worker processes
 * - owner: the owner of the tables, with whom migrations run
 * - superuser: all triggers and foreign keys off
 */
export type Role = 'app' | 'owner' | 'superuser'
/** The SQLSTATE of the refusal. */
type Refused = { refused: string }
/** The invariant that the check finds broken. */
type Found = { found: string }
type Change<Outcome = Refused | Found> = [role: Role, what: string, statements: string, outcome: Outcome]

const refused = (code: string): Refused => ({ refused: code })
const found = (invariant: string): Found => ({ found: invariant })
const denied = refused('42501')
const appendOnly = refused('PB900')
const disagrees = refused('PB105')
const fact = refused('PB912')
const refusedProof = refused('PB202')

const alice = `(SELECT id FROM app.users WHERE name = 'Alice Able')`
const bob = `(SELECT id FROM app.users WHERE name = 'Bob Baker')`
const carl = `(SELECT id FROM app.users WHERE name = 'Carl Cold')`
const ofCarl = `(SELECT id FROM app.investments WHERE user_id = ${carl})`
const paid = `(SELECT id FROM app.withdrawals WHERE status = 'paid')`
const pending = `(SELECT id FROM app.withdrawals WHERE status = 'pending' AND approvals_needed = 1)`
const large = `(SELECT id FROM app.withdrawals WHERE approvals_needed = 2)`
const ofEvent = (event: string) =>
  `(SELECT id FROM ledger.transactions WHERE event = '${event}' ORDER BY id LIMIT 1)`
const account = (kind: string, owner = alice) =>
  `(SELECT id FROM ledger.accounts WHERE kind = '${kind}' AND owner = ${owner})`
const post = (event: string, reference: string, legs: string | string[], hold = 'NULL') =>
  `SELECT ledger.post(ROW (uuidv7(), '${event}', split_part('${event}', '.', 1), ${reference}, ${hold}, NULL, NULL),
                      ARRAY[${[legs].flat().map(leg => `ROW (1, ${leg})::ledger.leg`)}])`
/** The setting with which no trigger runs. */
export const withoutTriggers = `session_replication_role = 'replica'`
const swap = (table: string, key: string, column: string, one: string, other: string) =>
  `UPDATE ${table} t SET ${column} = o.${column} FROM ${table} o
    WHERE (t.${key} = ${one} AND o.${key} = ${other}) OR (t.${key} = ${other} AND o.${key} = ${one})`

const changes: Change[] = [
  // Money.
  [
    'app',
    'writes an entry',
    'INSERT INTO ledger.entries (transaction_id, line, account_id, amount) SELECT transaction_id, 9, account_id, amount FROM ledger.entries',
    denied,
  ],
  ['app', 'raises a balance', 'UPDATE ledger.accounts SET balance = balance + 1', denied],
  [
    'app',
    "moves Alice's money to Bob's hold",
    post('withdrawal.requested', 'uuidv7()', `${alice}, 'available', ${bob}, 'held', 'USD', 200000`),
    refused('PB102'),
  ],
  [
    'app',
    "releases Alice's hold to Bob",
    post(
      'withdrawal.declined',
      pending,
      `${alice}, 'held', ${bob}, 'available', 'USD', 10000`,
      `(SELECT hold_id FROM app.withdrawals WHERE id = ${pending})`,
    ),
    refused('PB102'),
  ],
  [
    'app',
    'credits a deposit that does not exist',
    post('deposit.settled', 'uuidv7()', `ledger.firm(), 'exchange', ${bob}, 'available', 'USD', 50000000`),
    disagrees,
  ],
  [
    'app',
    'credits a deposit once more',
    post(
      'deposit.added',
      `(SELECT id FROM app.deposits WHERE user_id = ${bob} AND status = 'paid')`,
      `ledger.firm(), 'exchange', ${bob}, 'available', 'USD', 50000000`,
    ),
    disagrees,
  ],
  [
    'app',
    'gives a credited deposit another id, to credit the first one again',
    `UPDATE app.deposits SET id = uuidv7() WHERE user_id = ${bob} AND status = 'paid'`,
    denied,
  ],
  [
    'app',
    "raises a deposit's rate",
    `UPDATE app.deposits SET rate_e8 = rate_e8 * 10 WHERE status = 'pending'`,
    denied,
  ],
  [
    'app',
    'pays an earning to another investor',
    post(
      'earning.paid',
      '(SELECT id FROM app.earnings LIMIT 1)',
      `ledger.firm(), 'recorded_returns', ${bob}, 'available', 'USD', 100`,
    ),
    disagrees,
  ],
  [
    'app',
    'pays out more than an investor has',
    post('withdrawal.requested', 'uuidv7()', `${bob}, 'available', ${bob}, 'held', 'USD', 100000001`),
    refused('PB001'),
  ],
  [
    'app',
    "calls an investor's money a return",
    post('return.recorded', 'uuidv7()', `${bob}, 'available', ledger.firm(), 'recorded_returns', 'USD', 1`),
    refused('PB102'),
  ],
  [
    'app',
    'books a return that nobody recorded',
    post(
      'return.recorded',
      'uuidv7()',
      `ledger.firm(), 'returns_received', ledger.firm(), 'recorded_returns', 'USD', 1`,
    ),
    disagrees,
  ],
  [
    'app',
    'marks a deposit as paid that is not',
    `UPDATE app.deposits SET status = 'paid', settled_at = now() WHERE status = 'pending'`,
    disagrees,
  ],
  [
    'app',
    'credits a deposit that no transfer paid, nor staff',
    `${post('deposit.settled', `(SELECT id FROM app.deposits WHERE status = 'pending')`, [
      `ledger.firm(), 'custody', ledger.firm(), 'exchange', 'USDT', 1000000`,
      `ledger.firm(), 'exchange', ${bob}, 'available', 'USD', 100`,
    ])};
     UPDATE app.deposits SET status = 'paid', settled_at = now() WHERE status = 'pending'`,
    disagrees,
  ],
  [
    'app',
    'writes a withdrawal that holds nothing',
    `INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, hold_id, single_approval_cents, approvals_needed, created_at)
     SELECT uuidv7(), 'WDR-X', user_id, amount_cents, wallet, address, uuidv7(), single_approval_cents, 1, now() FROM app.withdrawals WHERE id = ${pending}`,
    disagrees,
  ],

  // Approvals.
  [
    'app',
    'approves without approvals',
    `UPDATE app.withdrawals SET status = 'approved', approved_at = now() WHERE id = ${pending}`,
    refused('PB914'),
  ],
  [
    'app',
    'lowers the approvals that are needed',
    `UPDATE app.withdrawals SET approvals_needed = 1 WHERE id = ${large}`,
    fact,
  ],
  [
    'app',
    'approves in the name of an investor',
    `INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id) VALUES (${pending}, ${bob})`,
    refused('PB914'),
  ],
  [
    'app',
    'hides what a person approves alone',
    `INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id, alone_cents) VALUES (${pending}, (SELECT id FROM app.users WHERE type = 'admin' ORDER BY id DESC LIMIT 1), 0)`,
    denied,
  ],
  [
    'app',
    'raises the amount of a withdrawal',
    `UPDATE app.withdrawals SET amount_cents = 20000 WHERE id = ${pending}`,
    denied,
  ],
  [
    'app',
    'sends a withdrawal to another address',
    `UPDATE app.withdrawals SET address = 'x' WHERE id = ${pending}`,
    denied,
  ],
  [
    'app',
    'gives a withdrawal to another investor',
    `UPDATE app.withdrawals SET user_id = ${bob} WHERE id = ${pending}`,
    denied,
  ],
  ['app', 'takes an approval back', 'DELETE FROM app.withdrawal_approvals', denied],

  // A frozen account.
  [
    'app',
    'closes an investment of a frozen account',
    `${post('investment.closed', ofCarl, `${carl}, 'invested', ${carl}, 'available', 'USD', 50000`)};
     UPDATE app.investments SET status = 'inactive', closed_at = now() WHERE id = ${ofCarl}`,
    refused('PB911'),
  ],
  [
    'owner',
    'pays an earning to a frozen account',
    `INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, status, created_by)
     SELECT uuidv7(), user_id, id, 100, 'pending', (SELECT id FROM app.users WHERE name = 'Ada Admin')
       FROM app.investments WHERE id = ${ofCarl};
     UPDATE app.earnings SET status = 'paid', paid_at = now(), approved_by = (SELECT id FROM app.users WHERE name = 'Grace Admin')
      WHERE investment_id = ${ofCarl}`,
    refused('PB911'),
  ],
  [
    'app',
    "posts a frozen account's money without a record",
    post('investment.closed', ofCarl, `${carl}, 'invested', ${carl}, 'available', 'USD', 50000`),
    disagrees,
  ],

  // Evidence and guards.
  ['app', 'changes the audit log', `UPDATE app.audit_log SET actor_id = NULL`, denied],
  ['app', 'deletes from the audit log', 'DELETE FROM app.audit_log', denied],
  [
    'app',
    'writes an audit row behind the seals',
    `INSERT INTO app.audit_log (id, action) OVERRIDING SYSTEM VALUE VALUES (-1, 'login')`,
    denied,
  ],
  ['app', 'writes a seal', 'INSERT INTO ledger.seals SELECT * FROM ledger.seals', denied],
  [
    'app',
    'says that the books were checked',
    `INSERT INTO ledger.invariant_runs (started_at, finished_at, ok, checks) VALUES (now(), now(), true, '[]')`,
    denied,
  ],
  [
    'app',
    'permits a new kind of posting',
    `INSERT INTO ledger.posting_rules VALUES ('gift', 'exchange', 'available', NULL)`,
    denied,
  ],
  ['app', 'switches the triggers off', 'ALTER TABLE ledger.entries DISABLE TRIGGER ALL', denied],
  ['app', 'runs without triggers', `SET ${withoutTriggers}`, denied],
  ['app', 'becomes the owner', 'SET ROLE probity_owner', denied],
  [
    'app',
    'brings a check forward',
    `SET CONSTRAINTS ALL IMMEDIATE; ${post('earning.paid', 'uuidv7()', `ledger.firm(), 'recorded_returns', ${bob}, 'available', 'USD', 1`)}`,
    disagrees,
  ],

  // The public log.
  [
    'app',
    'logs a transaction with a text of their own',
    `INSERT INTO ledger.log (index, transaction_id, leaf) SELECT 1000, id, 'free text' FROM ledger.transactions LIMIT 1`,
    denied,
  ],
  [
    'app',
    'logs a transaction once more',
    `SELECT ledger.log_transactions(1, sha256('x'), now(), now() + interval '1 hour')`,
    refusedProof,
  ],
  [
    'app',
    'ends an epoch with a leaf and a checkpoint of their own',
    `SELECT ledger.close_epoch(ROW(2, size + 1, root, ended_at, now(), 0, 0, 0, 'free text')::ledger.epochs, 'free text', now())
       FROM ledger.epochs`,
    refusedProof,
  ],
  [
    'app',
    'adds a cosignature that is none',
    `SELECT ledger.add_cosignature(1, 'witness', 'w+00000000+AAAA', '— w AAAAAAAA', now(), now())`,
    refusedProof,
  ],
  [
    'app',
    'adds a time stamp that is none',
    `SELECT ledger.add_stamp(1, 'a.example', 'free text', now(), now())`,
    refusedProof,
  ],
  ['app', 'deletes the keys of the public proof', 'UPDATE app.proof_keys SET sealed_seed = NULL', denied],
  [
    'app',
    "erases all investors' secrets",
    'UPDATE app.proof_secrets SET sealed_secret = NULL, erased_at = now()',
    denied,
  ],
  [
    'superuser',
    'changes the text of a leaf',
    `UPDATE ledger.log SET leaf = convert_to(replace(convert_from(leaf, 'UTF8'), '"return.recorded"', '"return.voided"'), 'UTF8')`,
    found('log_texts'),
  ],
  [
    'superuser',
    'dates a leaf back',
    `UPDATE ledger.log SET leaf = convert_to(regexp_replace(convert_from(leaf, 'UTF8'), '^\\d{4}', '1999'), 'UTF8')
      WHERE transaction_id = ${ofEvent('withdrawal.paid')}`,
    found('log_texts'),
  ],
  [
    'superuser',
    "takes an investor's tag out of a leaf",
    `UPDATE ledger.log SET leaf = convert_to(regexp_replace(convert_from(leaf, 'UTF8'), '  ; leg:\\S+', ''), 'UTF8')
      WHERE transaction_id = ${ofEvent('withdrawal.paid')}`,
    found('log_texts'),
  ],

  ['owner', 'changes an entry', 'UPDATE ledger.entries SET amount = amount', appendOnly],
  [
    'owner',
    'deletes a transaction',
    `DELETE FROM ledger.transactions WHERE id = ${ofEvent('withdrawal.paid')}`,
    appendOnly,
  ],
  ['owner', 'empties the journal', 'TRUNCATE ledger.entries, ledger.transactions', appendOnly],
  ['owner', 'raises a balance', 'UPDATE ledger.accounts SET balance = balance + 1', appendOnly],
  ['owner', 'resolves a hold', `UPDATE ledger.holds SET resolution = 'voided'`, appendOnly],
  ['owner', 'changes the audit log', 'UPDATE app.audit_log SET actor_id = NULL', appendOnly],
  ['owner', 'deletes seals', 'DELETE FROM ledger.seals', appendOnly],
  [
    'owner',
    'raises the amount of a withdrawal',
    `UPDATE app.withdrawals SET amount_cents = 20000 WHERE id = ${pending}`,
    fact,
  ],
  [
    'owner',
    'lowers the approvals that are needed',
    `UPDATE app.withdrawals SET approvals_needed = 1 WHERE id = ${large}`,
    fact,
  ],
  [
    'owner',
    'gives a credited deposit to another investor',
    `UPDATE app.deposits SET user_id = ${alice} WHERE user_id = ${bob} AND status = 'paid'`,
    fact,
  ],
  ['owner', 'raises an earning', `UPDATE app.earnings SET amount_cents = amount_cents + 1`, fact],
  ['owner', 'raises a return', `UPDATE app.returns SET amount_cents = amount_cents + 1`, fact],
  ['owner', 'deletes a withdrawal', `DELETE FROM app.withdrawals WHERE id = ${paid}`, appendOnly],
  [
    'owner',
    'raises the credit of a deposit',
    `UPDATE app.deposit_credits SET cents = cents + 1 WHERE deposit_id = (SELECT id FROM app.deposits WHERE user_id = ${bob} AND status = 'paid')`,
    fact,
  ],
  [
    'owner',
    'locks an investment in its plan',
    `UPDATE app.investments SET status = 'active', approved_at = now(), ending_at = now() WHERE status = 'pending'`,
    disagrees,
  ],

  [
    'owner',
    'permits a new kind of posting',
    `INSERT INTO ledger.posting_rules VALUES ('deposit.settled', 'exchange', 'recorded_returns', NULL)`,
    found('rules_as_released'),
  ],
  [
    'owner',
    'lets balances fall below zero',
    `UPDATE ledger.account_kinds SET floor = -1000000 WHERE kind = 'available'`,
    found('rules_as_released'),
  ],
  [
    'owner',
    'switches a guard off',
    'ALTER TABLE ledger.entries DISABLE TRIGGER entries_guard',
    found('rules_as_released'),
  ],
  [
    'owner',
    'drops a guard',
    'DROP TRIGGER transactions_have_records ON ledger.transactions',
    found('rules_as_released'),
  ],
  [
    'owner',
    'replaces a guard',
    `CREATE OR REPLACE FUNCTION ledger.guard_entries() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
    found('rules_as_released'),
  ],
  [
    'owner',
    'adds a trigger',
    `CREATE FUNCTION app.lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER lose BEFORE INSERT ON app.audit_log FOR EACH ROW EXECUTE FUNCTION app.lose()`,
    found('rules_as_released'),
  ],
  [
    'owner',
    'adds a rule',
    'CREATE RULE lose AS ON INSERT TO app.audit_log DO INSTEAD NOTHING',
    found('rules_as_released'),
  ],
  [
    'owner',
    'drops a constraint',
    'ALTER TABLE ledger.entries DROP CONSTRAINT entries_check',
    found('rules_as_released'),
  ],
  ['owner', 'drops a unique index', 'DROP INDEX app.withdrawals_paid_once', found('rules_as_released')],
  [
    'owner',
    'lets the application write the books',
    'GRANT INSERT, UPDATE ON ledger.entries TO probity_app',
    found('rules_as_released'),
  ],
  [
    'owner',
    'lets the application change one column',
    'GRANT UPDATE (amount_cents) ON app.withdrawals TO probity_app',
    found('rules_as_released'),
  ],
  [
    'owner',
    'lets another role write the books',
    'GRANT UPDATE ON ledger.accounts TO pg_monitor',
    found('rules_as_released'),
  ],
  [
    'owner',
    'lets another role change one column',
    'GRANT UPDATE (amount) ON ledger.entries TO pg_monitor',
    found('rules_as_released'),
  ],
  [
    'owner',
    'adds entries past their guards by a table that inherits them',
    'CREATE TABLE public.more () INHERITS (ledger.entries)',
    found('rules_as_released'),
  ],
  [
    'owner',
    'has a check find nothing',
    `CREATE OR REPLACE VIEW ledger.postings_without_record AS SELECT id, event, reference_id FROM ledger.transactions WHERE false`,
    found('rules_as_released'),
  ],
  [
    'owner',
    'has the check say that all is well',
    `CREATE OR REPLACE FUNCTION ledger.check_books(p_more jsonb DEFAULT '[]', p_point bigint DEFAULT NULL) RETURNS ledger.invariant_runs LANGUAGE sql SECURITY DEFINER
       AS $$ INSERT INTO ledger.invariant_runs (started_at, finished_at, ok, checks) VALUES (now(), now(), true, '[]') RETURNING * $$`,
    found('rules_as_released'),
  ],

  [
    'superuser',
    'has every session run without triggers',
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role = replica', current_database()); END $$`,
    found('rules_as_released'),
  ],

  // The books.
  [
    'superuser',
    'raises a balance',
    `UPDATE ledger.accounts SET balance = balance + 1 WHERE id = ${account('available')}`,
    found('balances_explained'),
  ],
  [
    'superuser',
    'changes both entries of a leg alike',
    `UPDATE ledger.entries SET amount = amount * 2, new_balance = previous_balance + amount * 2 WHERE transaction_id = ${ofEvent('return.recorded')}`,
    found('journal_as_sealed'),
  ],
  [
    'superuser',
    'deletes a transaction and its entries',
    `DELETE FROM ledger.entries WHERE transaction_id = ${ofEvent('withdrawal.paid')}; DELETE FROM ledger.transactions WHERE event = 'withdrawal.paid'`,
    found('withdrawals_booked'),
  ],
  ['superuser', 'deletes a hold', 'DELETE FROM ledger.holds WHERE resolution IS NULL', found('holds_agree')],
  [
    'superuser',
    'swaps two owners',
    `UPDATE ledger.accounts a SET asset = 'X' WHERE a.id = ${account('available')};
     UPDATE ledger.accounts SET owner = ${alice} WHERE id = ${account('available', bob)};
     UPDATE ledger.accounts SET owner = ${bob}, asset = 'USD' WHERE asset = 'X'`,
    found('deposits_booked'),
  ],
  [
    'superuser',
    'dates a transaction back',
    `UPDATE ledger.transactions SET created_at = created_at - interval '1 microsecond' WHERE id = ${ofEvent('return.recorded')}`,
    found('journal_as_sealed'),
  ],
  [
    'superuser',
    'names another actor',
    `UPDATE ledger.transactions SET actor = ${bob} WHERE id = ${ofEvent('withdrawal.paid')}`,
    found('journal_as_sealed'),
  ],
  [
    'superuser',
    'swaps the references of two transactions',
    swap('ledger.transactions', 'id', 'reference_id', ofEvent('withdrawal.paid'), ofEvent('earning.paid')),
    found('postings_recorded'),
  ],
  [
    'superuser',
    'writes a snapshot',
    `INSERT INTO ledger.snapshots (account_id, entry_id, balance) SELECT account_id, id, -1 FROM ledger.entries WHERE version IS NULL LIMIT 1`,
    found('snapshots_right'),
  ],
  [
    'superuser',
    'adds a debt that nobody has',
    `UPDATE app.deposits SET debt_cents = 1 WHERE user_id = ${bob} AND status = 'paid'`,
    found('deposits_booked'),
  ],

  // The records.
  [
    'superuser',
    'changes the amount of a paid withdrawal',
    `UPDATE app.withdrawals SET amount_cents = amount_cents + 1 WHERE id = ${paid}`,
    found('withdrawals_booked'),
  ],
  [
    'superuser',
    'deletes a paid withdrawal',
    `DELETE FROM app.withdrawals WHERE id = ${paid}`,
    found('postings_recorded'),
  ],
  [
    'superuser',
    'gives a withdrawal to another investor',
    `UPDATE app.withdrawals SET user_id = ${bob} WHERE id = ${paid}`,
    found('withdrawals_booked'),
  ],
  [
    'superuser',
    'swaps the holds of two withdrawals',
    swap('app.withdrawals', 'id', 'hold_id', pending, paid),
    found('withdrawals_booked'),
  ],
  [
    'superuser',
    'takes an approval back',
    `DELETE FROM app.withdrawal_approvals WHERE withdrawal_id = ${paid}`,
    found('withdrawals_approved'),
  ],
  [
    'superuser',
    'has one person approve a day of withdrawals that needed two',
    `UPDATE app.withdrawals SET single_approval_cents = amount_cents WHERE id = ${paid}`,
    found('withdrawals_approved'),
  ],
  [
    'superuser',
    'raises what one person might approve above what two admins decided',
    `INSERT INTO app.setting_versions (large_withdrawal_cents, large_return_cents, earnings_second_approval, proposal_id, created_at)
     VALUES (19999, 1000000, false, uuidv7(), '2020-01-01')`,
    found('withdrawals_approved'),
  ],
  [
    'superuser',
    'has one person approve more than one person may',
    `UPDATE app.withdrawals SET single_approval_cents = 25000 WHERE id IN (${paid}, ${pending});
     INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id)
     SELECT ${pending}, admin_id FROM app.withdrawal_approvals WHERE withdrawal_id = ${paid};
     UPDATE app.withdrawals SET status = 'approved', approved_at = now() WHERE id = ${pending}`,
    found('approvers_within_limit'),
  ],
  [
    'superuser',
    'marks a withdrawal as paid by its approver',
    `UPDATE app.withdrawals SET paid_by = (SELECT admin_id FROM app.withdrawal_approvals WHERE withdrawal_id = id) WHERE id = ${paid}`,
    found('withdrawals_paid_by_others'),
  ],
  [
    'superuser',
    'forgets who marked a withdrawal as paid',
    `UPDATE app.withdrawals SET paid_by = NULL WHERE id = ${paid}`,
    found('withdrawals_paid_by_others'),
  ],
  [
    'superuser',
    'has a declined request keep its money',
    `UPDATE app.withdrawals SET status = 'declined', decline_reason = 'x' WHERE id = ${pending}`,
    found('withdrawals_booked'),
  ],
  [
    'superuser',
    'closes an investment',
    `UPDATE app.investments SET status = 'inactive' WHERE status = 'active'`,
    found('investments_booked'),
  ],
  [
    'superuser',
    'raises an investment',
    `UPDATE app.investments SET amount_cents = amount_cents + 1 WHERE status = 'active'`,
    found('investments_booked'),
  ],
  [
    'superuser',
    'raises an earning',
    'UPDATE app.earnings SET amount_cents = amount_cents + 1',
    found('earnings_booked'),
  ],
  [
    'superuser',
    'pays an earning beyond what has accrued without a second person',
    'UPDATE app.earnings SET approved_by = NULL',
    found('earnings_approved'),
  ],
  ['superuser', 'deletes an earning', 'DELETE FROM app.earnings', found('postings_recorded')],
  [
    'superuser',
    'takes an earning from no return',
    'DELETE FROM app.earning_sources',
    found('earnings_booked'),
  ],
  [
    'superuser',
    'raises a return',
    'UPDATE app.returns SET amount_cents = amount_cents + 1',
    found('returns_booked'),
  ],
  [
    'superuser',
    'lowers what one person might record alone',
    'UPDATE app.returns SET alone_limit_cents = 1',
    found('returns_approved'),
  ],
  [
    'superuser',
    'voids a return',
    `UPDATE app.returns SET status = 'voided', void_reason = 'x', void_proposed_by = recorded_by,
            voided_by = (SELECT id FROM app.users WHERE type = 'admin' AND id <> recorded_by LIMIT 1)`,
    found('returns_booked'),
  ],
  [
    'superuser',
    'frees a return that is spent',
    'UPDATE app.returns SET spent_cents = 0',
    found('returns_spent'),
  ],
  [
    'superuser',
    'says that a debt was repaid',
    `UPDATE app.withdrawals SET recovered_cents = 1 WHERE id = ${paid}`,
    found('debts_repaid'),
  ],
  [
    'superuser',
    'credits a deposit manually',
    `UPDATE app.deposit_credits SET cents = cents + 1 WHERE deposit_id = (SELECT id FROM app.deposits WHERE user_id = ${bob} AND status = 'paid')`,
    found('deposits_booked'),
  ],

  // The audit log and the seals.
  [
    'superuser',
    'changes the audit log',
    `UPDATE app.audit_log SET actor_id = ${bob} WHERE id = (SELECT min(id) FROM app.audit_log)`,
    found('audit_as_sealed'),
  ],
  [
    'superuser',
    'dates an act back',
    `UPDATE app.audit_log SET at = at - interval '1 hour' WHERE id = (SELECT min(id) FROM app.audit_log)`,
    found('audit_as_sealed'),
  ],
  [
    'superuser',
    'deletes from the audit log',
    'DELETE FROM app.audit_log WHERE id = (SELECT min(id) FROM app.audit_log)',
    found('audit_as_sealed'),
  ],
  [
    'superuser',
    'changes a seal',
    `UPDATE ledger.seals SET journal_root = sha256(journal_root)`,
    found('seals_signed'),
  ],
  ['superuser', 'deletes a seal', 'DELETE FROM ledger.seals WHERE number = 1', found('seals_signed')],

  // The signatures of the public log.
  [
    'superuser',
    'changes the signature of a checkpoint',
    `UPDATE ledger.epochs SET checkpoint = left(checkpoint, -12) || 'AAAAAAAAAA=' || chr(10)`,
    found('checkpoints_signed'),
  ],
  [
    'superuser',
    'replaces the key of the public log',
    `UPDATE app.proof_keys SET public_key = sha256(public_key) WHERE purpose = 'log'`,
    found('checkpoints_signed'),
  ],
]

export const refusable = changes.filter((change): change is Change<Refused> => 'refused' in change[3])
export const findable = changes.filter((change): change is Change<Found> => 'found' in change[3])

/** What checks of what is new can leave to the next day's check of everything, if it was verified before (decision 136). */
export const foundNextDay: Change<Found>[] = [
  [
    'superuser',
    'deletes a resolved hold',
    'DELETE FROM ledger.holds WHERE resolution IS NOT NULL',
    found('holds_agree'),
  ],
  [
    'superuser',
    'deletes how a deposit was credited',
    'DELETE FROM app.deposit_credits',
    found('deposits_booked'),
  ],
  [
    'superuser',
    'deletes a balance of the public log',
    'DELETE FROM ledger.log_balances',
    found('log_figures'),
  ],
  [
    'superuser',
    'adds to the total of one day what another one lacks',
    `INSERT INTO ledger.daily_totals (day, event, from_kind, to_kind, asset, legs, amount)
     VALUES ('2026-01-01', 'withdrawal.paid', 'held', 'exchange', 'USD', 1, 5), ('2026-01-02', 'withdrawal.declined', 'exchange', 'held', 'USD', 1, 5)`,
    found('days_right'),
  ],
]
