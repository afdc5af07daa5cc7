-- The books: a double-entry ledger whose every rule is the database's own.
--
-- Read in this order: what can be held and by whom (assets, account_kinds, posting_rules), the accounts, and then
-- the journal: a transaction is one business event, its entries are signed amounts in an asset's minor units
-- (credit positive: what the firm owes an investor is positive, coins in custody are negative), two entries a leg.
-- 0011 guards all this, 0012 writes it, 0013 and 0014 read it, 0015 checks it.

CREATE TABLE ledger.assets (
  code text PRIMARY KEY,
  -- Digits after the point of one unit; amounts are integers of the last digit.
  decimals smallint NOT NULL CHECK (decimals BETWEEN 0 AND 18),
  minor_unit text NOT NULL
);
INSERT INTO ledger.assets (code, decimals, minor_unit) VALUES
  ('USD', 2, 'cent'),
  ('BTC', 8, 'satoshi'),
  ('USDT', 6, '10^-6 USDT'),
  ('ETH', 9, 'gwei');

-- The chart of accounts. A floor is a balance that the account can never be below; an account without one keeps
-- no running balance, so that what every transaction touches is never one hot row.
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
  ('custody', 'firm', NULL, '{BTC,USDT,ETH}', 'Coins received from investors'),
  ('exchange', 'firm', NULL, '{USD,BTC,USDT,ETH}', 'Converts coins to USD at the rate of a payment: the firm''s position'),
  ('payouts', 'firm', NULL, '{USD}', 'Withdrawals paid, in USD; the coins are named by their transaction ids'),
  ('rounding', 'firm', NULL, '{BTC,USDT,ETH}', 'What rounding a payment to whole minor units leaves'),
  ('receivable', 'firm', NULL, '{USD}', 'Debts of investors: credited payments that a reorg removed after they were spent');

-- Every leg that may ever be posted: the accounts it moves value between (debits `from_kind`, credits `to_kind`),
-- and what it does to a hold. A leg that is not listed is refused. Nothing leads from an investor's account to
-- recorded_returns, also not by way of others (B-04); server/ledger/rules.test.ts walks all paths.
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
  -- Coins came in and are credited at the payment's rate.
  ('deposit.settled', 'custody', 'exchange', NULL),
  ('deposit.settled', 'custody', 'rounding', NULL),
  ('deposit.settled', 'rounding', 'exchange', NULL),
  ('deposit.settled', 'exchange', 'available', NULL),
  -- A payment repays first what an earlier payment to the same deposit left owed.
  ('deposit.settled', 'exchange', 'receivable', NULL),
  -- More arrived for a deposit that was settled already.
  ('deposit.added', 'custody', 'exchange', NULL),
  ('deposit.added', 'custody', 'rounding', NULL),
  ('deposit.added', 'rounding', 'exchange', NULL),
  ('deposit.added', 'exchange', 'available', NULL),
  ('deposit.added', 'exchange', 'receivable', NULL),
  -- A reorg removed the payment: the firm lost the coins and reverses what is still available; the investor owes the rest.
  ('deposit.reversed', 'exchange', 'custody', NULL),
  ('deposit.reversed', 'rounding', 'custody', NULL),
  ('deposit.reversed', 'exchange', 'rounding', NULL),
  ('deposit.reversed', 'available', 'exchange', NULL),
  ('deposit.reversed', 'receivable', 'exchange', NULL),
  -- The investor's money became free again, so it repays the debt.
  ('deposit.reversed', 'available', 'receivable', NULL),
  -- The same for the payment of an investment, which is locked in its plan at once.
  ('investment.funded', 'custody', 'exchange', NULL),
  ('investment.funded', 'custody', 'rounding', NULL),
  ('investment.funded', 'rounding', 'exchange', NULL),
  ('investment.funded', 'exchange', 'available', NULL),
  ('investment.funded', 'available', 'invested', NULL),
  -- An investment paid from the balance: held when asked for, then locked or given back.
  ('investment.requested', 'available', 'held', 'placed'),
  ('investment.approved', 'held', 'invested', 'posted'),
  ('investment.declined', 'held', 'available', 'voided'),
  ('investment.closed', 'invested', 'available', NULL),
  ('withdrawal.requested', 'available', 'held', 'placed'),
  ('withdrawal.paid', 'held', 'payouts', 'posted'),
  ('withdrawal.declined', 'held', 'available', 'voided'),
  -- Earnings: only what has been realised and recorded can be paid.
  ('return.recorded', 'returns_received', 'recorded_returns', NULL),
  ('earning.paid', 'recorded_returns', 'available', NULL);

-- The firm is an owner like any other, under the nil UUID (RFC 9562, 5.9), which no user can have.
CREATE FUNCTION ledger.firm() RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '00000000-0000-0000-0000-000000000000'::uuid;

CREATE TABLE ledger.accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner uuid NOT NULL,
  kind text NOT NULL REFERENCES ledger.account_kinds,
  asset text NOT NULL REFERENCES ledger.assets,
  -- The kind's floor. Only where there is one are the next three kept, and only entries move them: the latest
  -- entry's new_balance, its version (how many entries there are), and when its transaction was made.
  floor bigint,
  balance bigint,
  version bigint,
  moved_at timestamptz,
  UNIQUE (owner, kind, asset),
  CHECK (balance >= floor)
) WITH (fillfactor = 50); -- room for the next version of a row beside it, so that a posting touches no index here

CREATE TABLE ledger.transactions (
  id uuid PRIMARY KEY,
  event text NOT NULL,
  -- What it is about: 'withdrawal', 'investment', 'deposit', 'return', 'earning' and that row's id.
  reference_kind text NOT NULL,
  reference_id uuid NOT NULL,
  -- The hold that it posts or voids.
  hold_id uuid,
  -- Who caused it; null where the product itself did (a payment seen on chain).
  actor uuid,
  memo varchar(500),
  created_at timestamptz NOT NULL
);
CREATE INDEX transactions_of_reference ON ledger.transactions (reference_id);

-- No foreign keys, and one CHECK: each costs every posting some microseconds and, as a foreign key, locks besides. The
-- guard on inserts (0011) checks a whole statement at once, and neither transactions nor accounts can be deleted.
CREATE TABLE ledger.entries (
  -- The order of posting: the lines of a transaction follow each other, the entries of an account ascend.
  id bigint GENERATED ALWAYS AS IDENTITY,
  transaction_id uuid NOT NULL,
  -- From 1: a leg debits on an odd line and credits on the even line after it.
  line smallint NOT NULL,
  account_id bigint NOT NULL,
  amount bigint NOT NULL,
  -- The chain of an account with a floor: previous + amount = new, versions 1, 2, 3 …; null on the others.
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
-- Finds the newest entries by where they lie on disk, and costs the writers next to nothing.
CREATE INDEX entries_in_order ON ledger.entries USING brin (id) WITH (pages_per_range = 32, autosummarize = on);

-- Two-phase transfers: placed by the transaction of the same id, then posted or voided once.
CREATE TABLE ledger.holds (
  id uuid PRIMARY KEY,
  account_id bigint NOT NULL,
  amount bigint NOT NULL,
  resolution text,
  resolved_by uuid
) WITH (fillfactor = 80);

-- The first answer to each request that moves money, stored in the transaction of its effect (B-06, D8). Once its life is
-- over, the key of a request that had an effect stays, used up: without a hash it fits no request any more.
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

-- Sums of the accounts without a running balance, up to an entry: a balance is the latest sum and the entries after it.
CREATE TABLE ledger.snapshots (
  account_id bigint NOT NULL,
  entry_id bigint NOT NULL,
  balance numeric NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, entry_id)
);

-- Up to which entry the next snapshots may go: once every transaction that ran when the mark was made has ended, no
-- entry below it can still appear.
CREATE TABLE ledger.snapshot_marks (
  entry_id bigint PRIMARY KEY,
  ended_by xid8 NOT NULL
);

-- What a transaction on an investor's account can be about (`reference_kind`).
CREATE FUNCTION ledger.statement_kinds() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ARRAY['deposit', 'investment', 'earning', 'withdrawal'];

-- Sums of an investor's account by blocks of 64 entries (0013), so that totals of a period never read the whole chain.
CREATE TABLE ledger.statement_blocks (
  account_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind = ANY (ledger.statement_kinds())),
  -- From 1: the entries of versions 64 × (block - 1) + 1 to 64 × block.
  block bigint NOT NULL CHECK (block > 0),
  -- All about lines of this kind from the account's first entry to the block's last one. Turnover may be more than any balance.
  lines bigint NOT NULL,
  credited numeric NOT NULL,
  debited numeric NOT NULL,
  -- The part exchanged with other owners: the rest moved between the owner's own accounts.
  from_outside numeric NOT NULL,
  to_outside numeric NOT NULL,
  PRIMARY KEY (account_id, kind, block)
);

-- Sums of all legs by day of UTC (0014), so that the firm's totals cost some thousand rows however many accounts there are.
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
-- Up to which entry they are folded, and up to which they may be next: once every transaction that ran when that mark was
-- made has ended, no entry below it can still appear.
CREATE TABLE ledger.daily_fold (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  folded_upto bigint NOT NULL DEFAULT 0,
  next_upto bigint,
  next_ended_by xid8
);
INSERT INTO ledger.daily_fold DEFAULT VALUES;

-- What the invariant check examined, when, and what it found.
CREATE TABLE ledger.invariant_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  started_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  ok boolean NOT NULL,
  -- [{ name, statement, examined, faults, examples }]
  checks jsonb NOT NULL
);

GRANT SELECT ON ALL TABLES IN SCHEMA ledger TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.firm, ledger.statement_kinds TO probity_app;
