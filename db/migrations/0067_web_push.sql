-- Browsers that show notifications of an account (docs/decisions/0171-app-and-push.md). A row is where to send and with which
-- keys; it lasts no longer than its browser is logged in.
CREATE TABLE app.push_devices (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  -- The login, whose row goes some time after its end, and the browser's device id, as app.sessions has it.
  session_id uuid NOT NULL,
  device_hash bytea,
  user_agent text,
  -- The SHA-256 of the address: a browser has one, no matter who uses it.
  endpoint_hash bytea NOT NULL UNIQUE CHECK (octet_length(endpoint_hash) = 32),
  -- Address and keys, sealed under TOKEN_SECRET: who has them can show this browser anything.
  sealed bytea NOT NULL,
  -- The notices last queued for it, by their tags: an email that is tried again must not queue them again.
  queued text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL
);
CREATE INDEX push_devices_of_user ON app.push_devices (user_id);
GRANT SELECT, INSERT, UPDATE (sealed, queued), DELETE ON app.push_devices TO probity_app;

-- Guard: only somebody who is logged in adds a browser, and to their own account. The lock lets nobody end the login
-- before its device can be seen.
CREATE FUNCTION app.guard_push_devices() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM FROM app.sessions s
    WHERE s.id = NEW.session_id AND s.user_id = NEW.user_id AND s.revoked_at IS NULL AND s.expires_at > now()
      FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a device is added by its owner, logged in' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER push_devices_of_session BEFORE INSERT ON app.push_devices
  FOR EACH ROW EXECUTE FUNCTION app.guard_push_devices();
