-- Withdrawals that the rails pay: what they are paid in coins, the batches that an offline or hardware wallet signs, and readings of
-- what lies on the chains (docs/decisions/0031-payout-batches.md).

-- What a withdrawal is paid in the coin: fixed with its last approval, or with its batch where there was no fresh rate then, and for good.
ALTER TABLE app.withdrawals
  ADD COLUMN payout_asset text CHECK (payout_asset IN ('BTC', 'ETH', 'USDT')),
  ADD COLUMN payout_units bigint CHECK (payout_units > 0),
  -- USD for one unit of the coin, in 10^-8 USD.
  ADD COLUMN payout_rate_e8 bigint CHECK (payout_rate_e8 > 0),
  ADD COLUMN payout_rate_at timestamptz,
  ADD COLUMN payout_rate_source text,
  ADD CONSTRAINT withdrawals_payout_check CHECK (
    num_nonnulls(payout_asset, payout_units, payout_rate_e8, payout_rate_at, payout_rate_source) IN (0, 5)
    AND (payout_units IS NULL OR status IN ('approved', 'paid')));

CREATE FUNCTION app.refuse_refixing() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'what a withdrawal is paid in its coin is fixed once' USING ERRCODE = 'PB910';
END
$$;
CREATE TRIGGER withdrawals_stay_fixed
  BEFORE UPDATE OF payout_asset, payout_units, payout_rate_e8, payout_rate_at, payout_rate_source ON app.withdrawals
  FOR EACH ROW WHEN (OLD.payout_units IS NOT NULL
    AND (OLD.payout_asset, OLD.payout_units, OLD.payout_rate_e8, OLD.payout_rate_at, OLD.payout_rate_source)
        IS DISTINCT FROM (NEW.payout_asset, NEW.payout_units, NEW.payout_rate_e8, NEW.payout_rate_at, NEW.payout_rate_source))
  EXECUTE FUNCTION app.refuse_refixing();

-- A file of transfers that somebody signs and broadcasts away from the server. It is made once; its bytes never change.
CREATE TABLE app.payout_batches (
  id uuid PRIMARY KEY,
  number text NOT NULL UNIQUE,
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  wallet text NOT NULL,
  asset text NOT NULL CHECK (asset IN ('BTC', 'ETH', 'USDT')),
  network text NOT NULL,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'seen', 'paid', 'cancelled')),
  -- The one address that it is paid from; NULL: from the outpoints of app.payout_inputs.
  payer text,
  units bigint NOT NULL CHECK (units > 0),
  -- Bitcoin's, in satoshi for a virtual byte and in satoshi; other networks' fees are the signing wallet's matter.
  fee_rate integer CHECK (fee_rate > 0),
  fee_units bigint CHECK (fee_units > 0),
  change_address text,
  change_units bigint CHECK (change_units > 0),
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 120),
  file_type text NOT NULL CHECK (file_type IN ('application/octet-stream', 'application/json')),
  file bytea NOT NULL CHECK (octet_length(file) BETWEEN 1 AND 5242880),
  file_sha256 bytea NOT NULL CHECK (file_sha256 = sha256(file)),
  made_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  -- Whoever alone can have the file, signs it and broadcasts it.
  holder_id uuid NOT NULL REFERENCES app.users (id),
  exported_at timestamptz,
  seen_at timestamptz,
  paid_at timestamptz,
  cancelled_at timestamptz,
  cancelled_by uuid REFERENCES app.users (id),
  cancel_reason text,
  CHECK (num_nonnulls(fee_rate, fee_units) IN (0, 2) AND (fee_rate IS NULL) = (payer IS NOT NULL)),
  CHECK (num_nonnulls(change_address, change_units) IN (0, 2)),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL) AND (status NOT IN ('seen', 'paid') OR seen_at IS NOT NULL)),
  CHECK (num_nonnulls(cancelled_at, cancelled_by, cancel_reason) = CASE status WHEN 'cancelled' THEN 3 ELSE 0 END)
);
CREATE INDEX payout_batches_under_way ON app.payout_batches (method) WHERE status IN ('open', 'seen');
CREATE INDEX payout_batches_ended ON app.payout_batches (method, coalesce(paid_at, cancelled_at));
CREATE INDEX payout_batches_by_status ON app.payout_batches (status, id);

-- The withdrawals of a batch, in the order of its file.
CREATE TABLE app.payout_items (
  batch_id uuid NOT NULL REFERENCES app.payout_batches (id),
  position smallint NOT NULL CHECK (position >= 0),
  withdrawal_id uuid NOT NULL REFERENCES app.withdrawals (id),
  address text NOT NULL,
  units bigint NOT NULL CHECK (units > 0),
  -- released: the batch was cancelled, or it was marked as paid by hand after its transfer had come with another amount.
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid', 'released')),
  -- The transfer that pays it, as far as it is seen: of it and of no other item.
  transaction_id text,
  transfer_position integer,
  -- What is wrong with what was seen on the chain, until it is right again or somebody has looked at it.
  fault text CHECK (fault IN ('amount', 'gone', 'cancelled')),
  fault_transaction text,
  fault_token text,
  fault_units bigint,
  fault_at timestamptz,
  PRIMARY KEY (batch_id, position),
  UNIQUE (batch_id, withdrawal_id),
  CHECK (num_nonnulls(transaction_id, transfer_position) IN (0, 2)),
  CHECK (num_nonnulls(fault, fault_transaction, fault_token, fault_units, fault_at) IN (0, 5)),
  CHECK (state <> 'paid' OR transaction_id IS NOT NULL)
);
-- Whatever the application does: a withdrawal is in one batch at a time, a transfer pays one of them, and a batch pays an address once.
CREATE UNIQUE INDEX payout_items_open ON app.payout_items (withdrawal_id) WHERE state = 'open';
CREATE UNIQUE INDEX payout_items_paid_by ON app.payout_items (transaction_id, transfer_position) WHERE transaction_id IS NOT NULL;
CREATE UNIQUE INDEX payout_items_addressed ON app.payout_items (batch_id, app.address_key(address));
CREATE INDEX payout_items_of_withdrawal ON app.payout_items (withdrawal_id);
CREATE INDEX payout_items_at_fault ON app.payout_items (batch_id) WHERE fault IS NOT NULL;

-- The outpoints that a batch spends: no other batch does, unless it was cancelled.
CREATE TABLE app.payout_inputs (
  batch_id uuid NOT NULL REFERENCES app.payout_batches (id),
  outpoint text NOT NULL,
  units bigint NOT NULL CHECK (units > 0),
  reserved boolean NOT NULL DEFAULT true,
  PRIMARY KEY (batch_id, outpoint)
);
CREATE UNIQUE INDEX payout_inputs_reserved ON app.payout_inputs (outpoint) WHERE reserved;

-- What lay at the watched addresses by the network's own account.
CREATE TABLE app.coverage_readings (
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  token text NOT NULL CHECK (token IN ('BTC', 'ETH', 'USDT', 'USDC')),
  at timestamptz NOT NULL,
  units bigint NOT NULL CHECK (units >= 0),
  -- How many addresses were asked for.
  addresses integer NOT NULL CHECK (addresses >= 0),
  PRIMARY KEY (method, token, at)
);
CREATE INDEX coverage_readings_oldest ON app.coverage_readings (at);

CREATE TRIGGER payout_batches_told AFTER INSERT OR UPDATE ON app.payout_batches
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('payouts');
CREATE TRIGGER payout_items_told AFTER UPDATE ON app.payout_items
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('payouts');

-- What a batch pays, from where and by which file is for good.
GRANT SELECT, INSERT, UPDATE (status, holder_id, exported_at, seen_at, paid_at, cancelled_at, cancelled_by, cancel_reason)
  ON app.payout_batches TO probity_app;
GRANT SELECT, INSERT, UPDATE (state, transaction_id, transfer_position, fault, fault_transaction, fault_token, fault_units, fault_at)
  ON app.payout_items TO probity_app;
GRANT SELECT, INSERT, UPDATE (reserved) ON app.payout_inputs TO probity_app;
GRANT SELECT, INSERT, DELETE ON app.coverage_readings TO probity_app;
