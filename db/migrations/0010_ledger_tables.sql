-- The books: a double-entry ledger whose rules the database itself enforces. Read in this order: assets, account kinds
-- and posting rules; accounts; the journal.
-- A transaction is one business event. Its entries are signed amounts in an asset's minor units, two entries per leg.
-- Credits are positive: what the firm owes an investor is positive, coins in custody are negative.
-- 0011 guards the books, 0012 writes them, 0013 and 0014 read them, 0015 checks them.

CREATE TABLE ledger.assets (
  code text PRIMARY KEY,
  -- Digits after the decimal point; amounts are integers of the last digit.
  decimals smallint NOT NULL CHECK (decimals BETWEEN 0 AND 18),
  minor_unit text NOT NULL
);
INSERT INTO ledger.assets (code, decimals, minor_unit) VALUES
  ('USD', 2, 'cent'),
  ('BTC', 8, 'satoshi'),
  ('USDT', 6, '10^-6 USDT'),
  ('ETH', 9, 'gwei'),
  ('USDC', 6, '10^-6 USDC');

-- The chart of accounts. A balance never falls below its floor. An account without a floor keeps no running balance, so
-- the accounts that every transaction touches are no hot rows.
CREATE TABLE ledger.account_kinds (
  kind text PRIMARY KEY,
  holder text NOT NULL CHECK (holder IN ('investor', 'firm')),
  floor bigint,
  assets text[] NOT NULL,
  meaning text NOT NULL,
  CHECK (holder = 'firm' OR floor IS NOT NULL)
);
INSERT INTO ledger.account_kinds (kind, holder, floor, assets, meaning) VALUES
  ('available', 'investor', 0, '{USD}', 'What an investor can withdraw or invest now'),
  ('held', 'investor', 0, '{USD}', 'On hold for pending withdrawals and for investments paid from the balance'),
  ('invested', 'investor', 0, '{USD}', 'Locked in active plans'),
  ('recorded_returns', 'firm', 0, '{USD}', 'Realised returns that are not paid out yet: the only source of earnings'),
  ('returns_received', 'firm', NULL, '{USD}', 'Counter-account of recorded returns: what the firm has earned outside'),
  ('custody', 'firm', NULL, '{BTC,USDT,ETH,USDC}', 'Coins received from investors'),
  ('exchange', 'firm', NULL, '{USD,BTC,USDT,ETH,USDC}', 'Converts coins to USD at the rate of a payment: the firm''s position'),
  ('payouts', 'firm', NULL, '{USD}', 'Withdrawals paid, in USD; the coins are named by their transaction ids'),
  ('rounding', 'firm', NULL, '{BTC,USDT,ETH,USDC}', 'What rounding a payment to whole minor units leaves'),
  ('receivable', 'firm', NULL, '{USD}', 'Debts of investors: credited payments that a reorg removed after they were spent');

-- Every permitted leg: it moves value from an account of `from_kind` (debit) to one of `to_kind` (credit), and may
-- place or resolve a hold. No chain of legs leads from an investor's account to recorded_returns (B-04);
-- server/ledger/rules.test.ts walks all paths.
CREATE TABLE ledger.posting_rules (
  event text NOT NULL,
  from_kind text NOT NULL REFERENCES ledger.account_kinds,
  to_kind text NOT NULL REFERENCES ledger.account_kinds,
  hold text CHECK (hold IN ('placed', 'posted', 'voided')),
  PRIMARY KEY (event, from_kind, to_kind),
  CHECK ((to_kind = 'held') = (hold IS NOT DISTINCT FROM 'placed')),
  CHECK ((from_kind = 'held') = (hold IS NOT NULL AND hold <> 'placed'))
);
INSERT INTO ledger.posting_rules (event, from_kind, to_kind, hold) VALUES
  -- Coins arrived and are credited at the payment's rate.
  ('deposit.settled', 'custody', 'exchange', NULL),
  ('deposit.settled', 'custody', 'rounding', NULL),
  ('deposit.settled', 'rounding', 'exchange', NULL),
  ('deposit.settled', 'exchange', 'available', NULL),
  -- A payment first repays the debt that an earlier payment to the same deposit left.
  ('deposit.settled', 'exchange', 'receivable', NULL),
  -- More arrived for a settled deposit.
  ('deposit.added', 'custody', 'exchange', NULL),
  ('deposit.added', 'custody', 'rounding', NULL),
  ('deposit.added', 'rounding', 'exchange', NULL),
  ('deposit.added', 'exchange', 'available', NULL),
  ('deposit.added', 'exchange', 'receivable', NULL),
  -- A reorg removed the payment: we reverse what is still available, and the investor owes the rest.
  ('deposit.reversed', 'exchange', 'custody', NULL),
  ('deposit.reversed', 'rounding', 'custody', NULL),
  ('deposit.reversed', 'exchange', 'rounding', NULL),
  ('deposit.reversed', 'available', 'exchange', NULL),
  ('deposit.reversed', 'receivable', 'exchange', NULL),
  -- Money that becomes free repays the debt.
  ('deposit.reversed', 'available', 'receivable', NULL),
  -- The same for the payment of an investment, which is locked in its plan at once.
  ('investment.funded', 'custody', 'exchange', NULL),
  ('investment.funded', 'custody', 'rounding', NULL),
  ('investment.funded', 'rounding', 'exchange', NULL),
  ('investment.funded', 'exchange', 'available', NULL),
  ('investment.funded', 'available', 'invested', NULL),
  -- An investment paid from the balance: held at the request, then locked or released.
  ('investment.requested', 'available', 'held', 'placed'),
  ('investment.approved', 'held', 'invested', 'posted'),
  ('investment.declined', 'held', 'available', 'voided'),
  ('investment.closed', 'invested', 'available', NULL),
  ('withdrawal.requested', 'available', 'held', 'placed'),
  ('withdrawal.paid', 'held', 'payouts', 'posted'),
  ('withdrawal.declined', 'held', 'available', 'voided'),
  -- Earnings are paid only from recorded returns.
  ('return.recorded', 'returns_received', 'recorded_returns', NULL),
  ('return.voided', 'recorded_returns', 'returns_received', NULL),
  ('earning.paid', 'recorded_returns', 'available', NULL);

-- The firm is an owner like any other, under the nil UUID (RFC 9562, 5.9), which no user can have.
CREATE FUNCTION ledger.firm() RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '00000000-0000-0000-0000-000000000000'::uuid;

CREATE TABLE ledger.accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner uuid NOT NULL,
  kind text NOT NULL REFERENCES ledger.account_kinds,
  asset text NOT NULL REFERENCES ledger.assets,
  -- The kind's floor. With a floor, entries keep the next three up to date: the balance, the number of entries, and the
  -- time of the latest one.
  floor bigint,
  balance bigint,
  version bigint,
  moved_at timestamptz,
  UNIQUE (owner, kind, asset),
  CHECK (balance >= floor)
) WITH (fillfactor = 50); -- Room for the next version of a row on its page, so that a posting touches no index here.

CREATE TABLE ledger.transactions (
  id uuid PRIMARY KEY,
  event text NOT NULL,
  -- The kind of its record ('withdrawal', 'investment', 'deposit', 'return', 'earning') and the row's id.
  reference_kind text NOT NULL,
  reference_id uuid NOT NULL,
  -- The hold that it posts or voids.
  hold_id uuid,
  -- Who caused it; NULL for the system, for example after a payment on the chain.
  actor uuid,
  memo varchar(500),
  created_at timestamptz NOT NULL
);
CREATE INDEX transactions_of_reference ON ledger.transactions (reference_id);

-- No foreign keys and a single CHECK: each costs every posting some microseconds, and foreign keys take locks. The
-- guard in 0011 checks each statement's inserts, and transactions and accounts cannot be deleted.
CREATE TABLE ledger.entries (
  -- The order of posting: the lines of a transaction are consecutive, the entries of an account ascend.
  id bigint GENERATED ALWAYS AS IDENTITY,
  transaction_id uuid NOT NULL,
  -- From 1: a leg debits on an odd line and credits on the even line after it.
  line smallint NOT NULL,
  account_id bigint NOT NULL,
  amount bigint NOT NULL,
  -- The chain of an account with a floor: previous + amount = new, versions 1, 2, 3 …; NULL on other accounts.
  previous_balance bigint,
  new_balance bigint,
  version bigint,
  PRIMARY KEY (transaction_id, line),
  CHECK (CASE WHEN line % 2 = 1 THEN amount < 0 ELSE amount > 0 END AND new_balance = previous_balance + amount)
);
-- The chain of an account, which is also its statement …
CREATE UNIQUE INDEX entries_chain ON ledger.entries (account_id, version);
-- … and the journal of an account without a running balance.
CREATE INDEX entries_journal ON ledger.entries (account_id, id) WHERE version IS NULL;
-- Finds the newest entries by their place on disk; writers hardly pay for it.
CREATE INDEX entries_in_order ON ledger.entries USING brin (id) WITH (pages_per_range = 32, autosummarize = on);

-- Two-phase transfers: placed by the transaction with the same id, then posted or voided once.
CREATE TABLE ledger.holds (
  id uuid PRIMARY KEY,
  account_id bigint NOT NULL,
  amount bigint NOT NULL,
  resolution text,
  resolved_by uuid
) WITH (fillfactor = 80);

-- The first answer to each request that moves money, stored in the transaction of its effect (B-06, D8). The key of a
-- request with an effect outlives its answer as used up: without a hash it matches no request.
CREATE TABLE ledger.idempotency_keys (
  caller uuid NOT NULL,
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
  -- SHA-256 of call, path and body; the caller is a separate column.
  request_hash bytea NOT NULL,
  answer jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_living ON ledger.idempotency_keys (created_at) WHERE request_hash <> '';

-- Running sums of the accounts without a running balance: a balance is the latest sum plus the entries after it.
CREATE TABLE ledger.snapshots (
  account_id bigint NOT NULL,
  entry_id bigint NOT NULL,
  balance numeric NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, entry_id)
);

-- How far the next snapshots may go: once every transaction that ran at this mark has ended, no entry below it can
-- appear any more.
CREATE TABLE ledger.snapshot_marks (
  entry_id bigint PRIMARY KEY,
  ended_by xid8 NOT NULL
);

-- The kinds of records of an investor's transactions (`reference_kind`).
CREATE FUNCTION ledger.statement_kinds() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ARRAY['deposit', 'investment', 'earning', 'withdrawal'];

-- Sums of an investor's account by blocks of 64 entries (0013), so that the totals of a period never read the whole
-- chain.
CREATE TABLE ledger.statement_blocks (
  account_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind = ANY (ledger.statement_kinds())),
  -- From 1: block n has the entries with versions 64 × (n - 1) + 1 to 64 × n.
  block bigint NOT NULL CHECK (block > 0),
  -- Sums over all lines of this kind, from the account's first entry to the block's last. Turnover may exceed any
  -- balance.
  lines bigint NOT NULL,
  credited numeric NOT NULL,
  debited numeric NOT NULL,
  -- The part exchanged with other owners; the rest moved between the owner's own accounts.
  from_outside numeric NOT NULL,
  to_outside numeric NOT NULL,
  PRIMARY KEY (account_id, kind, block)
);

-- Sums of all legs by UTC day (0014), so that the firm's totals read some thousand rows however many accounts there
-- are.
CREATE TABLE ledger.daily_totals (
  day date NOT NULL,
  event text NOT NULL,
  from_kind text NOT NULL,
  to_kind text NOT NULL,
  asset text NOT NULL,
  legs bigint NOT NULL,
  amount numeric NOT NULL,
  PRIMARY KEY (day, event, from_kind, to_kind, asset)
);
-- The last folded entry, and how far the next fold may go: once every transaction that ran at this mark has ended, no
-- entry below it can appear any more.
CREATE TABLE ledger.daily_fold (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  folded_upto bigint NOT NULL DEFAULT 0,
  next_upto bigint,
  next_ended_by xid8
);
INSERT INTO ledger.daily_fold DEFAULT VALUES;

-- The runs of the invariant check: when, what it examined and what it found.
CREATE TABLE ledger.invariant_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  started_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  ok boolean NOT NULL,
  -- [{ name, statement, examined, faults, examples }]
  checks jsonb NOT NULL,
  -- The earlier run whose verified point it continued; NULL if it examined everything.
  since bigint REFERENCES ledger.invariant_runs
);

-- The points up to which runs that found no fault have verified the books (0015).
CREATE TABLE ledger.verified_points (
  run_id bigint PRIMARY KEY REFERENCES ledger.invariant_runs,
  -- Every transaction before this one had ended, so the run has seen what they wrote.
  xid xid8 NOT NULL,
  -- The UTC day of the latest check of everything.
  whole_on date NOT NULL,
  -- What must stay as it is of that (ledger.written_before), as it was signed.
  before text NOT NULL,
  -- HMAC-SHA256 with a key that the database does not have (server/ledger/verified-points.ts).
  signature bytea NOT NULL
);

GRANT SELECT ON ALL TABLES IN SCHEMA ledger TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.firm, ledger.statement_kinds TO probity_app;
