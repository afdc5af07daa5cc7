-- Cosignatures of the public log's checkpoints: who else has seen it, and that it only grew (C2SP tlog-cosignature). They
-- come after the epoch's commit, and are published as further lines of its checkpoint.

CREATE TABLE ledger.cosignatures (
  epoch bigint NOT NULL REFERENCES ledger.epochs,
  -- A witness has seen that the log continues; an auditor has recomputed it with all lines of investors opened.
  kind text NOT NULL CHECK (kind IN ('witness', 'auditor')),
  -- `<name>+<key id>+<base64>` (C2SP signed-note)
  vkey text NOT NULL CHECK (vkey ~ '^[^[:space:]+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$'),
  name text NOT NULL GENERATED ALWAYS AS (split_part(vkey, '+', 1)) STORED,
  -- The line of the note, without its line end.
  line text NOT NULL CHECK (octet_length(line) <= 1000),
  cosigned_at timestamptz(0) NOT NULL,
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (epoch, vkey),
  CHECK (line ~ '^— [^[:space:]+]+ [A-Za-z0-9+/]+=*$' AND starts_with(line, '— ' || split_part(vkey, '+', 1) || ' '))
);

-- What each witness answered last. It may know more of the log than a restored database has.
CREATE TABLE app.witnesses (
  vkey text PRIMARY KEY,
  -- Leaves of the log that it says it has seen.
  size bigint NOT NULL CHECK (size >= 0),
  asked_at timestamptz(3) NOT NULL,
  -- `forked`: it has cosigned what this database does not continue, so nothing more may be signed.
  state text NOT NULL CHECK (state IN ('cosigned', 'unreachable', 'refused', 'forked')),
  problem text,
  CHECK ((state = 'cosigned') = (problem IS NULL))
);

-- The witnesses that the firm asks, and how many of them it wants (C2SP tlog-policy), as it publishes them.
CREATE TABLE app.witness_policy (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  policy text NOT NULL
);

CREATE TRIGGER cosignatures_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.cosignatures
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('cosignatures of the public log stay');

-- The page of the public proof shows who has cosigned.
CREATE TRIGGER cosignatures_notify AFTER INSERT ON ledger.cosignatures
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();

-- Verifiers read at most 100 signatures of a checkpoint (verifier/note.mjs).
CREATE FUNCTION ledger.most_cosignatures() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 50;

-- Keeps the first cosignature of a key on an epoch's checkpoint. The caller has verified it; here only its form is known
-- (C2SP tlog-cosignature): key id, time, Ed25519 signature.
CREATE FUNCTION ledger.add_cosignature(p_epoch bigint, p_kind text, p_vkey text, p_line text, p_cosigned_at timestamptz,
                                       p_received_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_name text := split_part(p_vkey, '+', 1);
  v_key bytea;
  v_signature bytea;
BEGIN
  IF p_vkey ~ '^[^[:space:]+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$' AND p_line ~ '^— [^[:space:]+]+ [A-Za-z0-9+/]{102}==$' THEN
    v_key := decode(right(p_vkey, 44), 'base64');
    v_signature := decode(right(p_line, 104), 'base64');
  END IF;
  IF (substr(v_key, 1, 1) = '\x04' AND substr(v_signature, 1, 4) = ledger.key_id(v_name, v_key)
      AND encode(substr(v_signature, 1, 4), 'hex') = split_part(p_vkey, '+', 2)
      AND encode(substr(v_signature, 5, 8), 'hex') = lpad(to_hex(floor(extract(epoch FROM p_cosigned_at))::bigint), 16, '0')) IS NOT TRUE THEN
    RAISE EXCEPTION 'refused: this is not a cosignature of %', v_name USING ERRCODE = 'PB202';
  END IF;
  PERFORM FROM ledger.epochs WHERE number = p_epoch FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM ledger.cosignatures WHERE epoch = p_epoch) >= ledger.most_cosignatures() THEN
    RAISE EXCEPTION 'refused: the checkpoint of epoch % has % cosignatures', p_epoch, ledger.most_cosignatures() USING ERRCODE = 'PB202';
  END IF;
  INSERT INTO ledger.cosignatures (epoch, kind, vkey, line, cosigned_at, received_at)
  VALUES (p_epoch, p_kind, p_vkey, p_line, p_cosigned_at, p_received_at) ON CONFLICT (epoch, vkey) DO NOTHING;
END
$$;

-- The checkpoint of an epoch as it is published: the signed note with the cosignatures that have come.
CREATE FUNCTION ledger.published_checkpoint(p_epoch bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT checkpoint || coalesce((SELECT string_agg(line || E'\n', '' ORDER BY received_at, vkey)
                                   FROM ledger.cosignatures WHERE epoch = p_epoch), '')
    FROM ledger.epochs WHERE number = p_epoch
$$;

GRANT SELECT ON ledger.cosignatures TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.add_cosignature, ledger.published_checkpoint TO probity_app;
GRANT SELECT, INSERT, UPDATE ON app.witnesses TO probity_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.witness_policy TO probity_app;
