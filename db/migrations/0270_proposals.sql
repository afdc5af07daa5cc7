-- A proposal begins as one that waits, and comes to its end by an update, which asks for a second account (0211).
CREATE FUNCTION app.guard_new_proposals() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NEW.status <> 'pending' THEN
    RAISE EXCEPTION 'a proposal begins as pending' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER proposals_begin_pending BEFORE INSERT ON app.proposals
  FOR EACH ROW EXECUTE FUNCTION app.guard_new_proposals();

-- What nobody has decided in time: it can be proposed again.
ALTER TABLE app.proposals DROP CONSTRAINT proposals_status_check;
ALTER TABLE app.proposals ADD CONSTRAINT proposals_status_check
  CHECK (status IN ('pending', 'approved', 'rejected', 'withdrawn', 'expired'));
