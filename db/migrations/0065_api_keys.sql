-- Keys with which the firm's own programs read (docs/decisions/0164-api-keys.md). Two admins decide each; its proposer then
-- creates its text, which only that answer has.
CREATE TABLE app.api_keys (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (name <> ''),
  -- Rights to read, as apiKeyRights of shared/roles.ts.
  rights text[] NOT NULL CHECK (rights <> '{}' AND rights <@ ARRAY['console', 'books', 'log']),
  -- IP addresses and CIDR ranges from which it works.
  addresses text[] NOT NULL CHECK (addresses <> '{}'),
  -- The last day of its use (UTC); apiKeyDays of shared/limits.ts.
  expires_on date NOT NULL,
  proposal_id uuid NOT NULL UNIQUE REFERENCES app.proposals (id),
  proposed_by uuid NOT NULL REFERENCES app.users (id),
  approved_at timestamptz NOT NULL,
  -- NULL until its text is created. The first characters are no secret: they tell keys apart.
  created_at timestamptz,
  beginning text,
  hash bytea UNIQUE CHECK (octet_length(hash) = 32),
  last_used_at timestamptz,
  last_used_ip text,
  last_refused_at timestamptz,
  last_refused_ip text,
  revoked_at timestamptz,
  revoked_by uuid REFERENCES app.users (id),
  CHECK (num_nonnulls(created_at, beginning, hash) IN (0, 3)),
  CHECK (num_nonnulls(last_used_at, last_used_ip) IN (0, 2)),
  CHECK (num_nonnulls(last_refused_at, last_refused_ip) IN (0, 2)),
  CHECK (num_nonnulls(revoked_at, revoked_by) IN (0, 2)),
  CHECK (expires_on <= (approved_at AT TIME ZONE 'UTC')::date + 365)
);
CREATE INDEX api_keys_of_proposer ON app.api_keys (proposed_by);
GRANT SELECT,
  INSERT (id, name, rights, addresses, expires_on, proposal_id, proposed_by, approved_at),
  UPDATE (created_at, beginning, hash, last_used_at, last_used_ip, last_refused_at, last_refused_ip, revoked_at, revoked_by)
  ON app.api_keys TO probity_app;

-- Guard: a key is exactly what two admins have decided.
CREATE FUNCTION app.guard_new_api_keys() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM app.proposals p
     WHERE p.id = NEW.proposal_id AND p.kind = 'api_key' AND p.status = 'approved' AND p.proposed_by = NEW.proposed_by
       AND p.content = jsonb_build_object('name', NEW.name, 'rights', to_jsonb(NEW.rights),
                                          'addresses', to_jsonb(NEW.addresses), 'until', to_char(NEW.expires_on, 'YYYY-MM-DD'))) THEN
    RAISE EXCEPTION 'an API key comes from an approved proposal, unchanged' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER api_keys_approved BEFORE INSERT ON app.api_keys
  FOR EACH ROW EXECUTE FUNCTION app.guard_new_api_keys();

-- Guard: the text is created once, and a revoked key stays revoked.
CREATE FUNCTION app.guard_api_keys() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'an API key is created once and revoked once' USING ERRCODE = 'PB920';
END
$$;
CREATE TRIGGER api_keys_once BEFORE UPDATE ON app.api_keys
  FOR EACH ROW WHEN (
    OLD.revoked_at IS NOT NULL
    OR OLD.hash IS NOT NULL AND (OLD.hash, OLD.beginning, OLD.created_at) IS DISTINCT FROM (NEW.hash, NEW.beginning, NEW.created_at))
  EXECUTE FUNCTION app.guard_api_keys();

CREATE TRIGGER api_keys_changed_notify AFTER INSERT OR UPDATE ON app.api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('integrations');
