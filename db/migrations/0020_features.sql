-- Everything that is not the books: people, sessions, the catalogue, requests and their states, the audit log.
-- Money columns are integers in the asset's minor units and end in its name (`_cents`, `_units`). No column here
-- is a balance: balances are read from the ledger alone.

CREATE TABLE app.users (
  id uuid PRIMARY KEY,
  type text NOT NULL DEFAULT 'investor' CHECK (type IN ('investor', 'admin')),
  name text NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  phone text NOT NULL,
  country text NOT NULL,
  password_hash text NOT NULL,
  email_verified_at timestamptz,
  referral_code text NOT NULL UNIQUE,
  referrer_id uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON app.users (email);

-- One row a sign-in. The refresh token is `id.secret`; only the hash of the latest secret is kept, so that any
-- other secret presented for the session is a reuse and ends it (D9).
CREATE TABLE app.sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  refresh_hash bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  ip text,
  user_agent text
);
CREATE INDEX sessions_of_user ON app.sessions (user_id, id DESC);
CREATE INDEX sessions_revoked ON app.sessions (revoked_at) WHERE revoked_at IS NOT NULL;

-- The latest six-digit code of an account, hashed (D9).
CREATE TABLE app.email_codes (
  user_id uuid PRIMARY KEY REFERENCES app.users (id),
  email text NOT NULL,
  code_hash bytea NOT NULL,
  sent_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  tries smallint NOT NULL DEFAULT 0
);

CREATE TABLE app.password_resets (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX password_resets_of_user ON app.password_resets (user_id);

-- Counters of guessable and costly things, shared by every process (the columns are rate-limiter-flexible's). Not
-- logged: a counter may be lost in a crash, and counting costs no flush of the disk. Milliseconds since 1970, as a
-- double, because that is the number the library computes with.
CREATE UNLOGGED TABLE app.rate_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire double precision
);

-- The catalogue: a change makes a new version, so that an investment can point at the one it was made under (D4).
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
  created_by uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (plan_id, version)
);
CREATE UNIQUE INDEX plan_versions_current ON app.plan_versions (plan_id) WHERE current;
CREATE UNIQUE INDEX plan_versions_current_name ON app.plan_versions (lower(name)) WHERE current;

-- Short readable numbers on what people quote in letters: INV-2026-000123, DEP-…, WDR-…
CREATE SEQUENCE app.invoice_number;

CREATE FUNCTION app.next_invoice(prefix text, at timestamptz DEFAULT now()) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n text := nextval('app.invoice_number');
BEGIN
  RETURN prefix || '-' || to_char(at AT TIME ZONE 'UTC', 'YYYY') || '-' || lpad(n, greatest(6, length(n)), '0');
END
$$;

CREATE TABLE app.investments (
  id uuid PRIMARY KEY,
  invoice_id text NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES app.users (id),
  plan_version_id uuid NOT NULL REFERENCES app.plan_versions (id),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'balance')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'inactive', 'declined')),
  -- The hold that the balance pays it with, or that its payment was kept in because it arrived first; null while a
  -- deposit is awaited, and where the payment was locked in the plan at once.
  hold_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  approved_at timestamptz,
  ending_at timestamptz,
  closed_at timestamptz,
  declined_at timestamptz,
  decline_reason text,
  CHECK (method <> 'balance' OR hold_id IS NOT NULL),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL)),
  CHECK ((status IN ('active', 'inactive')) = (approved_at IS NOT NULL AND ending_at IS NOT NULL))
);
CREATE INDEX investments_of_user ON app.investments (user_id, id DESC);
CREATE INDEX investments_waiting ON app.investments (status, id DESC);
CREATE INDEX investments_ending ON app.investments (ending_at) WHERE status = 'active';

CREATE TABLE app.deposits (
  id uuid PRIMARY KEY,
  invoice_id text NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES app.users (id),
  investment_id uuid UNIQUE REFERENCES app.investments (id),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'unpaid', 'declined')),
  -- The quote: what was asked for, at which rate, until when (D5). The rate is USD for one unit, in 10^-8 USD.
  asset text NOT NULL,
  network text NOT NULL,
  address text NOT NULL,
  crypto_units bigint NOT NULL CHECK (crypto_units > 0),
  rate_e8 bigint NOT NULL CHECK (rate_e8 > 0),
  rate_at timestamptz NOT NULL,
  rate_source text NOT NULL,
  payment_uri text NOT NULL,
  expires_at timestamptz NOT NULL,
  watch_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  decline_reason text,
  CHECK ((status = 'paid') = (settled_at IS NOT NULL)),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL))
);
CREATE INDEX deposits_of_user ON app.deposits (user_id, id DESC);
CREATE INDEX deposits_waiting ON app.deposits (status, id DESC);
CREATE INDEX deposits_watched ON app.deposits (watch_until) WHERE status = 'pending';

CREATE TABLE app.withdrawals (
  id uuid PRIMARY KEY,
  invoice_id text NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES app.users (id),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  wallet text NOT NULL,
  address text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'paid', 'declined')),
  hold_id uuid NOT NULL,
  -- How many different admins must approve, fixed when it was asked for (D7).
  approvals_needed smallint NOT NULL CHECK (approvals_needed BETWEEN 1 AND 2),
  created_at timestamptz NOT NULL DEFAULT now(),
  approved_at timestamptz,
  paid_at timestamptz,
  transaction_id text,
  decline_reason text,
  CHECK ((status = 'paid') = (transaction_id IS NOT NULL AND paid_at IS NOT NULL)),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL))
);
CREATE INDEX withdrawals_of_user ON app.withdrawals (user_id, id DESC);
CREATE INDEX withdrawals_waiting ON app.withdrawals (status, id DESC);

-- Maker-checker: one row an admin, so that nobody counts twice.
CREATE TABLE app.withdrawal_approvals (
  withdrawal_id uuid NOT NULL REFERENCES app.withdrawals (id),
  admin_id uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (withdrawal_id, admin_id)
);

CREATE TABLE app.returns (
  id uuid PRIMARY KEY,
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  -- How much of it earnings have used up.
  spent_cents bigint NOT NULL DEFAULT 0 CHECK (spent_cents BETWEEN 0 AND amount_cents),
  source text NOT NULL,
  realised_on date NOT NULL,
  evidence text NOT NULL,
  evidence_kind text NOT NULL CHECK (evidence_kind IN ('link', 'transaction')),
  recorded_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX returns_unspent ON app.returns (realised_on, id) WHERE spent_cents < amount_cents;

CREATE TABLE app.earnings (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  investment_id uuid NOT NULL REFERENCES app.investments (id),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  note text,
  status text NOT NULL CHECK (status IN ('pending', 'paid')),
  created_by uuid NOT NULL REFERENCES app.users (id),
  approved_by uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  paid_at timestamptz,
  CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
  CHECK (approved_by <> created_by)
);
CREATE INDEX earnings_of_user ON app.earnings (user_id, id DESC);
CREATE INDEX earnings_of_investment ON app.earnings (investment_id);
CREATE INDEX earnings_newest ON app.earnings (status, id DESC);

-- Which recorded return paid how much of which earning: the oldest return is used up first (D1.2).
CREATE TABLE app.earning_sources (
  earning_id uuid NOT NULL REFERENCES app.earnings (id),
  return_id uuid NOT NULL REFERENCES app.returns (id),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  PRIMARY KEY (earning_id, return_id)
);

CREATE TABLE app.contact_messages (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  subject text NOT NULL,
  message text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Who did what, when, from where and why. Written in the transaction of the act itself; append-only.
CREATE TABLE app.audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  actor_id uuid,
  action text NOT NULL,
  subject_kind text,
  subject_id uuid,
  reason text,
  ip text,
  request_id text,
  details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_subject ON app.audit_log (subject_id, id);
CREATE INDEX audit_log_action ON app.audit_log (action, id DESC);

CREATE FUNCTION app.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only', TG_TABLE_SCHEMA, TG_TABLE_NAME USING ERRCODE = 'PB900';
END
$$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON app.audit_log
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON app.audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();

-- The latest reading of each source for each symbol, in 10^-8 USD for one unit (C-30, D5).
CREATE TABLE app.price_readings (
  symbol text NOT NULL,
  source text NOT NULL,
  usd_e8 bigint NOT NULL CHECK (usd_e8 > 0),
  sample boolean NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (symbol, source)
);

-- The firm's profile and its claims with their sources; versions are kept.
CREATE TABLE app.firm_profiles (
  version integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  profile jsonb NOT NULL,
  created_by uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE app.statistics (
  id uuid PRIMARY KEY,
  position integer NOT NULL,
  label text NOT NULL,
  value text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('claim', 'sample')),
  source text NOT NULL CHECK (source <> ''),
  as_of date NOT NULL
);

-- Demonstration mode: where e-mail goes instead of out (D2).
CREATE TABLE app.mailbox (
  id uuid PRIMARY KEY,
  recipient text NOT NULL,
  subject text NOT NULL,
  text text NOT NULL,
  html text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mailbox_of_recipient ON app.mailbox (recipient, id DESC);

GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA app TO probity_app;
GRANT DELETE ON app.rate_limits, app.email_codes, app.password_resets, app.sessions, app.mailbox TO probity_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA app TO probity_app;
REVOKE UPDATE ON app.audit_log, app.withdrawal_approvals, app.earning_sources, app.contact_messages
  FROM probity_app;
-- 'ALL TABLES' above meets the migration runner's own table as well.
REVOKE INSERT, UPDATE ON app.migrations FROM probity_app;
GRANT EXECUTE ON FUNCTION app.next_invoice(text, timestamptz) TO probity_app;
