-- Every process hears at once when something changes that the public pages show, and makes them anew.
CREATE FUNCTION app.tell_pages_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  -- Of equal notifications in one transaction PostgreSQL sends one.
  PERFORM pg_notify('pages_changed', '');
  RETURN NULL;
END
$$;

CREATE TRIGGER plan_versions_told AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON app.plan_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_pages_changed();
CREATE TRIGGER firm_profiles_told AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON app.firm_profiles
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_pages_changed();
CREATE TRIGGER statistics_told AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON app.statistics
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_pages_changed();
CREATE TRIGGER invariant_runs_told AFTER INSERT ON ledger.invariant_runs
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_pages_changed();
