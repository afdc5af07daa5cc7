-- People: accounts of investors and staff, how they sign in, and who may become staff.
--
-- Money columns of schema app are integers in minor units, and their names end in the unit (`_cents`, `_units`). No
-- column here is a balance: balances come from the ledger alone.

-- For append-only tables.
CREATE FUNCTION app.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only', TG_TABLE_SCHEMA, TG_TABLE_NAME USING ERRCODE = 'PB900';
END
$$;

-- The words of names and emails, by which the console's search finds people (server/console/search.ts). Whitespace and
-- ASCII punctuation separate them.
CREATE FUNCTION app.words_of(text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(regexp_split_to_table(lower($1), '[\s!-/:-@[-`{-~]+'), 200);
-- Its cost says that an index spares much.
CREATE FUNCTION app.search_words(text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
RETURN (SELECT array_to_tsvector(coalesce(array_agg(w), '{}')) FROM app.words_of($1) w WHERE w <> '');
-- Matches what has a word that begins with each of these words.
CREATE FUNCTION app.search_prefixes(text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg('''' || w || ''':*', ' & ')::tsquery FROM app.words_of($1) w WHERE w <> '');
GRANT EXECUTE ON FUNCTION app.words_of, app.search_words, app.search_prefixes TO probity_app;

CREATE TABLE app.users (
  id uuid PRIMARY KEY,
  type text NOT NULL DEFAULT 'investor' CHECK (type IN ('investor', 'admin')),
  -- A staff member's role (shared/roles.ts); all staff are of type 'admin'.
  role text CHECK (role IN ('admin', 'finance', 'support', 'compliance', 'auditor')),
  -- From then on nobody can log in. The account stays: the audit log names it.
  access_ended_at timestamptz CHECK (access_ended_at IS NULL OR type = 'admin'),
  -- A staff account whose access has ended may be given to another person; this number tells their approvals apart
  -- (docs/decisions/0019-roles-and-two-admin-approval.md).
  holder integer NOT NULL DEFAULT 1 CHECK (holder > 0),
  name text NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  phone text NOT NULL,
  country text NOT NULL,
  -- The language of their emails (shared/i18n/languages.ts).
  language text NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'de', 'es', 'ar')),
  password_hash text NOT NULL,
  email_verified_at timestamptz,
  -- A requested email address, until its code is entered. It is not reserved: two people may request one.
  pending_email text CHECK (pending_email = lower(pending_email) AND pending_email <> email),
  referral_code text NOT NULL UNIQUE,
  referrer_id uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- A frozen account moves no money (0025). Only staff see the reason.
  frozen_at timestamptz,
  frozen_by uuid REFERENCES app.users (id),
  freeze_reason text,
  CONSTRAINT users_role_of_staff CHECK ((type = 'admin') = (role IS NOT NULL)),
  CONSTRAINT users_frozen_check CHECK (num_nonnulls(frozen_at, frozen_by, freeze_reason) IN (0, 3))
);
CREATE UNIQUE INDEX users_email ON app.users (email);
CREATE INDEX users_staff ON app.users (id) WHERE type = 'admin';
CREATE INDEX users_frozen ON app.users (id) WHERE frozen_at IS NOT NULL;
CREATE INDEX users_of_referrer ON app.users (referrer_id, id DESC) WHERE referrer_id IS NOT NULL;
-- Indexes for the sort orders of the console's tables (server/queries/sorting.ts), here and below, read in either
-- direction. Equal rows follow by id, so that a page starts exactly where the last one ended.
CREATE INDEX users_by_time ON app.users (created_at, id);
CREATE INDEX users_by_name ON app.users (lower(name), id);
CREATE INDEX users_by_email ON app.users (email, id);
CREATE INDEX users_by_country ON app.users (lower(country), id);
CREATE INDEX users_by_type ON app.users (type, id);
CREATE INDEX users_by_words ON app.users USING gin (app.search_words(name || ' ' || email));
GRANT SELECT, INSERT, UPDATE ON app.users TO probity_app;

-- Filters of the console's lists that staff have saved for themselves (server/console/filters.ts).
CREATE TABLE app.saved_filters (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  list text NOT NULL CHECK (list IN ('users', 'deposits', 'withdrawals', 'investments', 'earnings')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  values jsonb NOT NULL
);
CREATE UNIQUE INDEX saved_filters_named ON app.saved_filters (user_id, list, lower(name));
GRANT SELECT, INSERT, UPDATE (name, values), DELETE ON app.saved_filters TO probity_app;

-- Staff's notes on an account, for each other.
CREATE TABLE app.account_notes (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  author_id uuid NOT NULL REFERENCES app.users (id),
  note text NOT NULL CHECK (note <> '' AND length(note) <= 4000),
  created_at timestamptz NOT NULL
);
CREATE INDEX account_notes_of_user ON app.account_notes (user_id, id DESC);
CREATE TRIGGER account_notes_append_only BEFORE UPDATE OR DELETE ON app.account_notes
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER account_notes_no_truncate BEFORE TRUNCATE ON app.account_notes
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
GRANT SELECT, INSERT ON app.account_notes TO probity_app;

-- One row per sign-in. The refresh token is `id.secret`. Only the hash of the latest secret is stored: any other secret
-- for the session is a reuse and ends it (D9).
CREATE TABLE app.sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  refresh_hash bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  ip text,
  user_agent text,
  -- Recognises the browser at the next login: the SHA-256 of a random text that the browser keeps.
  device_hash bytea,
  -- When the person last proved their identity in this session: by password, code, passkey or the login itself.
  reauthenticated_at timestamptz NOT NULL DEFAULT now(),
  -- True if this session has used a second factor or a passkey; admins of a live firm need it.
  second_factor boolean NOT NULL DEFAULT false
);
CREATE INDEX sessions_of_user ON app.sessions (user_id, id DESC);
CREATE INDEX sessions_revoked ON app.sessions (revoked_at) WHERE revoked_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.sessions TO probity_app;

-- The latest six-digit code of an account, hashed (D9).
CREATE TABLE app.email_codes (
  user_id uuid PRIMARY KEY REFERENCES app.users (id),
  email text NOT NULL,
  code_hash bytea NOT NULL,
  sent_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- In sessions of the account, and by everyone else.
  owner_tries smallint NOT NULL DEFAULT 0,
  other_tries smallint NOT NULL DEFAULT 0
);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.email_codes TO probity_app;

CREATE TABLE app.password_resets (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX password_resets_of_user ON app.password_resets (user_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.password_resets TO probity_app;

-- Counters for rate limits, shared by every process. Unlogged: losing a counter in a crash is harmless, and counting must
-- not wait for the disk. Each ends at so many milliseconds since 1970.
CREATE UNLOGGED TABLE app.rate_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire double precision
);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.rate_limits TO probity_app;

-- Two-factor authentication: authenticator codes (RFC 6238) with recovery codes, and passkeys (WebAuthn), which are
-- both factors at once.

-- One per account; active from its first correct code on. The application seals the secret (AES-256-GCM), so a copy of
-- the database reveals no codes.
CREATE TABLE app.second_factors (
  user_id uuid PRIMARY KEY REFERENCES app.users (id),
  sealed_secret bytea NOT NULL,
  started_at timestamptz NOT NULL,
  confirmed_at timestamptz,
  -- The time step of the last accepted code; codes of this step and earlier are refused.
  last_used_step bigint,
  CHECK ((confirmed_at IS NULL) = (last_used_step IS NULL))
);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.second_factors TO probity_app;

-- Each works once.
CREATE TABLE app.recovery_codes (
  user_id uuid NOT NULL REFERENCES app.second_factors (user_id) ON DELETE CASCADE,
  -- An HMAC under TOKEN_SECRET.
  code_hash bytea NOT NULL,
  -- The code itself, sealed: a new TOKEN_SECRET needs it to compute the HMAC again.
  sealed_code bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (user_id, code_hash)
);
GRANT SELECT, INSERT, UPDATE (code_hash, sealed_code, used_at), DELETE ON app.recovery_codes TO probity_app;

CREATE TABLE app.passkeys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  credential_id bytea NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  -- The authenticator's signature counter; stays 0 if it has none.
  counter bigint NOT NULL CHECK (counter >= 0),
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  -- Its counter went back, so a copy may exist: it can no longer sign in.
  refused_at timestamptz
);
CREATE INDEX passkeys_of_user ON app.passkeys (user_id, id DESC);
GRANT SELECT, INSERT, UPDATE (counter, last_used_at, refused_at), DELETE ON app.passkeys TO probity_app;

-- Challenges for authenticators to sign, by SHA-256: each for one purpose, once, for a few minutes. At a sign-in by
-- passkey the user is not known yet.
CREATE TABLE app.passkey_challenges (
  challenge_hash bytea PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('add', 'login', 'proof')),
  user_id uuid REFERENCES app.users (id),
  expires_at timestamptz NOT NULL,
  CHECK ((purpose = 'login') = (user_id IS NULL))
);
CREATE INDEX passkey_challenges_expired ON app.passkey_challenges (expires_at);
-- The clean-up locks rows, which needs UPDATE on one of their columns.
GRANT SELECT, INSERT, UPDATE (expires_at), DELETE ON app.passkey_challenges TO probity_app;

-- A one-time link that makes a person staff; only its hash is stored. Without an inviter, the operator's command
-- created it.
CREATE TABLE app.staff_invitations (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  name text NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL CHECK (role IN ('admin', 'finance', 'support', 'compliance', 'auditor')),
  invited_by uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  withdrawn_at timestamptz,
  CHECK (accepted_at IS NULL OR withdrawn_at IS NULL)
);
CREATE UNIQUE INDEX staff_invitations_open ON app.staff_invitations (email)
  WHERE accepted_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX staff_invitations_by ON app.staff_invitations (invited_by) WHERE accepted_at IS NULL AND withdrawn_at IS NULL;
GRANT SELECT, INSERT, UPDATE (accepted_at, withdrawn_at) ON app.staff_invitations TO probity_app;
