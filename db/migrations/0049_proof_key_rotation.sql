-- The keys of the public proof, one after the other. The application makes the first of each purpose and no other: a thief who takes
-- it over cannot replace them, which needs the owner's login (npm run proof -- --rotate).

ALTER TABLE app.proof_keys
  -- The first epoch that it signs, or whose receipts it signs.
  ADD COLUMN since_epoch bigint NOT NULL DEFAULT 1 CHECK (since_epoch >= 1),
  ADD COLUMN made_on date NOT NULL DEFAULT current_date,
  -- Why the key before it was replaced; NULL for the first.
  ADD COLUMN reason text CHECK (reason IN ('planned', 'lost', 'stolen')),
  -- What the new key of the log has signed, and with a planned rotation the one before it (docs/proof-format.md).
  ADD COLUMN statement text,
  -- NULL once it signs nothing more.
  ALTER COLUMN sealed_seed DROP NOT NULL,
  DROP CONSTRAINT proof_keys_pkey,
  ADD PRIMARY KEY (purpose, since_epoch),
  ADD CHECK ((since_epoch = 1) = (reason IS NULL)),
  ADD CHECK ((statement IS NOT NULL) = (reason IS NOT NULL AND purpose = 'log'));

ALTER TABLE app.proof_keys ALTER COLUMN since_epoch DROP DEFAULT, ALTER COLUMN made_on DROP DEFAULT;
CREATE UNIQUE INDEX proof_keys_public_key ON app.proof_keys (public_key);
CREATE TRIGGER proof_keys_stay BEFORE DELETE OR TRUNCATE ON app.proof_keys
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('keys of the public proof stay');
CREATE TRIGGER proof_keys_retired BEFORE UPDATE ON app.proof_keys
  FOR EACH ROW WHEN (OLD.sealed_seed IS NULL AND NEW.sealed_seed IS NOT NULL)
  EXECUTE FUNCTION ledger.refuse_change('a replaced key signs nothing more');

-- Keeps the first key of a purpose, unless there is one.
CREATE FUNCTION ledger.add_first_proof_key(p_purpose text, p_name text, p_public_key bytea, p_sealed_seed bytea, p_on date)
RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO app.proof_keys (purpose, name, public_key, sealed_seed, since_epoch, made_on)
  VALUES (p_purpose, p_name, p_public_key, p_sealed_seed, 1, p_on) ON CONFLICT (purpose, since_epoch) DO NOTHING
$$;

-- Replaces a key from the next epoch's end on. For the owner alone. A lost or stolen one signs nothing more.
CREATE FUNCTION ledger.replace_proof_key(p_key app.proof_keys) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_next bigint := (SELECT coalesce(max(number), 0) + 1 FROM ledger.epochs);
BEGIN
  IF p_key.since_epoch <> v_next OR NOT EXISTS (SELECT FROM app.proof_keys k WHERE k.purpose = p_key.purpose AND k.since_epoch < v_next
                                                                    AND k.name = p_key.name) THEN
    RAISE EXCEPTION 'refused: a key of the public proof begins with the next epoch, %, and keeps its name', v_next USING ERRCODE = 'PB202';
  END IF;
  IF p_key.reason <> 'planned' THEN
    UPDATE app.proof_keys SET sealed_seed = NULL WHERE purpose = p_key.purpose;
  END IF;
  INSERT INTO app.proof_keys SELECT p_key.*;
END
$$;

REVOKE INSERT ON app.proof_keys FROM probity_app;
GRANT EXECUTE ON FUNCTION ledger.add_first_proof_key TO probity_app;
