-- The second factor: codes of an authenticator app (RFC 6238) with recovery codes beside them, and passkeys (WebAuthn), which are
-- both factors at once.

-- One an account. It counts from its first right code on. The secret is sealed by the application (AES-256-GCM): who has
-- a copy of the database has no codes.
CREATE TABLE app.second_factors (
  user_id uuid PRIMARY KEY REFERENCES app.users (id),
  sealed_secret bytea NOT NULL,
  begun_at timestamptz NOT NULL,
  confirmed_at timestamptz,
  -- The time step of the last code that was accepted: no code of it, or of one before it, is accepted again.
  last_step bigint,
  CHECK ((confirmed_at IS NULL) = (last_step IS NULL))
);

-- Each works once. Only HMACs are kept.
CREATE TABLE app.recovery_codes (
  user_id uuid NOT NULL REFERENCES app.second_factors (user_id) ON DELETE CASCADE,
  code_hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE app.passkeys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  credential_id bytea NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  -- How often the authenticator says that it has signed; stays 0 where it does not count.
  counter bigint NOT NULL CHECK (counter >= 0),
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  -- Its counter went back, so there may be a copy of it: it signs nobody in any more.
  refused_at timestamptz
);
CREATE INDEX passkeys_of_user ON app.passkeys (user_id, id DESC);

-- What an authenticator is asked to sign, by its SHA-256: for one purpose, once, for a few minutes. Whoever signs in
-- by a passkey is not known before.
CREATE TABLE app.passkey_challenges (
  challenge_hash bytea PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('add', 'login', 'proof')),
  user_id uuid REFERENCES app.users (id),
  expires_at timestamptz NOT NULL,
  CHECK ((purpose = 'login') = (user_id IS NULL))
);
CREATE INDEX passkey_challenges_expired ON app.passkey_challenges (expires_at);

-- Whether somebody has shown a second factor, or a passkey, in this session: an admin of a live firm has to.
ALTER TABLE app.sessions ADD COLUMN second_factor boolean NOT NULL DEFAULT false;

ALTER TABLE app.notifications
  DROP CONSTRAINT notifications_kind_check,
  ADD CONSTRAINT notifications_kind_check CHECK (kind IN (
    'deposit.approved', 'deposit.declined', 'deposit.unpaid',
    'investment.approved', 'investment.matured', 'investment.closed', 'investment.declined',
    'withdrawal.approved', 'withdrawal.paid', 'withdrawal.declined',
    'earning.paid', 'earning.declined',
    'session.opened', 'session.reused', 'password.changed', 'email.changed',
    'second_factor.on', 'second_factor.off', 'recovery_codes.renewed', 'recovery_code.used',
    'passkey.added', 'passkey.removed', 'passkey.refused'));
-- What happens to the account itself can happen many times.
DROP INDEX app.notifications_once;
CREATE UNIQUE INDEX notifications_once ON app.notifications (subject_id, kind)
  WHERE kind NOT IN ('password.changed', 'email.changed',
                     'second_factor.on', 'second_factor.off', 'recovery_codes.renewed', 'recovery_code.used');

-- Open pages of the account hear of it.
DO $$
DECLARE
  kept text;
BEGIN
  FOREACH kept IN ARRAY ARRAY['second_factors', 'recovery_codes', 'passkeys'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON app.%I REFERENCING NEW TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.tell_changed(''security'')', kept || '_added_told', kept);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON app.%I REFERENCING NEW TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.tell_changed(''security'')', kept || '_changed_told', kept);
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON app.%I REFERENCING OLD TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.tell_changed(''security'')', kept || '_removed_told', kept);
  END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON app.second_factors TO probity_app;
GRANT SELECT, INSERT, UPDATE (used_at), DELETE ON app.recovery_codes TO probity_app;
GRANT SELECT, INSERT, UPDATE (counter, last_used_at, refused_at), DELETE ON app.passkeys TO probity_app;
-- Locking rows, as the clean-up does, needs the right to change one of their columns.
GRANT SELECT, INSERT, UPDATE (expires_at), DELETE ON app.passkey_challenges TO probity_app;
