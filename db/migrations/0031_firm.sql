-- The firm: its mode, profile and figures, its settings, messages to it, and prices.

-- A database keeps the mode of its first use: a live firm never shows the demonstration's people and figures, and a
-- demonstration never shows a firm's. The application writes the row at its first start and never changes it.
CREATE TABLE app.installation (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  mode text NOT NULL CHECK (mode IN ('demo', 'live')),
  since timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON app.installation TO probity_app;

-- The machines that serve this database. Each counts beats here and in a file of its own, so that a database that was
-- restored to an earlier time is behind the file (docs/decisions/0123-restores.md).
CREATE TABLE app.machines (
  machine uuid PRIMARY KEY,
  beat integer NOT NULL CHECK (beat >= 0),
  at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE (beat, at) ON app.machines TO probity_app;

-- What such a file has shown. While one is not finished (npm run restore:finish), no process serves the database; while one is
-- not resolved, no payout file is made, downloaded or signed.
CREATE TABLE app.restores (
  id uuid PRIMARY KEY,
  found_at timestamptz NOT NULL,
  machine uuid NOT NULL,
  -- The highest document number in the database, and the highest one that was given.
  number bigint NOT NULL,
  number_lost bigint NOT NULL,
  finished_at timestamptz,
  resolved_at timestamptz,
  resolution text,
  CHECK (num_nonnulls(resolved_at, resolution) IN (0, 2))
);
CREATE INDEX restores_open ON app.restores (id) WHERE resolved_at IS NULL;
GRANT SELECT, INSERT, UPDATE (finished_at, resolved_at, resolution) ON app.restores TO probity_app;

-- The firm's profile. Each change in the console is a new version with who, when and why; versions have no gaps and
-- never change. A version belongs to the mode it was made in, so a live firm never shows a demonstration's claims.
CREATE TABLE app.firm_profiles (
  mode text NOT NULL CHECK (mode IN ('demo', 'live')),
  version integer NOT NULL,
  profile jsonb NOT NULL,
  -- NULL on the first version, which comes from the configuration.
  reason text,
  created_by uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (mode, version)
);
GRANT SELECT, INSERT ON app.firm_profiles TO probity_app;

-- The firm's figures and claims with their sources, in versions. The site shows the current one; a hidden figure has
-- none.
CREATE TABLE app.statistics (
  id uuid PRIMARY KEY,
  statistic_id uuid NOT NULL,
  version integer NOT NULL DEFAULT 1 CHECK (version > 0),
  current boolean NOT NULL DEFAULT true,
  change text NOT NULL DEFAULT 'created' CHECK (change IN ('created', 'changed', 'retired', 'restored')),
  mode text NOT NULL CHECK (mode IN ('demo', 'live')),
  position integer NOT NULL,
  label text NOT NULL,
  value text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('claim', 'sample')),
  source text NOT NULL CHECK (source <> ''),
  -- How to check a claim: a link or a reference.
  evidence text,
  as_of date NOT NULL,
  reason text,
  created_by uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (statistic_id, version),
  CHECK (kind <> 'claim' OR evidence <> ''),
  CHECK (kind <> 'sample' OR mode = 'demo')
);
CREATE UNIQUE INDEX statistics_current ON app.statistics (statistic_id) WHERE current;
CREATE UNIQUE INDEX statistics_current_label ON app.statistics (mode, lower(label)) WHERE current;
GRANT SELECT, INSERT, UPDATE (current, position) ON app.statistics TO probity_app;

-- A change that one admin proposes and another decides.
CREATE TABLE app.proposals (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('settings', 'second_factors', 'invitation', 'role', 'policy', 'policy_translation', 'api_key', 'webhook', 'brand')),
  -- The account it is about, if any.
  user_id uuid REFERENCES app.users (id),
  content jsonb NOT NULL,
  reason text NOT NULL CHECK (reason <> ''),
  -- An expired proposal was not decided in time and can be made again.
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
  proposed_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  decided_by uuid REFERENCES app.users (id),
  decided_at timestamptz,
  decision_reason text,
  CHECK ((status = 'pending') = (decided_at IS NULL)),
  -- Guard: nobody approves their own proposal, or one about themselves.
  CHECK (status <> 'approved' OR (decided_by <> proposed_by AND decided_by IS DISTINCT FROM user_id)),
  CHECK (status <> 'approved' OR decided_by IS NOT NULL)
);
-- One pending proposal for each subject.
CREATE UNIQUE INDEX proposals_open ON app.proposals
  (kind, coalesce(user_id, '00000000-0000-0000-0000-000000000000'), coalesce(content ->> 'email', content ->> 'policy', content ->> 'name')) NULLS NOT DISTINCT
  WHERE status = 'pending';
CREATE INDEX proposals_by ON app.proposals (proposed_by) WHERE status = 'pending';
GRANT SELECT, INSERT, UPDATE (status, decided_by, decided_at, decision_reason) ON app.proposals TO probity_app;

-- A proposal is inserted as pending; only an update by a second account ends it.
CREATE FUNCTION app.guard_new_proposals() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NEW.status <> 'pending' THEN
    RAISE EXCEPTION 'a proposal begins as pending' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER proposals_begin_pending BEFORE INSERT ON app.proposals
  FOR EACH ROW EXECUTE FUNCTION app.guard_new_proposals();

-- A decision is final.
CREATE FUNCTION app.guard_proposals() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF OLD.status <> 'pending' THEN
    RAISE EXCEPTION 'a proposal that was decided cannot be changed' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER proposals_decided_once BEFORE UPDATE ON app.proposals
  FOR EACH ROW EXECUTE FUNCTION app.guard_proposals();

-- What two admins have decided; the newest version is in force. Before the first one, the configuration is.
CREATE TABLE app.setting_versions (
  version integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  large_withdrawal_cents bigint NOT NULL CHECK (large_withdrawal_cents > 0),
  -- A smaller withdrawal must take the whole balance. At most $100, so that nobody delays investors with it.
  minimum_withdrawal_cents bigint NOT NULL DEFAULT 0 CHECK (minimum_withdrawal_cents BETWEEN 0 AND 10000),
  -- How long a new withdrawal address waits before it can be used.
  address_wait_hours integer NOT NULL DEFAULT 0 CHECK (address_wait_hours BETWEEN 0 AND 720),
  -- How long the rate of a payment request is locked. The longer, the more it invites bets on the rate.
  payment_window_minutes integer NOT NULL DEFAULT 15 CHECK (payment_window_minutes BETWEEN 15 AND 60),
  large_return_cents bigint NOT NULL CHECK (large_return_cents > 0),
  -- What monitoring looks into (record 179).
  turnover_limit_cents bigint NOT NULL DEFAULT 5000000 CHECK (turnover_limit_cents > 0),
  reporting_limit_cents bigint NOT NULL DEFAULT 1000000 CHECK (reporting_limit_cents > 0),
  dormant_limit_cents bigint NOT NULL DEFAULT 100000 CHECK (dormant_limit_cents > 0),
  -- Up to where investors need no proof of identity, and none of the source of their funds (record 180). NULL: it is not asked for.
  identity_limit_cents bigint CHECK (identity_limit_cents >= 0),
  funds_limit_cents bigint CHECK (funds_limit_cents >= identity_limit_cents AND funds_limit_cents >= 0),
  -- How long documents of former customers are kept.
  document_years integer NOT NULL DEFAULT 5 CHECK (document_years BETWEEN 1 AND 10),
  earnings_second_approval boolean NOT NULL,
  -- Whether new investors may register.
  registration_open boolean NOT NULL DEFAULT true,
  -- Whether investors may request new deposits; those already requested are credited in any case.
  deposits_open boolean NOT NULL DEFAULT true,
  -- A version comes from one proposal, and a proposal makes one version, even concurrently.
  proposal_id uuid NOT NULL UNIQUE REFERENCES app.proposals (id),
  created_at timestamptz NOT NULL
);
GRANT SELECT, INSERT ON app.setting_versions TO probity_app;

-- Guard: only what two admins have approved comes into force, and it stays on record.
CREATE FUNCTION app.guard_settings() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM app.proposals
     WHERE id = NEW.proposal_id AND kind = 'settings' AND status = 'approved'
       AND content -> 'after' = jsonb_build_object(
         'largeWithdrawal', NEW.large_withdrawal_cents / 100.0, 'minimumWithdrawal', NEW.minimum_withdrawal_cents / 100.0,
         'addressWaitHours', NEW.address_wait_hours, 'paymentWindowMinutes', NEW.payment_window_minutes,
         'largeReturn', NEW.large_return_cents / 100.0, 'turnoverLimit', NEW.turnover_limit_cents / 100.0,
         'reportingLimit', NEW.reporting_limit_cents / 100.0, 'dormantLimit', NEW.dormant_limit_cents / 100.0,
         'identityLimit', NEW.identity_limit_cents / 100.0, 'fundsLimit', NEW.funds_limit_cents / 100.0,
         'documentYears', NEW.document_years, 'earningsSecondApproval', NEW.earnings_second_approval,
         'registrationOpen', NEW.registration_open, 'depositsOpen', NEW.deposits_open)) THEN
    RAISE EXCEPTION 'settings change by an approved proposal only, unchanged' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER setting_versions_approved BEFORE INSERT ON app.setting_versions
  FOR EACH ROW EXECUTE FUNCTION app.guard_settings();
CREATE TRIGGER setting_versions_append_only BEFORE UPDATE OR DELETE ON app.setting_versions
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

CREATE TABLE app.contact_messages (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  subject text NOT NULL,
  message text NOT NULL,
  -- Of the page on which it was written: a visitor gets our reply in it.
  language text NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'de', 'es', 'ar')),
  created_at timestamptz NOT NULL DEFAULT now(),
  answered_at timestamptz,
  answered_by uuid REFERENCES app.users (id),
  CHECK ((answered_at IS NULL) = (answered_by IS NULL))
);
CREATE INDEX contact_messages_open ON app.contact_messages (id DESC) WHERE answered_at IS NULL;
CREATE INDEX contact_messages_by_time ON app.contact_messages (created_at, id);
CREATE INDEX contact_messages_by_name ON app.contact_messages (lower(name), id);
CREATE INDEX contact_messages_by_email ON app.contact_messages (email, id);
CREATE INDEX contact_messages_by_words ON app.contact_messages USING gin (app.search_words(name || ' ' || email));
GRANT SELECT, INSERT, UPDATE (answered_at, answered_by) ON app.contact_messages TO probity_app;

-- What staff did with a message: emailed replies, notes, and reasons for reopening it.
CREATE TABLE app.contact_entries (
  id uuid PRIMARY KEY,
  message_id uuid NOT NULL REFERENCES app.contact_messages (id),
  kind text NOT NULL CHECK (kind IN ('reply', 'note', 'reopened')),
  text text NOT NULL CHECK (text <> ''),
  created_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL
);
CREATE INDEX contact_entries_of_message ON app.contact_entries (message_id, id);
GRANT SELECT, INSERT ON app.contact_entries TO probity_app;

-- The latest reading of each source for each symbol, in 10^-8 USD for one unit (C-30, D5).
CREATE TABLE app.price_readings (
  symbol text NOT NULL,
  source text NOT NULL,
  usd_e8 bigint NOT NULL CHECK (usd_e8 > 0),
  sample boolean NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (symbol, source)
);
GRANT SELECT, INSERT, UPDATE ON app.price_readings TO probity_app;

-- Past readings of the coins of payments: a late payment is credited at the rate of its arrival.
CREATE TABLE app.price_history (
  symbol text NOT NULL,
  source text NOT NULL,
  usd_e8 bigint NOT NULL CHECK (usd_e8 > 0),
  sample boolean NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (symbol, at, source)
);
CREATE INDEX price_history_oldest ON app.price_history (at);
-- The clean-up locks the rows that it deletes, which needs UPDATE.
GRANT SELECT, INSERT, UPDATE, DELETE ON app.price_history TO probity_app;

-- The state of each price source (record 26), shared by all workers and kept across restarts.
CREATE TABLE app.price_sources (
  source text PRIMARY KEY,
  -- When a worker last polled it. The worker writes this first, so that no other polls for a while.
  asked_at timestamptz NOT NULL,
  -- When it last had a reading.
  answered_at timestamptz,
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  -- The breaker is open until then; NULL while it is closed.
  rest_until timestamptz,
  -- The last error.
  fault text CHECK (length(fault) BETWEEN 1 AND 500),
  fault_at timestamptz,
  -- The coins whose last reading was too far from the other sources: a change is logged once.
  rejected text[] NOT NULL DEFAULT '{}',
  CHECK ((fault IS NULL) = (fault_at IS NULL))
);
GRANT SELECT, INSERT, UPDATE ON app.price_sources TO probity_app;
