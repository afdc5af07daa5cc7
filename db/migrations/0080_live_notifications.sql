-- What happens is told twice: to open pages, at once, that a kind of list has changed; and to the account's owner, as a notification
-- that stays until he has read it.

-- What has happened to an account. Written in the transaction of the act itself; its words and amounts are read from the
-- record that it names, so that the two cannot differ.
CREATE TABLE app.notifications (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  kind text NOT NULL CHECK (kind IN (
    'deposit.approved', 'deposit.declined', 'deposit.unpaid',
    'investment.approved', 'investment.matured', 'investment.closed', 'investment.declined',
    'withdrawal.approved', 'withdrawal.paid', 'withdrawal.declined',
    'earning.paid', 'earning.declined',
    'session.opened', 'session.reused', 'password.changed', 'email.changed')),
  -- The deposit, investment, withdrawal, earning or session; the user himself for his password and his address.
  subject_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  read_at timestamptz
);
CREATE INDEX notifications_of_user ON app.notifications (user_id, id DESC);
CREATE INDEX notifications_unread ON app.notifications (user_id, id DESC) WHERE read_at IS NULL;
-- To a record each of these happens once; a password can be changed many times.
CREATE UNIQUE INDEX notifications_once ON app.notifications (subject_id, kind)
  WHERE kind NOT IN ('password.changed', 'email.changed');

-- Letters that an account's owner has turned off. Those about its security cannot be.
CREATE TABLE app.muted_letters (
  user_id uuid NOT NULL REFERENCES app.users (id),
  kind text NOT NULL CHECK (kind ~ '^(deposit|investment|withdrawal|earning)\.'),
  PRIMARY KEY (user_id, kind)
);

-- By which a browser is known again at the next login: the SHA-256 of a random text that it keeps.
ALTER TABLE app.sessions ADD COLUMN device_hash bytea;

GRANT SELECT, INSERT, UPDATE (read_at), DELETE ON app.notifications TO probity_app;
GRANT SELECT, INSERT, DELETE ON app.muted_letters TO probity_app;

-- Every process hears of each change that is committed, and tells the open pages that it concerns (server/http/live.ts):
-- NOTIFY changed, 'topic user user …'. The withdrawals that are asked for at high rates come here as lists of one statement,
-- which tell it once, in a transaction that notifies anyway (of the job of their letters).
CREATE FUNCTION app.tell_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_users uuid[];
BEGIN
  SELECT array_agg(user_id) INTO v_users FROM changed;
  -- A notification holds 8000 bytes: some two hundred users.
  FOR i IN 1 .. coalesce(cardinality(v_users), 0) BY 200 LOOP
    PERFORM pg_notify('changed', TG_ARGV[0] || ' ' || array_to_string(v_users[i : i + 199], ' '));
  END LOOP;
  RETURN NULL;
END
$$;

DO $$
DECLARE
  topic text;
BEGIN
  FOREACH topic IN ARRAY ARRAY['deposits', 'investments', 'withdrawals', 'earnings', 'notifications'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON app.%I REFERENCING NEW TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.tell_changed(%L)', topic || '_added_told', topic, topic);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON app.%I REFERENCING NEW TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.tell_changed(%L)', topic || '_changed_told', topic, topic);
  END LOOP;
END
$$;

CREATE FUNCTION app.tell_user_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_notify('changed', 'users ' || NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER users_added_told AFTER INSERT ON app.users
  FOR EACH ROW EXECUTE FUNCTION app.tell_user_changed();
CREATE TRIGGER users_changed_told
  AFTER UPDATE OF type, name, email, phone, country, email_verified_at ON app.users
  FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION app.tell_user_changed();

-- Lists that are no single user's.
CREATE FUNCTION app.tell_list_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_notify('changed', TG_ARGV[0]);
  RETURN NULL;
END
$$;
CREATE TRIGGER returns_changed_told AFTER INSERT OR UPDATE ON app.returns
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('returns');
CREATE TRIGGER plan_versions_changed_told AFTER INSERT OR UPDATE ON app.plan_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('plans');
CREATE TRIGGER contact_messages_added_told AFTER INSERT ON app.contact_messages
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('messages');
