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

-- Keeps the first stamp of an authority on an epoch's checkpoint. The caller has verified it.
CREATE FUNCTION ledger.add_stamp(p_epoch bigint, p_authority text, p_response bytea, p_stamped_at timestamptz,
                                 p_received_at timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO ledger.stamps (epoch, authority, response, stamped_at, received_at)
  VALUES (p_epoch, p_authority, p_response, p_stamped_at, p_received_at) ON CONFLICT DO NOTHING
$$;

GRANT SELECT ON ledger.stamps TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.add_stamp TO probity_app;
