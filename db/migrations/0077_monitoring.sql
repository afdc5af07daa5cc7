-- Movements that staff look into (record 179): rules find them in the ledger, a person decides. A case stops nothing.

-- What an investor paid in and asked to be paid out, in cents, from the ledger. A payment for an investment is in its own event.
CREATE VIEW app.outside_movements AS
SELECT t.id, a.owner AS user_id, CASE t.event WHEN 'withdrawal.requested' THEN 'withdrawal' ELSE 'deposit' END AS kind,
       t.reference_id AS record_id, t.created_at AS at, abs(e.amount) AS cents
  FROM ledger.accounts a
  JOIN ledger.entries e ON e.account_id = a.id
  JOIN ledger.transactions t ON t.id = e.transaction_id
 WHERE a.kind = 'available' AND a.asset = 'USD'
   AND (t.event = 'withdrawal.requested' OR t.event IN ('deposit.settled', 'deposit.added', 'investment.funded') AND e.amount > 0);
GRANT SELECT ON app.outside_movements TO probity_app;

CREATE TABLE app.monitoring_cases (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  rule text NOT NULL CHECK (rule IN ('turnover', 'structuring', 'passing', 'dormant')),
  kind text NOT NULL CHECK (kind IN ('deposit', 'withdrawal')),
  cents bigint NOT NULL CHECK (cents > 0),
  movements integer NOT NULL CHECK (movements > 0),
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL CHECK (last_at >= first_at),
  -- The setting that was in force.
  limit_cents bigint NOT NULL CHECK (limit_cents > 0),
  found_at timestamptz NOT NULL,
  decided_at timestamptz,
  decided_by uuid REFERENCES app.users (id),
  -- Nothing unusual, or reported to the authority.
  decision text CHECK (decision IN ('explained', 'reported')),
  reason text CHECK (reason <> ''),
  -- The time of the newest movement that the person had seen: a rule counts only later ones from then on.
  through timestamptz,
  CHECK (num_nonnulls(decided_at, decided_by, decision, reason, through) IN (0, 5))
);
-- What moves while a case is open belongs to it.
CREATE UNIQUE INDEX monitoring_cases_open ON app.monitoring_cases (user_id, rule) WHERE decided_at IS NULL;
CREATE INDEX monitoring_cases_of_user ON app.monitoring_cases (user_id, id DESC);
CREATE INDEX monitoring_cases_by_decision ON app.monitoring_cases (decision, id);
CREATE INDEX monitoring_cases_by_time ON app.monitoring_cases (found_at, id);
GRANT SELECT, INSERT (id, user_id, rule, kind, cents, movements, first_at, last_at, limit_cents, found_at),
  UPDATE (decided_at, decided_by, decision, reason, through) ON app.monitoring_cases TO probity_app;
CREATE TRIGGER monitoring_cases_stay BEFORE DELETE ON app.monitoring_cases
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER monitoring_cases_no_truncate BEFORE TRUNCATE ON app.monitoring_cases
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER monitoring_cases_begin_open BEFORE INSERT ON app.monitoring_cases
  FOR EACH ROW WHEN (NEW.decided_at IS NOT NULL)
  EXECUTE FUNCTION app.refuse_fact('a case begins open');
CREATE TRIGGER monitoring_cases_keep_facts BEFORE UPDATE ON app.monitoring_cases
  FOR EACH ROW WHEN (OLD.decided_at IS NOT NULL
    OR (OLD.id, OLD.user_id, OLD.rule, OLD.kind, OLD.cents, OLD.movements, OLD.first_at, OLD.last_at, OLD.limit_cents, OLD.found_at)
       IS DISTINCT FROM
       (NEW.id, NEW.user_id, NEW.rule, NEW.kind, NEW.cents, NEW.movements, NEW.first_at, NEW.last_at, NEW.limit_cents, NEW.found_at))
  EXECUTE FUNCTION app.refuse_fact('what was found never changes, and a decision is final');
CREATE TRIGGER monitoring_cases_happen_now BEFORE INSERT ON app.monitoring_cases
  FOR EACH ROW WHEN (NEW.found_at < now() - interval '5 minutes' OR NEW.found_at > clock_timestamp() + interval '1 minute'
    OR NEW.decided_at < now() - interval '5 minutes' OR NEW.decided_at > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();
CREATE TRIGGER monitoring_cases_change_now BEFORE UPDATE ON app.monitoring_cases
  FOR EACH ROW WHEN (NEW.decided_at IS DISTINCT FROM OLD.decided_at
    AND (NEW.decided_at < now() - interval '5 minutes' OR NEW.decided_at > clock_timestamp() + interval '1 minute'))
  EXECUTE FUNCTION app.refuse_another_time();

-- Guard: who may care for the account decides, never its owner; about staff, an admin. And about movements that there are.
CREATE FUNCTION app.guard_case_decided() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.decided_by = NEW.user_id OR NOT EXISTS (
       SELECT FROM app.carers c JOIN app.users u ON u.id = c.id
        WHERE c.id = NEW.decided_by
          AND (u.role = 'admin' OR (SELECT type FROM app.users WHERE id = NEW.user_id) <> 'admin')) THEN
    RAISE EXCEPTION 'case % is decided by another person, who may care for the account', NEW.id USING ERRCODE = 'PB914';
  END IF;
  IF NEW.through < NEW.last_at OR NOT EXISTS (
       SELECT FROM app.outside_movements m WHERE m.user_id = NEW.user_id AND m.at = NEW.through) THEN
    RAISE EXCEPTION 'case % is decided about the movements that were found', NEW.id USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER monitoring_cases_decided_by_another BEFORE UPDATE ON app.monitoring_cases
  FOR EACH ROW WHEN (NEW.decided_at IS NOT NULL)
  EXECUTE FUNCTION app.guard_case_decided();
CREATE TRIGGER monitoring_cases_notify AFTER INSERT OR UPDATE ON app.monitoring_cases
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('monitoring');

-- Up to when movements were read.
CREATE TABLE app.monitoring_progress (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  through timestamptz NOT NULL,
  -- The version of the settings that the rules had.
  settings integer NOT NULL,
  -- Since when some movements cannot be read.
  failing_since timestamptz
);
GRANT SELECT, INSERT, UPDATE (through, settings, failing_since) ON app.monitoring_progress TO probity_app;
CREATE TRIGGER monitoring_progress_past BEFORE INSERT OR UPDATE ON app.monitoring_progress
  FOR EACH ROW WHEN (NEW.through > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();
