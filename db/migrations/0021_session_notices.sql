-- Every process hears at once of a session that ends, and refuses its access tokens from then on.
CREATE FUNCTION app.tell_revoked() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_notify('session_revoked', NEW.id::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER sessions_revoked_told AFTER UPDATE OF revoked_at ON app.sessions
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION app.tell_revoked();
