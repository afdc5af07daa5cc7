-- Time stamps (RFC 3161) over the checkpoints of the public log, as an authority answered. They come after the epoch's
-- commit.

CREATE TABLE ledger.stamps (
  epoch bigint NOT NULL REFERENCES ledger.epochs,
  -- The authority's host: the file is epochs/<n>/stamps/<authority>.tsr.
  authority text NOT NULL CHECK (authority ~ '^[a-z0-9][a-z0-9.-]{0,62}$'),
  response bytea NOT NULL CHECK (octet_length(response) BETWEEN 1 AND 100000),
  stamped_at timestamptz(3) NOT NULL,
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (epoch, authority)
);

CREATE TRIGGER stamps_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.stamps
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('stamps of the public log stay');

-- The page of the public proof shows the newest.
CREATE TRIGGER stamps_notify AFTER INSERT ON ledger.stamps
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();

-- Authorities that stamp one checkpoint. A firm has one, and sometimes replaces it.
CREATE FUNCTION ledger.most_stamps() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Keeps the first stamp of an authority on an epoch's checkpoint. The caller has verified it; here only its form is known: DER
-- that has the checkpoint's hash in it.
CREATE FUNCTION ledger.add_stamp(p_epoch bigint, p_authority text, p_response bytea, p_stamped_at timestamptz,
                                 p_received_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_epoch ledger.epochs;
BEGIN
  SELECT * INTO v_epoch FROM ledger.epochs WHERE number = p_epoch FOR NO KEY UPDATE;
  IF (get_byte(p_response, 0) = 48 AND position(sha256(convert_to(v_epoch.checkpoint, 'UTF8')) IN p_response) > 0) IS NOT TRUE THEN
    RAISE EXCEPTION 'refused: this is not a time stamp of epoch %', p_epoch USING ERRCODE = 'PB202';
  END IF;
  IF (SELECT count(*) FROM ledger.stamps WHERE epoch = p_epoch) >= ledger.most_stamps() THEN
    RAISE EXCEPTION 'refused: epoch % has % time stamps', p_epoch, ledger.most_stamps() USING ERRCODE = 'PB202';
  END IF;
  INSERT INTO ledger.stamps (epoch, authority, response, stamped_at, received_at)
  VALUES (p_epoch, p_authority, p_response, p_stamped_at, p_received_at) ON CONFLICT DO NOTHING;
END
$$;

GRANT SELECT ON ledger.stamps TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.add_stamp TO probity_app;
