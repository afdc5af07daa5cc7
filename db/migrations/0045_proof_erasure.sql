-- Erasing an investor's proof secret (decision 126): from then on their tags are noise, for the firm as well.
ALTER TABLE app.proof_secrets ADD COLUMN erased_at timestamptz(3);
ALTER TABLE app.proof_secrets ADD CONSTRAINT proof_secrets_erased CHECK ((sealed_secret IS NULL) = (erased_at IS NOT NULL));

CREATE FUNCTION app.keep_secret_erased() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'refused: an erased proof secret stays erased' USING ERRCODE = 'PB202';
END
$$;
CREATE TRIGGER proof_secrets_stay_erased BEFORE UPDATE OR DELETE ON app.proof_secrets
  FOR EACH ROW WHEN (OLD.erased_at IS NOT NULL) EXECUTE FUNCTION app.keep_secret_erased();

-- Erases the secret of an investor, and forgets which parts of the trees of liabilities were theirs. Returns why it may not be
-- erased, or NULL if it is. Of one frozen account without money at a time, that has entries, all of them published under the
-- secret: so also a thief of the application's login erases no other.
CREATE FUNCTION app.erase_proof_secret(p_user uuid, p_at timestamptz) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_frozen timestamptz;
BEGIN
  SELECT frozen_at INTO v_frozen FROM app.users WHERE id = p_user FOR UPDATE;
  IF EXISTS (SELECT FROM app.proof_secrets WHERE user_id = p_user AND erased_at IS NOT NULL) THEN
    RETURN 'already_erased';
  END IF;
  IF v_frozen IS NULL THEN
    RETURN 'not_frozen';
  END IF;
  IF EXISTS (SELECT FROM ledger.accounts WHERE owner = p_user AND balance <> 0)
     OR EXISTS (SELECT FROM app.deposits WHERE user_id = p_user AND status = 'pending') THEN
    RETURN 'has_money';
  END IF;
  IF EXISTS (SELECT FROM ledger.accounts a
              CROSS JOIN LATERAL (SELECT transaction_id FROM ledger.entries
                                   WHERE account_id = a.id ORDER BY version DESC LIMIT 1) newest
              WHERE a.owner = p_user
                AND NOT EXISTS (SELECT FROM ledger.log l WHERE l.transaction_id = newest.transaction_id
                                   AND l.index < (SELECT max(size) FROM ledger.epochs))) THEN
    RETURN 'not_published';
  END IF;
  IF NOT EXISTS (SELECT FROM ledger.entries e JOIN ledger.accounts a ON a.id = e.account_id WHERE a.owner = p_user) THEN
    RETURN 'nothing_published';
  END IF;
  INSERT INTO app.proof_secrets (user_id, sealed_secret, erased_at) VALUES (p_user, NULL, p_at)
      ON CONFLICT (user_id) DO UPDATE SET sealed_secret = NULL, erased_at = p_at;
  DELETE FROM ledger.epoch_parts WHERE owner = p_user;
  RETURN NULL;
END
$$;
GRANT EXECUTE ON FUNCTION app.erase_proof_secret TO probity_app;
