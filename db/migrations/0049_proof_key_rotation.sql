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

-- Deletes the seeds of a purpose's keys before this one, once it signs: an epoch of its own has ended.
CREATE FUNCTION ledger.retire_proof_keys(p_purpose text, p_before bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE app.proof_keys SET sealed_seed = NULL
   WHERE purpose = p_purpose AND sealed_seed IS NOT NULL
     AND since_epoch < least(p_before, (SELECT max(k.since_epoch) FROM app.proof_keys k
                                         WHERE k.purpose = p_purpose AND k.since_epoch <= (SELECT max(number) FROM ledger.epochs)))
$$;

-- What a resealed secret or seed was before, at least for so long: a thief of the application's login can write anything in its
-- place, which stops the log, and destroys nothing before the owner can put it back. Only the owner can read it.
CREATE FUNCTION app.former_seal_life() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 days';

CREATE TABLE app.former_proof_seals (
  -- An investor's secret, or a key's purpose and first epoch.
  user_id uuid,
  purpose text,
  since_epoch bigint,
  sealed bytea NOT NULL,
  replaced_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((user_id IS NULL) = (purpose IS NOT NULL) AND (purpose IS NULL) = (since_epoch IS NULL))
);
CREATE INDEX former_proof_seals_of_user ON app.former_proof_seals (user_id);
CREATE INDEX former_proof_seals_due ON app.former_proof_seals (replaced_at);

-- Keeps the value before; of what is deleted on purpose, none.
CREATE FUNCTION app.keep_former_seal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME = 'proof_secrets' THEN
    IF NEW.sealed_secret IS NULL THEN
      DELETE FROM app.former_proof_seals WHERE user_id = NEW.user_id;
    ELSE
      INSERT INTO app.former_proof_seals (user_id, sealed) VALUES (OLD.user_id, OLD.sealed_secret);
    END IF;
  ELSIF NEW.sealed_seed IS NULL THEN
    DELETE FROM app.former_proof_seals f WHERE f.purpose = NEW.purpose AND f.since_epoch = NEW.since_epoch;
  ELSE
    INSERT INTO app.former_proof_seals (purpose, since_epoch, sealed) VALUES (OLD.purpose, OLD.since_epoch, OLD.sealed_seed);
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER proof_secrets_keep_former BEFORE UPDATE ON app.proof_secrets
  FOR EACH ROW WHEN (OLD.sealed_secret IS NOT NULL AND OLD.sealed_secret IS DISTINCT FROM NEW.sealed_secret)
  EXECUTE FUNCTION app.keep_former_seal();
CREATE TRIGGER proof_keys_keep_former BEFORE UPDATE ON app.proof_keys
  FOR EACH ROW WHEN (OLD.sealed_seed IS NOT NULL AND OLD.sealed_seed IS DISTINCT FROM NEW.sealed_seed)
  EXECUTE FUNCTION app.keep_former_seal();

-- Deletes what has been kept for that time. Returns how many values.
CREATE FUNCTION app.drop_former_seals() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH dropped AS (DELETE FROM app.former_proof_seals WHERE replaced_at < now() - app.former_seal_life() RETURNING 1)
  SELECT count(*) FROM dropped
$$;

-- Reseals under another TOKEN_SECRET, unless it was resealed or deleted meanwhile.
CREATE FUNCTION app.reseal_proof_secret(p_user uuid, p_old bytea, p_new bytea) RETURNS void
LANGUAGE sql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE app.proof_secrets SET sealed_secret = p_new WHERE user_id = p_user AND sealed_secret = p_old
$$;
CREATE FUNCTION ledger.reseal_proof_key(p_purpose text, p_since_epoch bigint, p_old bytea, p_new bytea) RETURNS void
LANGUAGE sql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE app.proof_keys SET sealed_seed = p_new WHERE purpose = p_purpose AND since_epoch = p_since_epoch AND sealed_seed = p_old
$$;

GRANT EXECUTE ON FUNCTION ledger.add_first_proof_key, ledger.retire_proof_keys, ledger.reseal_proof_key, app.reseal_proof_secret,
  app.drop_former_seals TO probity_app;
