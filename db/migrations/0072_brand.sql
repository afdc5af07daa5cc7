-- The firm's own look, in versions; the newest is in force, and before the first one the product's own (record 168). The console
-- and emails show it, so two admins decide it.
CREATE TABLE app.brand_versions (
  version integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- As brandValues of shared/contract/brand.ts.
  look jsonb NOT NULL,
  proposal_id uuid NOT NULL UNIQUE REFERENCES app.proposals (id),
  created_at timestamptz NOT NULL
);
GRANT SELECT, INSERT ON app.brand_versions TO probity_app;

-- Guard: a look is exactly what two admins have approved, and it stays on record.
CREATE FUNCTION app.guard_brand() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM app.proposals p
     WHERE p.id = NEW.proposal_id AND p.kind = 'brand' AND p.status = 'approved' AND p.content -> 'after' = NEW.look
  ) THEN
    RAISE EXCEPTION 'the look changes by an approved proposal only' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER brand_versions_approved BEFORE INSERT ON app.brand_versions
  FOR EACH ROW EXECUTE FUNCTION app.guard_brand();
CREATE TRIGGER brand_versions_append_only BEFORE UPDATE OR DELETE ON app.brand_versions
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER brand_versions_happen_now BEFORE INSERT ON app.brand_versions
  FOR EACH ROW WHEN (NEW.created_at < now() - interval '5 minutes' OR NEW.created_at > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();

CREATE TRIGGER brand_versions_notify AFTER INSERT ON app.brand_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();
CREATE TRIGGER brand_versions_changed_notify AFTER INSERT ON app.brand_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('firm');
