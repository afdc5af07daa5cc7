-- What the firm shows to have: coins, by signatures that name the public log and blocks, and other assets, by documents
-- (docs/decisions/0127-reserves.md). What was written once never changes.

-- A message that the keys of some addresses sign, and what the addresses held in the blocks that it names.
CREATE TABLE app.reserve_proofs (
  id uuid PRIMARY KEY,
  asked_by uuid NOT NULL REFERENCES app.users,
  asked_at timestamptz(3) NOT NULL,
  -- A worker has read the balances and written the message for this epoch, or could not.
  epoch bigint REFERENCES ledger.epochs,
  message text,
  -- The unsigned proof of funds for Bitcoin's coins (BIP-322), if there are any.
  psbt bytea,
  failure text,
  published_by uuid REFERENCES app.users,
  published_at timestamptz(3),
  -- The files as the next epoch's end seals them, and the dollars that they show.
  reserves bytea,
  prices bytea,
  cents bigint CHECK (cents >= 0),
  sealed_epoch bigint UNIQUE,
  CHECK (num_nonnulls(epoch, message) IN (0, 2) AND (message IS NULL OR failure IS NULL)),
  CHECK (num_nonnulls(published_by, published_at, reserves, prices, cents) IN (0, 5)),
  CHECK (published_at IS NULL OR message IS NOT NULL),
  CHECK (sealed_epoch IS NULL OR published_at IS NOT NULL AND sealed_epoch > epoch)
);

CREATE TABLE app.reserve_addresses (
  proof uuid NOT NULL REFERENCES app.reserve_proofs,
  rail text NOT NULL CHECK (rail IN ('bitcoin', 'ethereum', 'usdt')),
  address text NOT NULL,
  PRIMARY KEY (proof, address)
);

CREATE TABLE app.reserve_holdings (
  proof uuid NOT NULL,
  address text NOT NULL,
  token text NOT NULL CHECK (token IN ('BTC', 'ETH', 'USDT', 'USDC')),
  units bigint NOT NULL CHECK (units > 0),
  height integer NOT NULL,
  is_contract boolean NOT NULL,
  PRIMARY KEY (proof, address, token),
  FOREIGN KEY (proof, address) REFERENCES app.reserve_addresses
);

CREATE TABLE app.reserve_signatures (
  proof uuid NOT NULL,
  address text NOT NULL,
  -- As reserves.csv has it (docs/proof-format.md).
  signature text NOT NULL,
  added_by uuid NOT NULL REFERENCES app.users,
  added_at timestamptz(3) NOT NULL,
  PRIMARY KEY (proof, address),
  FOREIGN KEY (proof, address) REFERENCES app.reserve_addresses
);

-- An asset that is not on a network: one person states it, and another confirms it.
CREATE TABLE app.reserve_documents (
  id uuid PRIMARY KEY,
  title text NOT NULL,
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  as_of date NOT NULL,
  sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
  source text NOT NULL,
  stated_by uuid NOT NULL REFERENCES app.users,
  stated_at timestamptz(3) NOT NULL,
  confirmed_by uuid REFERENCES app.users,
  confirmed_at timestamptz(3),
  withdrawn_by uuid REFERENCES app.users,
  withdrawn_at timestamptz(3),
  CONSTRAINT reserve_documents_two_people CHECK (confirmed_by <> stated_by),
  CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL) AND (withdrawn_by IS NULL) = (withdrawn_at IS NULL))
);
-- A document counts once.
CREATE UNIQUE INDEX reserve_documents_once ON app.reserve_documents (sha256) WHERE withdrawn_at IS NULL;

CREATE FUNCTION app.refuse_rewriting() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Every value that was there must still be there: what is NULL may be written once.
  IF NOT to_jsonb(NEW) @> jsonb_strip_nulls(to_jsonb(OLD)) THEN
    RAISE EXCEPTION 'refused: what was written about reserves stays' USING ERRCODE = 'PB202';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER reserve_proofs_write_once BEFORE UPDATE ON app.reserve_proofs
  FOR EACH ROW EXECUTE FUNCTION app.refuse_rewriting();
CREATE TRIGGER reserve_documents_write_once BEFORE UPDATE ON app.reserve_documents
  FOR EACH ROW EXECUTE FUNCTION app.refuse_rewriting();
CREATE TRIGGER reserve_proofs_stay BEFORE DELETE OR TRUNCATE ON app.reserve_proofs
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('what was written about reserves stays');
CREATE TRIGGER reserve_documents_stay BEFORE DELETE OR TRUNCATE ON app.reserve_documents
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('what was written about reserves stays');
CREATE TRIGGER reserve_addresses_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON app.reserve_addresses
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('what was written about reserves stays');
CREATE TRIGGER reserve_holdings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON app.reserve_holdings
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('what was written about reserves stays');
CREATE TRIGGER reserve_signatures_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON app.reserve_signatures
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('what was written about reserves stays');

GRANT SELECT, INSERT, UPDATE (epoch, message, psbt, failure, published_by, published_at, reserves, prices, cents, sealed_epoch)
  ON app.reserve_proofs TO probity_app;
GRANT SELECT, INSERT ON app.reserve_addresses, app.reserve_holdings, app.reserve_signatures TO probity_app;
GRANT SELECT, INSERT, UPDATE (confirmed_by, confirmed_at, withdrawn_by, withdrawn_at) ON app.reserve_documents TO probity_app;
