-- What waits for staff, as the bell of the console and emails tell them (docs/decisions/0166-staff-alerts.md). One row for
-- each occurrence, not for each person: rights and choices decide who sees it whenever someone looks.
-- shared/alerts.ts has the closed list of kinds.
CREATE TABLE app.staff_alerts (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind ~ '^[a-z]+[.][a-z]+$'),
  -- The record; NULL if it concerns the whole installation.
  subject_id uuid,
  -- Since when it waits: a record that waits again is told again.
  since timestamptz NOT NULL,
  -- Who made it wait, and need not be told.
  author_id uuid,
  created_at timestamptz NOT NULL,
  -- When it no longer waited.
  closed_at timestamptz
);
CREATE UNIQUE INDEX staff_alerts_open ON app.staff_alerts (kind, subject_id, since) NULLS NOT DISTINCT WHERE closed_at IS NULL;
CREATE INDEX staff_alerts_closed ON app.staff_alerts (closed_at) WHERE closed_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE (closed_at), DELETE ON app.staff_alerts TO probity_app;

CREATE FUNCTION app.guard_staff_alerts() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'an alert that waits is not removed, and a closed one stays closed' USING ERRCODE = 'PB920';
END
$$;
CREATE TRIGGER staff_alerts_closed_once BEFORE UPDATE ON app.staff_alerts
  FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL OR NEW.closed_at IS NULL) EXECUTE FUNCTION app.guard_staff_alerts();
CREATE TRIGGER staff_alerts_kept BEFORE DELETE ON app.staff_alerts
  FOR EACH ROW WHEN (OLD.closed_at IS NULL) EXECUTE FUNCTION app.guard_staff_alerts();

-- Who has read which.
CREATE TABLE app.staff_alert_reads (
  alert_id uuid NOT NULL REFERENCES app.staff_alerts (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES app.users (id),
  read_at timestamptz NOT NULL,
  PRIMARY KEY (alert_id, user_id)
);
GRANT SELECT, INSERT ON app.staff_alert_reads TO probity_app;

-- What each member of staff has chosen; a kind without a row is as shared/alerts.ts says for their role.
CREATE TABLE app.staff_alert_choices (
  user_id uuid NOT NULL REFERENCES app.users (id),
  kind text NOT NULL CHECK (kind ~ '^[a-z]+[.][a-z]+$'),
  bell boolean NOT NULL,
  email boolean NOT NULL,
  -- Only of conversations that are assigned to them.
  only_assigned boolean NOT NULL DEFAULT false CHECK (NOT only_assigned OR kind = 'message.waiting'),
  PRIMARY KEY (user_id, kind)
);
GRANT SELECT, INSERT, UPDATE (bell, email, only_assigned) ON app.staff_alert_choices TO probity_app;

-- The latest email of alerts to each, and the newest alert that existed then.
CREATE TABLE app.staff_alert_mails (
  user_id uuid PRIMARY KEY REFERENCES app.users (id),
  mailed_at timestamptz NOT NULL,
  newest_alert uuid NOT NULL
);
GRANT SELECT, INSERT, UPDATE (mailed_at, newest_alert) ON app.staff_alert_mails TO probity_app;

-- Investors choose and read none.
CREATE FUNCTION app.guard_staff_alert_of() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM app.users WHERE id = NEW.user_id AND type = 'admin') THEN
    RAISE EXCEPTION 'alerts are for staff' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER staff_alert_reads_of_staff BEFORE INSERT ON app.staff_alert_reads
  FOR EACH ROW EXECUTE FUNCTION app.guard_staff_alert_of();
CREATE TRIGGER staff_alert_choices_of_staff BEFORE INSERT ON app.staff_alert_choices
  FOR EACH ROW EXECUTE FUNCTION app.guard_staff_alert_of();
CREATE TRIGGER staff_alert_mails_of_staff BEFORE INSERT ON app.staff_alert_mails
  FOR EACH ROW EXECUTE FUNCTION app.guard_staff_alert_of();

CREATE TRIGGER staff_alerts_notify AFTER INSERT OR UPDATE ON app.staff_alerts
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('alerts');
-- Their other pages.
CREATE TRIGGER staff_alert_reads_notify AFTER INSERT ON app.staff_alert_reads REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed('notifications');
CREATE TRIGGER staff_alert_choices_notify AFTER INSERT ON app.staff_alert_choices REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed('notifications');
