-- What investors save for, and what they want to be told before it happens. A goal moves no money and promises none: its
-- progress is its owner's total funds in the books.
CREATE TABLE app.goals (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  -- By when, if at all; a day in UTC.
  day date,
  created_at timestamptz NOT NULL,
  -- When the total funds first reached it, and its owner was told.
  reached_at timestamptz,
  -- It stays for the notification that it was reached.
  removed_at timestamptz
);
CREATE INDEX goals_of_user ON app.goals (user_id) WHERE removed_at IS NULL;
CREATE INDEX goals_to_reach ON app.goals (id) WHERE removed_at IS NULL AND reached_at IS NULL;
GRANT SELECT, INSERT, UPDATE (reached_at, removed_at), DELETE ON app.goals TO probity_app;

CREATE FUNCTION app.guard_goals() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'a goal is reached once and removed once' USING ERRCODE = 'PB920';
END
$$;
CREATE TRIGGER goals_once BEFORE UPDATE ON app.goals
  FOR EACH ROW WHEN (OLD.reached_at IS NOT NULL AND NEW.reached_at IS DISTINCT FROM OLD.reached_at
                  OR OLD.removed_at IS NOT NULL) EXECUTE FUNCTION app.guard_goals();

-- How many days before an investment ends its owner is told; without a row they are not.
CREATE TABLE app.ending_alerts (
  user_id uuid PRIMARY KEY REFERENCES app.users (id),
  days smallint NOT NULL CHECK (days BETWEEN 1 AND 90)
);
GRANT SELECT, INSERT, UPDATE (days), DELETE ON app.ending_alerts TO probity_app;

-- Emails about goals can be turned off too.
ALTER TABLE app.muted_emails DROP CONSTRAINT muted_emails_kind_check;
ALTER TABLE app.muted_emails ADD CONSTRAINT muted_emails_kind
  CHECK (kind ~ '^(deposit|investment|withdrawal|earning|goal)\.') NOT VALID;
