-- Notifications, the audit log, and the demonstration's email.

-- Notifications in the bell, written in the transaction of the act itself. Words and amounts come from the record that
-- they name, so the two cannot differ. shared/notifications.ts has the closed list of kinds.
CREATE TABLE app.notifications (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  kind text NOT NULL CHECK (kind ~ '^[a-z_]+[.][a-z_]+$'),
  -- The deposit, investment, withdrawal, earning or session; the user if it concerns the account itself.
  subject_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  read_at timestamptz
);
CREATE INDEX notifications_of_user ON app.notifications (user_id, id DESC);
CREATE INDEX notifications_unread ON app.notifications (user_id, id DESC) WHERE read_at IS NULL;
-- Each kind happens to a record once, except those that can repeat: more arrives, a reorg reverses it, it ends again.
-- Events of the account itself may repeat too.
CREATE UNIQUE INDEX notifications_once ON app.notifications (subject_id, kind)
  WHERE subject_id <> user_id AND kind NOT IN ('deposit.added', 'deposit.reversed', 'deposit.unpaid', 'deposit.declined');
GRANT SELECT, INSERT, UPDATE (read_at), DELETE ON app.notifications TO probity_app;

-- Emails that an account's owner has turned off. Security emails cannot be.
CREATE TABLE app.muted_emails (
  user_id uuid NOT NULL REFERENCES app.users (id),
  kind text NOT NULL CHECK (kind ~ '^(deposit|investment|withdrawal|earning)\.'),
  PRIMARY KEY (user_id, kind)
);
GRANT SELECT, INSERT, DELETE ON app.muted_emails TO probity_app;

-- Who did what, when, from where and why, written in the transaction of the act itself; append-only.
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
CREATE INDEX audit_log_actor ON app.audit_log (actor_id, id DESC);
-- An account's logins, newest first.
CREATE INDEX audit_log_logins ON app.audit_log (actor_id, id DESC) WHERE action = 'login';
CREATE INDEX audit_log_by_time ON app.audit_log (at, id);
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON app.audit_log
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON app.audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
-- Its numbers come from the sequence alone, because seals pass over them in their order.
GRANT SELECT, INSERT (at, actor_id, action, subject_kind, subject_id, reason, ip, request_id, details)
  ON app.audit_log TO probity_app;

-- The demonstration's mailbox: its email goes here instead of out (D2).
CREATE TABLE app.mailbox (
  id uuid PRIMARY KEY,
  recipient text NOT NULL,
  subject text NOT NULL,
  text text NOT NULL,
  html text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mailbox_of_recipient ON app.mailbox (recipient, id DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.mailbox TO probity_app;
