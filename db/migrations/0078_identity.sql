-- Proof of identity and of the source of funds (record 180): what investors sent, sealed (server/identity/sealed.ts), and what staff decided.

-- Staff who decide, as shared/roles.ts says (test/hostile/rules.test.ts compares them).
CREATE VIEW app.identity_reviewers AS
SELECT id FROM app.users WHERE type = 'admin' AND role IN ('admin', 'compliance') AND access_ended_at IS NULL;
GRANT SELECT ON app.identity_reviewers TO probity_app;

-- Where a provider looks at a person's document and face instead of staff; the outcome becomes a check for staff to decide.
CREATE TABLE app.identity_sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  provider text NOT NULL CHECK (provider IN ('veriff')),
  requested_at timestamptz NOT NULL,
  -- The provider's id, and the sealed address at which the person goes through it, once a worker has them.
  provider_id text UNIQUE CHECK (provider_id <> ''),
  sealed_url bytea,
  -- When a worker last asked for its outcome.
  asked_at timestamptz,
  ended_at timestamptz,
  outcome text CHECK (outcome IN ('approved', 'declined', 'resubmit', 'expired', 'unusable', 'cancelled')),
  CHECK (num_nonnulls(provider_id, sealed_url) <> 1 OR ended_at IS NOT NULL),
  CHECK (num_nonnulls(ended_at, outcome) IN (0, 2)),
  -- The address lets anyone in: it goes with the end.
  CHECK (ended_at IS NULL OR sealed_url IS NULL)
);
CREATE UNIQUE INDEX identity_sessions_open ON app.identity_sessions (user_id) WHERE ended_at IS NULL;
CREATE INDEX identity_sessions_of_user ON app.identity_sessions (user_id, id DESC);
CREATE INDEX identity_sessions_to_ask ON app.identity_sessions (asked_at NULLS FIRST, id) WHERE ended_at IS NULL;
GRANT SELECT, INSERT (id, user_id, provider, requested_at), UPDATE (provider_id, sealed_url, asked_at, ended_at, outcome)
  ON app.identity_sessions TO probity_app;
CREATE TRIGGER identity_sessions_stay BEFORE DELETE ON app.identity_sessions
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER identity_sessions_no_truncate BEFORE TRUNCATE ON app.identity_sessions
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER identity_sessions_keep_facts BEFORE UPDATE ON app.identity_sessions
  FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL
    OR (OLD.id, OLD.user_id, OLD.provider, OLD.requested_at) IS DISTINCT FROM (NEW.id, NEW.user_id, NEW.provider, NEW.requested_at)
    OR OLD.provider_id IS NOT NULL AND NEW.provider_id IS DISTINCT FROM OLD.provider_id)
  EXECUTE FUNCTION app.refuse_fact('whose a session is never changes, and one that ended stays as it ended');
CREATE TRIGGER identity_sessions_added_notify AFTER INSERT ON app.identity_sessions REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed('identity');
CREATE TRIGGER identity_sessions_changed_notify AFTER UPDATE ON app.identity_sessions REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed('identity');

CREATE TABLE app.identity_checks (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  -- The provider's session that it comes from, if any.
  session_id uuid UNIQUE REFERENCES app.identity_sessions (id),
  kind text NOT NULL CHECK (kind IN ('identity', 'funds')),
  -- The account's name then. What was verified is true of this name alone.
  user_name text NOT NULL CHECK (user_name <> ''),
  -- NULL once erased.
  sealed_answers bytea,
  submitted_at timestamptz NOT NULL,
  decided_at timestamptz,
  -- The owner, if they cancelled it.
  decided_by uuid REFERENCES app.users (id),
  decision text CHECK (decision IN ('verified', 'returned', 'refused', 'cancelled')),
  -- For the owner.
  reason text CHECK (reason <> ''),
  -- The last day, in UTC, on which what was verified counts.
  expires_on date,
  -- When the owner was reminded of that day, and told that it has passed.
  reminded_at timestamptz,
  ended_at timestamptz,
  erased_at timestamptz,
  CHECK (num_nonnulls(decided_at, decided_by, decision) IN (0, 3)),
  CHECK ((decision IN ('returned', 'refused')) IS NOT DISTINCT FROM (reason IS NOT NULL) OR decision IS NULL AND reason IS NULL),
  CHECK ((decision = 'verified') IS NOT DISTINCT FROM (expires_on IS NOT NULL) OR decision IS NULL AND expires_on IS NULL),
  CHECK ((sealed_answers IS NULL) = (erased_at IS NOT NULL)),
  CHECK (erased_at IS NULL OR decided_at IS NOT NULL)
);
CREATE UNIQUE INDEX identity_checks_open ON app.identity_checks (user_id, kind) WHERE decided_at IS NULL;
CREATE INDEX identity_checks_of_user ON app.identity_checks (user_id, id DESC);
CREATE INDEX identity_checks_by_decision ON app.identity_checks (decision, id);
CREATE INDEX identity_checks_by_time ON app.identity_checks (submitted_at, id);
CREATE INDEX identity_checks_by_name ON app.identity_checks (lower(user_name), id);
CREATE INDEX identity_checks_ending ON app.identity_checks (expires_on) WHERE decision = 'verified' AND ended_at IS NULL;
CREATE INDEX identity_checks_kept ON app.identity_checks (decided_at) WHERE erased_at IS NULL;
GRANT SELECT, INSERT (id, user_id, session_id, kind, user_name, sealed_answers, submitted_at),
  UPDATE (sealed_answers, decided_at, decided_by, decision, reason, expires_on, reminded_at, ended_at, erased_at)
  ON app.identity_checks TO probity_app;

CREATE TABLE app.identity_files (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  -- NULL until it is sent.
  check_id uuid REFERENCES app.identity_checks (id),
  kind text NOT NULL CHECK (kind IN ('front', 'back', 'selfie', 'funds')),
  type text NOT NULL CHECK (type IN ('application/pdf', 'image/png', 'image/jpeg')),
  -- Of the file itself, in bytes.
  size integer NOT NULL CHECK (size BETWEEN 1 AND 8388608),
  -- NULL once erased.
  sealed_content bytea,
  uploaded_at timestamptz NOT NULL,
  CHECK (check_id IS NOT NULL OR sealed_content IS NOT NULL)
);
ALTER TABLE app.identity_files ALTER COLUMN sealed_content SET STORAGE EXTERNAL;
CREATE INDEX identity_files_of_check ON app.identity_files (check_id);
CREATE INDEX identity_files_unsent ON app.identity_files (user_id) WHERE check_id IS NULL;
CREATE INDEX identity_files_oldest_unsent ON app.identity_files (uploaded_at) WHERE check_id IS NULL;
GRANT SELECT, INSERT, UPDATE (check_id, sealed_content), DELETE ON app.identity_files TO probity_app;

CREATE TRIGGER identity_checks_stay BEFORE DELETE ON app.identity_checks
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER identity_checks_no_truncate BEFORE TRUNCATE ON app.identity_checks
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER identity_checks_begin_open BEFORE INSERT ON app.identity_checks
  FOR EACH ROW WHEN (NEW.decided_at IS NOT NULL OR NEW.sealed_answers IS NULL)
  EXECUTE FUNCTION app.refuse_fact('a check begins undecided');
-- Of what was decided only a refusal is corrected, so that its owner can try again.
CREATE TRIGGER identity_checks_keep_facts BEFORE UPDATE ON app.identity_checks
  FOR EACH ROW WHEN (
    (OLD.id, OLD.user_id, OLD.session_id, OLD.kind, OLD.user_name, OLD.submitted_at)
      IS DISTINCT FROM
    (NEW.id, NEW.user_id, NEW.session_id, NEW.kind, NEW.user_name, NEW.submitted_at)
    OR OLD.erased_at IS DISTINCT FROM NEW.erased_at AND OLD.erased_at IS NOT NULL
    -- Resealed under another secret, it is as long as before.
    OR OLD.sealed_answers IS DISTINCT FROM NEW.sealed_answers
       AND octet_length(NEW.sealed_answers) IS DISTINCT FROM octet_length(OLD.sealed_answers) AND NEW.sealed_answers IS NOT NULL
    OR OLD.decided_at IS NOT NULL
       AND (OLD.decided_at, OLD.decided_by, OLD.decision, OLD.reason, OLD.expires_on)
           IS DISTINCT FROM (NEW.decided_at, NEW.decided_by, NEW.decision, NEW.reason, NEW.expires_on)
       AND NOT (OLD.decision = 'refused' AND NEW.decision IS NOT DISTINCT FROM 'returned'))
  EXECUTE FUNCTION app.refuse_fact('what was sent never changes, and what was decided stays decided');
CREATE TRIGGER identity_checks_happen_now BEFORE INSERT ON app.identity_checks
  FOR EACH ROW WHEN (
    NEW.submitted_at < now() - interval '5 minutes' OR NEW.submitted_at > clock_timestamp() + interval '1 minute'
    OR NEW.decided_at < now() - interval '5 minutes' OR NEW.decided_at > clock_timestamp() + interval '1 minute'
    OR NEW.reminded_at < now() - interval '5 minutes' OR NEW.reminded_at > clock_timestamp() + interval '1 minute'
    OR NEW.ended_at < now() - interval '5 minutes' OR NEW.ended_at > clock_timestamp() + interval '1 minute'
    OR NEW.erased_at < now() - interval '5 minutes' OR NEW.erased_at > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();
CREATE TRIGGER identity_checks_change_now BEFORE UPDATE ON app.identity_checks
  FOR EACH ROW WHEN (
    NEW.decided_at IS DISTINCT FROM OLD.decided_at AND (NEW.decided_at < now() - interval '5 minutes' OR NEW.decided_at > clock_timestamp() + interval '1 minute')
    OR NEW.reminded_at IS DISTINCT FROM OLD.reminded_at AND (NEW.reminded_at < now() - interval '5 minutes' OR NEW.reminded_at > clock_timestamp() + interval '1 minute')
    OR NEW.ended_at IS DISTINCT FROM OLD.ended_at AND (NEW.ended_at < now() - interval '5 minutes' OR NEW.ended_at > clock_timestamp() + interval '1 minute')
    OR NEW.erased_at IS DISTINCT FROM OLD.erased_at AND (NEW.erased_at < now() - interval '5 minutes' OR NEW.erased_at > clock_timestamp() + interval '1 minute'))
  EXECUTE FUNCTION app.refuse_another_time();

-- Guard: a person decides who may, who is not the owner, and who has opened it; another person corrects a refusal. The owner cancels.
CREATE FUNCTION app.guard_check_decided() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.decision = 'cancelled' THEN
    IF NEW.decided_by <> NEW.user_id THEN
      RAISE EXCEPTION 'check % is cancelled by its owner', NEW.id USING ERRCODE = 'PB914';
    END IF;
    RETURN NEW;
  END IF;
  IF NEW.decided_by = NEW.user_id OR NEW.decided_by IS NOT DISTINCT FROM OLD.decided_by
     OR NOT EXISTS (SELECT FROM app.identity_reviewers WHERE id = NEW.decided_by)
     OR NOT EXISTS (SELECT FROM app.audit_log a
                     WHERE a.subject_id = NEW.user_id AND a.action = 'identity.opened' AND a.actor_id = NEW.decided_by
                       AND a.details ->> 'check' = NEW.id::text) THEN
    RAISE EXCEPTION 'check % is decided by another person, who may and who has opened it', NEW.id USING ERRCODE = 'PB914';
  END IF;
  IF NEW.decision = 'verified'
     AND NEW.expires_on NOT BETWEEN (NEW.decided_at AT TIME ZONE 'UTC')::date
                             AND (NEW.decided_at AT TIME ZONE 'UTC' + interval '3 years 1 day')::date THEN
    RAISE EXCEPTION 'check % counts for at most three years', NEW.id USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER identity_checks_decided_by_another BEFORE UPDATE ON app.identity_checks
  FOR EACH ROW WHEN (NEW.decision IS DISTINCT FROM OLD.decision)
  EXECUTE FUNCTION app.guard_check_decided();

-- Guard: what a decision rests on stays at least a year; what was returned, 30 days, as returnedDocumentDays of shared/limits.ts says.
CREATE TRIGGER identity_checks_kept BEFORE UPDATE ON app.identity_checks
  FOR EACH ROW WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL AND NEW.decision <> 'cancelled'
    AND NEW.decided_at > now() - CASE NEW.decision WHEN 'returned' THEN interval '30 days' ELSE interval '1 year' END)
  EXECUTE FUNCTION app.refuse_fact('documents are kept for a while after the decision');
CREATE FUNCTION app.guard_identity_file() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.check_id IS NOT NULL THEN
      RAISE EXCEPTION 'file % belongs to a check', OLD.id USING ERRCODE = 'PB900';
    END IF;
    RETURN OLD;
  END IF;
  IF (OLD.id, OLD.user_id, OLD.kind, OLD.type, OLD.size, OLD.uploaded_at)
       IS DISTINCT FROM (NEW.id, NEW.user_id, NEW.kind, NEW.type, NEW.size, NEW.uploaded_at)
     OR OLD.check_id IS NOT NULL AND NEW.check_id IS DISTINCT FROM OLD.check_id
     OR NEW.sealed_content IS NOT NULL AND octet_length(NEW.sealed_content) IS DISTINCT FROM octet_length(OLD.sealed_content) THEN
    RAISE EXCEPTION 'file % never changes', OLD.id USING ERRCODE = 'PB912';
  END IF;
  IF OLD.check_id IS NULL AND NEW.check_id IS NOT NULL AND NOT EXISTS (
       SELECT FROM app.identity_checks c WHERE c.id = NEW.check_id AND c.user_id = NEW.user_id AND c.decided_at IS NULL) THEN
    RAISE EXCEPTION 'file % is sent with a check of its owner', OLD.id USING ERRCODE = 'PB912';
  END IF;
  IF OLD.sealed_content IS NOT NULL AND NEW.sealed_content IS NULL AND NOT EXISTS (
       SELECT FROM app.identity_checks c WHERE c.id = NEW.check_id AND c.erased_at IS NOT NULL) THEN
    RAISE EXCEPTION 'file % is erased with its check', OLD.id USING ERRCODE = 'PB912';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER identity_files_guarded BEFORE UPDATE OR DELETE ON app.identity_files
  FOR EACH ROW EXECUTE FUNCTION app.guard_identity_file();
CREATE TRIGGER identity_files_no_truncate BEFORE TRUNCATE ON app.identity_files
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER identity_files_begin_unsent BEFORE INSERT ON app.identity_files
  FOR EACH ROW WHEN (NEW.check_id IS NOT NULL) EXECUTE FUNCTION app.refuse_fact('a file is uploaded before its check is sent');

-- What counts today.
CREATE VIEW app.valid_checks AS
SELECT c.user_id, c.kind, max(c.expires_on) AS expires_on
  FROM app.identity_checks c JOIN app.users u ON u.id = c.user_id
 WHERE c.decision = 'verified' AND c.expires_on >= (now() AT TIME ZONE 'UTC')::date AND c.user_name = u.name
 GROUP BY c.user_id, c.kind;
GRANT SELECT ON app.valid_checks TO probity_app;

CREATE FUNCTION app.identity_level(p_user uuid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN NOT 'identity' = ANY (kinds) THEN 'none' WHEN NOT 'funds' = ANY (kinds) THEN 'identity' ELSE 'funds' END
    FROM (SELECT ARRAY(SELECT kind FROM app.valid_checks WHERE user_id = p_user) AS kinds) AS valid
$$;
-- Whether we do not keep a person as a customer.
CREATE FUNCTION app.identity_refused(p_user uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM app.identity_checks WHERE user_id = p_user AND decision = 'refused')
$$;

-- Which check an account lacks for so many cents, or NULL. A person who is refused gets all of their money.
CREATE FUNCTION app.check_missing(p_user uuid, p_cents numeric) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN app.identity_refused(p_user) THEN NULL
              WHEN level = 'none' AND p_cents > least(s.identity_limit_cents, s.funds_limit_cents) THEN 'identity'
              WHEN level = 'identity' AND p_cents > s.funds_limit_cents THEN 'funds' END
    FROM (SELECT identity_limit_cents, funds_limit_cents FROM app.setting_versions ORDER BY version DESC LIMIT 1) AS s,
         app.identity_level(p_user) AS level
$$;
CREATE FUNCTION app.identity_is_asked() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((SELECT num_nonnulls(identity_limit_cents, funds_limit_cents) > 0
                     FROM app.setting_versions ORDER BY version DESC LIMIT 1), false)
$$;

-- What a withdrawal lacks, by all that its owner has requested in 365 days up to it (identityPeriodDays), declined requests aside.
CREATE FUNCTION app.withdrawal_lacks(p app.withdrawals) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT app.identity_is_asked() THEN
    RETURN NULL;
  END IF;
  RETURN app.check_missing(p.user_id, (
    SELECT sum(w.amount_cents) FROM app.withdrawals w
     WHERE w.user_id = p.user_id AND w.id <= p.id AND w.id >= app.first_id(p.created_at - interval '365 days')
       AND w.status <> 'declined'));
END
$$;
-- What an investment lacks, by all that its owner had invested or requested before it, and still has. A politically exposed person proves
-- everything before any (record 181).
CREATE FUNCTION app.investment_lacks(p app.investments) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF app.is_exposed(p.user_id) THEN
    RETURN CASE WHEN app.identity_refused(p.user_id) THEN NULL
                ELSE (SELECT CASE level WHEN 'none' THEN 'identity' WHEN 'identity' THEN 'funds' END
                        FROM app.identity_level(p.user_id) AS level) END;
  END IF;
  IF NOT app.identity_is_asked() THEN
    RETURN NULL;
  END IF;
  RETURN app.check_missing(p.user_id, (
    SELECT sum(i.amount_cents) FROM app.investments i
     WHERE i.user_id = p.user_id AND i.id <= p.id AND i.status IN ('pending', 'active')));
END
$$;
GRANT EXECUTE ON FUNCTION app.identity_level, app.identity_refused, app.check_missing, app.identity_is_asked,
  app.withdrawal_lacks, app.investment_lacks TO probity_app;

-- Guard: no investment becomes active that lacks a proof; of withdrawals, 0033.
CREATE FUNCTION app.guard_investment_proved() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF app.investment_lacks(ROW (OLD.*)::app.investments) IS NOT NULL THEN
    RAISE EXCEPTION 'investment % waits for proof of its owner', NEW.id USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER investments_proved BEFORE UPDATE ON app.investments
  FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'active')
  EXECUTE FUNCTION app.guard_investment_proved();

CREATE TRIGGER identity_checks_added_notify AFTER INSERT ON app.identity_checks REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed('identity');
CREATE TRIGGER identity_checks_changed_notify AFTER UPDATE ON app.identity_checks REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed('identity');
