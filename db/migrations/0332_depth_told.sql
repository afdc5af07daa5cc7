-- With every block that is read, what waits for confirmations lies deeper: open pages that show it hear of it.
CREATE FUNCTION app.tell_depth() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_users uuid[];
BEGIN
  SELECT array_agg(DISTINCT d.user_id) INTO v_users
    FROM (SELECT user_id FROM app.deposits WHERE method = NEW.method AND open_units > 0 LIMIT 2000) d;
  -- A notification holds 8000 bytes: some two hundred users.
  FOR i IN 1 .. coalesce(cardinality(v_users), 0) BY 200 LOOP
    PERFORM pg_notify('changed', 'deposits ' || array_to_string(v_users[i : i + 199], ' '));
  END LOOP;
  IF EXISTS (SELECT FROM app.payout_batches WHERE method = NEW.method AND status = 'seen') THEN
    PERFORM pg_notify('changed', 'payouts');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER chain_cursors_told AFTER UPDATE OF tip_height ON app.chain_cursors
  FOR EACH ROW WHEN (OLD.tip_height <> NEW.tip_height) EXECUTE FUNCTION app.tell_depth();
