-- Plans, the investments in them, the returns that the firm realises, and the earnings paid from those.

-- The catalogue. A change creates a new version, so that an investment keeps the terms it was made under (D4). A
-- retired plan has no current version and takes no new investments.
CREATE TABLE app.plan_versions (
  id uuid PRIMARY KEY,
  plan_id uuid NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  current boolean NOT NULL,
  position integer NOT NULL,
  name text NOT NULL,
  percentage_bp integer NOT NULL CHECK (percentage_bp BETWEEN 1 AND 10000),
  minimum_cents bigint NOT NULL CHECK (minimum_cents > 0),
  maximum_cents bigint CHECK (maximum_cents >= minimum_cents),
  duration text NOT NULL,
  duration_days integer NOT NULL CHECK (duration_days BETWEEN 1 AND 3650),
  note text,
  -- What made this version, and why.
  change text NOT NULL DEFAULT 'created' CHECK (change IN ('created', 'changed', 'retired', 'restored')),
  reason text,
  created_by uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (plan_id, version)
);
CREATE UNIQUE INDEX plan_versions_current ON app.plan_versions (plan_id) WHERE current;
CREATE UNIQUE INDEX plan_versions_current_name ON app.plan_versions (lower(name)) WHERE current;
GRANT SELECT, INSERT, UPDATE (current, position) ON app.plan_versions TO probity_app;

-- Short readable numbers for people to quote: INV-2026-000123, DEP-…, WDR-…
CREATE SEQUENCE app.invoice_number;
GRANT USAGE, SELECT ON SEQUENCE app.invoice_number TO probity_app;

-- After a restore, numbers that were given before are never given again.
CREATE FUNCTION app.skip_numbers(p_beyond bigint) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT setval('app.invoice_number', greatest(last_value, least(p_beyond, last_value + 10000000))) FROM app.invoice_number
$$;
GRANT EXECUTE ON FUNCTION app.skip_numbers TO probity_app;

CREATE FUNCTION app.next_invoice(prefix text, at timestamptz DEFAULT now()) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n text := nextval('app.invoice_number');
BEGIN
  RETURN prefix || '-' || to_char(at AT TIME ZONE 'UTC', 'YYYY') || '-' || lpad(n, greatest(6, length(n)), '0');
END
$$;
GRANT EXECUTE ON FUNCTION app.next_invoice TO probity_app;

CREATE TABLE app.investments (
  id uuid PRIMARY KEY,
  invoice_id text NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES app.users (id),
  plan_version_id uuid NOT NULL REFERENCES app.plan_versions (id),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'balance')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'inactive', 'declined')),
  -- The hold on the balance that pays it, or on a payment that arrived before the approval. NULL while a deposit is
  -- awaited, or if the payment was locked in the plan at once.
  hold_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  approved_at timestamptz,
  ending_at timestamptz,
  closed_at timestamptz,
  -- The console asks for it before the ending date.
  close_reason text,
  declined_at timestamptz,
  decline_reason text,
  -- Who has cancelled it: its owner, while it was pending (docs/decisions/0149-cancelling.md). Staff decline with a reason.
  cancelled_by uuid,
  -- The part of the freed money that repaid its owner's debt.
  recovered_cents bigint NOT NULL DEFAULT 0 CHECK (recovered_cents BETWEEN 0 AND amount_cents),
  -- Before this moment it accrues nothing beyond its earnings, paid or pending. The application maintains it
  -- (server/investments/queries.ts), so that adding a plan's earnings neither reads nor locks what is paid up.
  covered_until timestamptz NOT NULL DEFAULT 'epoch',
  -- When its owner was notified that it has passed its ending date.
  maturity_notified_at timestamptz,
  -- What its owner wants of its principal (docs/decisions/0159-reinvesting.md): 'requested' while it is active; at the end
  -- what became of that, and the new investment.
  reinvestment text CHECK (reinvestment IN ('requested', 'done', 'early', 'debt', 'plan_changed', 'identity_refused', 'email_not_verified', 'terms_not_accepted')),
  reinvested_as uuid UNIQUE REFERENCES app.investments (id),
  CHECK ((coalesce(reinvestment, '') = 'done') = (reinvested_as IS NOT NULL)),
  CHECK (reinvestment IS NULL OR status = CASE reinvestment WHEN 'requested' THEN 'active' ELSE 'inactive' END),
  CHECK (method <> 'balance' OR hold_id IS NOT NULL),
  CHECK (num_nonnulls(decline_reason, cancelled_by) = (status = 'declined')::int),
  CHECK (cancelled_by = user_id),
  CHECK ((status IN ('active', 'inactive')) = (approved_at IS NOT NULL AND ending_at IS NOT NULL)),
  CHECK (close_reason IS NULL OR status = 'inactive')
) WITH (fillfactor = 50); -- Room for the next version of a row on its page: adding an earning touches no index here.
CREATE INDEX investments_of_user ON app.investments (user_id, id DESC);
CREATE INDEX investments_to_notify ON app.investments (ending_at, id) WHERE status = 'active' AND maturity_notified_at IS NULL;
CREATE INDEX investments_ending ON app.investments (ending_at) WHERE status = 'active';
-- Finds a plan's active investments by id without reading the table (earnings for a whole plan), and their number and
-- sum.
CREATE INDEX investments_active_of_plan ON app.investments (plan_version_id, id) INCLUDE (amount_cents) WHERE status = 'active';
CREATE INDEX investments_by_status ON app.investments (status, id);
CREATE INDEX investments_by_time ON app.investments (created_at, id);
CREATE INDEX investments_by_amount ON app.investments (amount_cents, id);
CREATE INDEX investments_by_method ON app.investments (method, id);
CREATE INDEX investments_by_ending ON app.investments (coalesce(ending_at, 'infinity'), id);
CREATE INDEX investments_by_plan ON app.investments (plan_version_id, id);
GRANT SELECT ON app.investments TO probity_app;

-- Evidence files of recorded returns. In the database, every process and every back-up has them, and they share the
-- transaction of their return (record 21). Their content never changes: no role has UPDATE.
CREATE TABLE app.evidence_files (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  type text NOT NULL CHECK (type IN ('application/pdf', 'image/png')),
  content bytea NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 5242880),
  sha256 bytea NOT NULL CHECK (sha256 = sha256(content)),
  uploaded_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL
);
-- Both formats are compressed already and are read as a whole. CREATE TABLE takes this only since PostgreSQL 16.
ALTER TABLE app.evidence_files ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX evidence_files_oldest ON app.evidence_files (created_at);
GRANT SELECT, INSERT, DELETE ON app.evidence_files TO probity_app;

CREATE TABLE app.returns (
  id uuid PRIMARY KEY,
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  -- How much of it earnings have used up; their sources keep it up to date (0041).
  spent_cents bigint NOT NULL DEFAULT 0 CHECK (spent_cents BETWEEN 0 AND amount_cents),
  -- Pending: beyond what one person may record alone, it waits for a second. A wrong one is voided by two people, as
  -- far as it is not spent, and pays nothing from the proposal on.
  status text NOT NULL CHECK (status IN ('pending', 'recorded', 'declined', 'void_proposed', 'voided')),
  -- What one person might record alone in 24 hours, when it was recorded.
  alone_limit_cents bigint NOT NULL CHECK (alone_limit_cents > 0),
  source text NOT NULL,
  realised_on date NOT NULL,
  evidence text NOT NULL,
  evidence_kind text NOT NULL CHECK (evidence_kind IN ('link', 'transaction', 'file')),
  -- The foreign key keeps the file as long as the return; a file proves one return only.
  evidence_file uuid UNIQUE REFERENCES app.evidence_files (id),
  recorded_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  approved_by uuid REFERENCES app.users (id),
  decline_reason text,
  void_reason text,
  void_proposed_by uuid REFERENCES app.users (id),
  voided_by uuid REFERENCES app.users (id),
  CHECK ((evidence_kind = 'file') = (evidence_file IS NOT NULL)),
  CHECK (approved_by <> recorded_by AND voided_by <> void_proposed_by),
  CHECK (status NOT IN ('pending', 'declined') OR approved_by IS NULL AND spent_cents = 0),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL)),
  CHECK ((status IN ('void_proposed', 'voided')) = (void_reason IS NOT NULL AND void_proposed_by IS NOT NULL)),
  CHECK ((status = 'voided') = (voided_by IS NOT NULL)),
  CHECK (status NOT IN ('void_proposed', 'voided') OR spent_cents < amount_cents)
);
CREATE INDEX returns_unspent ON app.returns (realised_on, id) WHERE status = 'recorded' AND spent_cents < amount_cents;
CREATE INDEX returns_by_status ON app.returns (status, id);
CREATE INDEX returns_of_recorder ON app.returns (recorded_by, created_at);
CREATE INDEX returns_by_day ON app.returns (realised_on, id);
CREATE INDEX returns_by_amount ON app.returns (amount_cents, id);
CREATE INDEX returns_of_transaction ON app.returns (lower(evidence)) WHERE evidence_kind = 'transaction';
GRANT SELECT ON app.returns TO probity_app;

-- A plan's earnings are added by the thousand: instead of two foreign keys, one check for each statement compares the
-- investment and its owner (app.guard_new_earnings). Neither ever changes or is removed.
CREATE TABLE app.earnings (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL,
  investment_id uuid NOT NULL,
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  -- The part beyond what had accrued and was not paid, when it was added: a second person must approve it.
  beyond_accrued_cents bigint NOT NULL DEFAULT 0 CHECK (beyond_accrued_cents BETWEEN 0 AND amount_cents),
  note text,
  -- A declined earning was never paid and held nothing, so it has no posting.
  status text NOT NULL CHECK (status IN ('pending', 'paid', 'declined')),
  created_by uuid NOT NULL REFERENCES app.users (id),
  approved_by uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  paid_at timestamptz,
  decline_reason text,
  -- The part that repaid its owner's debt.
  recovered_cents bigint NOT NULL DEFAULT 0 CHECK (recovered_cents BETWEEN 0 AND amount_cents),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL)),
  CHECK (approved_by <> created_by)
);
CREATE INDEX earnings_of_user ON app.earnings (user_id, id DESC);
CREATE INDEX earnings_of_investment ON app.earnings (investment_id);
CREATE INDEX earnings_by_status ON app.earnings (status, id);
CREATE INDEX earnings_by_time ON app.earnings (created_at, id);
CREATE INDEX earnings_by_amount ON app.earnings (amount_cents, id);
GRANT SELECT ON app.earnings TO probity_app;

-- How much of each earning a recorded return paid; the oldest return is used first (D1.2). Instead of foreign keys,
-- ledger.spend_returns compares each statement's with both (0041). Neither is ever removed.
CREATE TABLE app.earning_sources (
  earning_id uuid NOT NULL,
  return_id uuid NOT NULL,
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  PRIMARY KEY (earning_id, return_id)
);
-- Investors may see the evidence of returns that paid them.
CREATE INDEX earning_sources_of_return ON app.earning_sources (return_id, earning_id);
GRANT SELECT, INSERT ON app.earning_sources TO probity_app;

-- A plan's earnings, previewed and confirmed once, then added in parts of bounded size (record 141).
CREATE TABLE app.earning_runs (
  id uuid PRIMARY KEY,
  plan_id uuid NOT NULL,
  -- The preview that was confirmed: its time, its digest, how many investments, and their total.
  as_of timestamptz NOT NULL,
  digest text NOT NULL,
  investments integer NOT NULL CHECK (investments > 0),
  total_cents bigint NOT NULL CHECK (total_cents > 0),
  note text,
  -- Its earnings are added as pending: by the settings at the confirmation.
  needs_approval boolean NOT NULL,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done', 'cancelled', 'stopped')),
  created_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  -- The request that confirmed it: all audit lines of its parts have it.
  request_id text,
  -- How far it is: the last investment that was decided, and what became of those up to it.
  decided_to uuid,
  added integer NOT NULL DEFAULT 0 CHECK (added >= 0),
  added_cents bigint NOT NULL DEFAULT 0 CHECK (added_cents >= 0),
  skipped integer NOT NULL DEFAULT 0 CHECK (skipped >= 0),
  skipped_cents bigint NOT NULL DEFAULT 0 CHECK (skipped_cents >= 0),
  cancelled_by uuid REFERENCES app.users (id),
  stop_reason text CHECK (stop_reason IN ('insufficient_returns', 'access_ended')),
  ended_at timestamptz,
  CHECK (added + skipped <= investments AND added_cents + skipped_cents <= total_cents),
  CHECK ((status = 'done') = (added + skipped = investments)),
  CHECK (status <> 'done' OR added_cents + skipped_cents = total_cents),
  CHECK ((status = 'running') = (ended_at IS NULL)),
  CHECK ((status = 'cancelled') = (cancelled_by IS NOT NULL)),
  CHECK ((status = 'stopped') = (stop_reason IS NOT NULL))
);
CREATE UNIQUE INDEX earning_runs_open ON app.earning_runs (plan_id) WHERE status = 'running';
CREATE INDEX earning_runs_of_plan ON app.earning_runs (plan_id, id DESC);
GRANT SELECT,
  INSERT (id, plan_id, as_of, digest, investments, total_cents, note, needs_approval, created_by, created_at, request_id),
  UPDATE (status, decided_to, added, added_cents, skipped, skipped_cents, cancelled_by, stop_reason, ended_at)
  ON app.earning_runs TO probity_app;

-- The investments of a run and their shares, fixed at its confirmation (app.guard_run_shares). Without a foreign key to
-- the investments, which are never removed: it would lock each of them.
CREATE TABLE app.earning_run_shares (
  run_id uuid NOT NULL REFERENCES app.earning_runs (id),
  investment_id uuid NOT NULL,
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  PRIMARY KEY (run_id, investment_id)
);
GRANT SELECT, INSERT ON app.earning_run_shares TO probity_app;

-- Shares that were not added, and why: the investment was closed, its owner's account was frozen, or other earnings
-- were added for the same days.
CREATE TABLE app.earning_run_skips (
  run_id uuid NOT NULL,
  investment_id uuid NOT NULL,
  reason text NOT NULL CHECK (reason IN ('closed', 'frozen', 'already_added')),
  PRIMARY KEY (run_id, investment_id),
  FOREIGN KEY (run_id, investment_id) REFERENCES app.earning_run_shares
);
GRANT SELECT, INSERT ON app.earning_run_skips TO probity_app;
