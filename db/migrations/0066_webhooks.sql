-- Events of which we notify the firm's own programs, signed (docs/decisions/0165-webhooks.md). Two admins decide each endpoint.
CREATE TABLE app.webhooks (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (name <> ''),
  url text NOT NULL CHECK (url ~ '^https?://'),
  -- As webhookEvents of shared/webhooks.ts.
  events text[] NOT NULL CHECK (events <> '{}'),
  proposal_id uuid NOT NULL UNIQUE REFERENCES app.proposals (id),
  proposed_by uuid NOT NULL REFERENCES app.users (id),
  approved_at timestamptz NOT NULL,
  -- Sealed. The former one signs too until then. Nothing is sent before the first is created.
  secret bytea,
  former_secret bytea,
  former_until timestamptz,
  -- While a worker sends, a lease: a killed worker's runs out.
  sending_until timestamptz,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  next_attempt_at timestamptz,
  -- Given up, or stopped by an admin; an admin resumes it.
  stopped_at timestamptz,
  removed_at timestamptz,
  removed_by uuid REFERENCES app.users (id),
  CHECK (num_nonnulls(former_secret, former_until) IN (0, 2)),
  CHECK (num_nonnulls(removed_at, removed_by) IN (0, 2)),
  CHECK ((failures = 0) = (failing_since IS NULL))
);
CREATE INDEX webhooks_of_proposer ON app.webhooks (proposed_by);
GRANT SELECT,
  INSERT (id, name, url, events, proposal_id, proposed_by, approved_at),
  UPDATE (secret, former_secret, former_until, sending_until, failures, failing_since, next_attempt_at, stopped_at, removed_at, removed_by)
  ON app.webhooks TO probity_app;

CREATE FUNCTION app.guard_new_webhooks() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM app.proposals p
     WHERE p.id = NEW.proposal_id AND p.kind = 'webhook' AND p.status = 'approved' AND p.proposed_by = NEW.proposed_by
       AND p.content = jsonb_build_object('name', NEW.name, 'url', NEW.url, 'events', to_jsonb(NEW.events))) THEN
    RAISE EXCEPTION 'a webhook comes from an approved proposal, unchanged' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER webhooks_approved BEFORE INSERT ON app.webhooks
  FOR EACH ROW EXECUTE FUNCTION app.guard_new_webhooks();

CREATE FUNCTION app.guard_webhooks() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'a removed webhook stays removed' USING ERRCODE = 'PB920';
END
$$;
CREATE TRIGGER webhooks_removed_once BEFORE UPDATE ON app.webhooks
  FOR EACH ROW WHEN (OLD.removed_at IS NOT NULL) EXECUTE FUNCTION app.guard_webhooks();

-- One message to one endpoint; its id is the webhook-id of every attempt.
CREATE TABLE app.webhook_deliveries (
  id uuid PRIMARY KEY,
  webhook_id uuid NOT NULL REFERENCES app.webhooks (id),
  event text NOT NULL,
  -- The record; NULL for a test.
  subject_id uuid,
  happened_at timestamptz NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  -- The body, from the first attempt on: every attempt has the same bytes.
  body text,
  attempts integer NOT NULL DEFAULT 0,
  attempted_at timestamptz,
  took_ms integer,
  response_status integer,
  -- The first characters of the answer, or why there was none.
  response text
);
CREATE INDEX webhook_deliveries_log ON app.webhook_deliveries (webhook_id, id DESC);
CREATE INDEX webhook_deliveries_pending ON app.webhook_deliveries (webhook_id, id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_oldest ON app.webhook_deliveries (happened_at);
-- No INSERT: events come by their triggers, tests by add_webhook_test.
GRANT SELECT, UPDATE (status, body, attempts, attempted_at, took_ms, response_status, response), DELETE
  ON app.webhook_deliveries TO probity_app;

CREATE FUNCTION app.guard_webhook_bodies() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'the body of a message stays' USING ERRCODE = 'PB920';
END
$$;
CREATE TRIGGER webhook_bodies_written_once BEFORE UPDATE OF body ON app.webhook_deliveries
  FOR EACH ROW WHEN (OLD.body IS NOT NULL AND NEW.body IS DISTINCT FROM OLD.body) EXECUTE FUNCTION app.guard_webhook_bodies();

-- A UUIDv7 (RFC 9562, 6.2, method 3), so that messages sort by their time; PostgreSQL has a function of its own from 18 on.
CREATE FUNCTION app.new_message_id() RETURNS uuid
LANGUAGE sql VOLATILE SET search_path = pg_catalog AS $$
  SELECT encode(overlay(overlay(uuid_send(gen_random_uuid())
           PLACING substring(int8send(t.us / 1000) FROM 3) FROM 1 FOR 6)
           PLACING substring(int4send((x'7000'::int + t.us % 1000 * 4096 / 1000)::int) FROM 3) FROM 7 FOR 2), 'hex')::uuid
    FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us) t
$$;

-- Stores what endpoints have chosen, in the transaction of the event. Only the owner's triggers below may call it.
CREATE FUNCTION app.add_webhook_events(p_events text[], p_subjects uuid[]) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO app.webhook_deliveries (id, webhook_id, event, subject_id, happened_at)
  SELECT app.new_message_id(), w.id, e.event, e.subject, clock_timestamp()
    FROM app.webhooks w
    JOIN unnest(p_events, p_subjects) AS e (event, subject) ON e.event = ANY (w.events)
   WHERE w.removed_at IS NULL
$$;

-- The test message of an endpoint, as testEvent of shared/webhooks.ts.
CREATE FUNCTION app.add_webhook_test(p_webhook uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO app.webhook_deliveries (id, webhook_id, event, happened_at)
  VALUES (app.new_message_id(), p_webhook, 'webhook.test', clock_timestamp())
$$;
GRANT EXECUTE ON FUNCTION app.add_webhook_test TO probity_app;

CREATE FUNCTION app.webhooks_of_notifications() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM app.add_webhook_events(array_agg(kind), array_agg(subject_id)) FROM added;
  RETURN NULL;
END
$$;
CREATE TRIGGER notifications_webhooks AFTER INSERT ON app.notifications REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION app.webhooks_of_notifications();

CREATE FUNCTION app.webhooks_of_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM app.add_webhook_events(array_agg(TG_ARGV[0]), array_agg(id)) FROM added;
  RETURN NULL;
END
$$;
CREATE TRIGGER withdrawals_webhooks AFTER INSERT ON app.withdrawals REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION app.webhooks_of_rows('withdrawal.requested');
CREATE TRIGGER contact_messages_webhooks AFTER INSERT ON app.contact_messages REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION app.webhooks_of_rows('message.received');

CREATE FUNCTION app.webhooks_of_entries() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM app.add_webhook_events(array_agg('message.received'::text), array_agg(message_id)) FROM added WHERE kind = 'message';
  RETURN NULL;
END
$$;
CREATE TRIGGER contact_entries_webhooks AFTER INSERT ON app.contact_entries REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION app.webhooks_of_entries();

-- Wakes workers once the transaction commits, by one job for each webhook. Not in the triggers above: functions of the queue are
-- the application's, and must not run with the owner's rights. No job key: transactions would wait for each other, and a job
-- that already runs would swallow the call.
CREATE FUNCTION app.wake_webhooks() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  -- Those of this transaction; a savepoint that is rolled back takes them back with their jobs.
  v_woken text := coalesce(current_setting('app.woken_webhooks', true), '');
  v_id uuid;
BEGIN
  FOR v_id IN SELECT DISTINCT webhook_id FROM app.webhook_deliveries WHERE happened_at >= now() LOOP
    CONTINUE WHEN strpos(v_woken, v_id::text) > 0;
    PERFORM graphile_worker.add_job('deliver_webhooks', json_build_object('id', v_id), flags => app.trace_flags());
    v_woken := v_woken || v_id::text;
    PERFORM set_config('app.woken_webhooks', v_woken, true);
  END LOOP;
  RETURN NULL;
END
$$;
-- By their names they fire after those that store.
CREATE TRIGGER notifications_webhooks_wake AFTER INSERT ON app.notifications
  FOR EACH STATEMENT EXECUTE FUNCTION app.wake_webhooks();
CREATE TRIGGER withdrawals_webhooks_wake AFTER INSERT ON app.withdrawals
  FOR EACH STATEMENT EXECUTE FUNCTION app.wake_webhooks();
CREATE TRIGGER contact_messages_webhooks_wake AFTER INSERT ON app.contact_messages
  FOR EACH STATEMENT EXECUTE FUNCTION app.wake_webhooks();
CREATE TRIGGER contact_entries_webhooks_wake AFTER INSERT ON app.contact_entries
  FOR EACH STATEMENT EXECUTE FUNCTION app.wake_webhooks();

-- Pages show these columns, not the lease. A message by row: most statements of events add none.
CREATE TRIGGER webhooks_changed_notify
  AFTER INSERT OR UPDATE OF secret, former_until, failing_since, next_attempt_at, stopped_at, removed_at ON app.webhooks
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('integrations');
CREATE TRIGGER webhook_deliveries_added_notify AFTER INSERT ON app.webhook_deliveries
  FOR EACH ROW EXECUTE FUNCTION app.notify_list_changed('integrations');
CREATE TRIGGER webhook_deliveries_changed_notify AFTER UPDATE OF status, attempts ON app.webhook_deliveries
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('integrations');
