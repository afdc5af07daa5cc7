-- What two admins have decided; the newest version is in force. Before the first one, the configuration is.
CREATE TABLE app.setting_versions (
  version integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  large_withdrawal_cents bigint NOT NULL CHECK (large_withdrawal_cents > 0),
  earnings_second_approval boolean NOT NULL,
  -- A version comes from one proposal, and a proposal makes one version, whatever happens at the same time.
  proposal_id uuid NOT NULL UNIQUE REFERENCES app.proposals (id),
  created_at timestamptz NOT NULL
);
GRANT SELECT, INSERT ON app.setting_versions TO probity_app;

-- Whatever the application does: only what two admins have agreed on comes into force, and stays in the record.
CREATE FUNCTION app.guard_settings() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM app.proposals WHERE id = NEW.proposal_id AND kind = 'settings' AND status = 'approved') THEN
    RAISE EXCEPTION 'settings change by an approved proposal only' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER setting_versions_approved BEFORE INSERT ON app.setting_versions
  FOR EACH ROW EXECUTE FUNCTION app.guard_settings();
CREATE TRIGGER setting_versions_append_only BEFORE UPDATE OR DELETE ON app.setting_versions
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
-- Public pages say from which amount on a withdrawal needs two.
CREATE TRIGGER setting_versions_change_pages AFTER INSERT ON app.setting_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_pages_changed();
CREATE TRIGGER setting_versions_told AFTER INSERT ON app.setting_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('staff');
