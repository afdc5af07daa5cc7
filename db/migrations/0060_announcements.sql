-- What the firm tells all investors on their dashboards, from one day to another (UTC, both included). A published text
-- never changes: a wrong one is withdrawn, and stays on record (record 157).
CREATE TABLE app.announcements (
  id uuid PRIMARY KEY,
  title text NOT NULL CHECK (title <> ''),
  text text NOT NULL CHECK (text <> ''),
  shown_from date NOT NULL,
  shown_until date NOT NULL CHECK (shown_until >= shown_from),
  created_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  withdrawn_at timestamptz,
  withdrawn_by uuid REFERENCES app.users (id),
  CHECK ((withdrawn_at IS NULL) = (withdrawn_by IS NULL)),
  -- Nobody can make it look as if it had been said earlier. The same limit as announcementDays of shared/limits.ts.
  CHECK (shown_from >= (created_at AT TIME ZONE 'UTC')::date AND shown_until <= (created_at AT TIME ZONE 'UTC')::date + 366)
);
CREATE INDEX announcements_published ON app.announcements (shown_from, id);
GRANT SELECT, INSERT, UPDATE (withdrawn_at, withdrawn_by) ON app.announcements TO probity_app;

CREATE FUNCTION app.guard_announcements() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'a withdrawn announcement stays withdrawn' USING ERRCODE = 'PB920';
END
$$;
CREATE TRIGGER announcements_withdrawn_once BEFORE UPDATE ON app.announcements
  FOR EACH ROW WHEN (OLD.withdrawn_at IS NOT NULL) EXECUTE FUNCTION app.guard_announcements();

-- Who has read which.
CREATE TABLE app.announcement_reads (
  announcement_id uuid NOT NULL REFERENCES app.announcements (id),
  user_id uuid NOT NULL REFERENCES app.users (id),
  read_at timestamptz NOT NULL,
  PRIMARY KEY (announcement_id, user_id)
);
GRANT SELECT, INSERT ON app.announcement_reads TO probity_app;

CREATE TRIGGER announcements_changed_notify AFTER INSERT OR UPDATE ON app.announcements
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('announcements');
