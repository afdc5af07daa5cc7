-- Erasing an investor's proof secret (decision 126): from then on their tags are noise, for the firm as well.
ALTER TABLE app.proof_secrets ADD COLUMN erased_at timestamptz(3);
ALTER TABLE app.proof_secrets ADD CONSTRAINT proof_secrets_erased CHECK ((sealed_secret IS NULL) = (erased_at IS NOT NULL));
GRANT UPDATE (erased_at) ON app.proof_secrets TO probity_app;

CREATE FUNCTION app.keep_secret_erased() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'refused: an erased proof secret stays erased' USING ERRCODE = 'PB202';
END
$$;
CREATE TRIGGER proof_secrets_stay_erased BEFORE UPDATE OR DELETE ON app.proof_secrets
  FOR EACH ROW WHEN (OLD.erased_at IS NOT NULL) EXECUTE FUNCTION app.keep_secret_erased();

-- Forgets which parts of the trees of liabilities were those of an investor whose secret is erased.
CREATE FUNCTION ledger.forget_parts(p_owner uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DELETE FROM ledger.epoch_parts
   WHERE owner = p_owner AND EXISTS (SELECT FROM app.proof_secrets WHERE user_id = p_owner AND erased_at IS NOT NULL)
$$;
GRANT EXECUTE ON FUNCTION ledger.forget_parts TO probity_app;
