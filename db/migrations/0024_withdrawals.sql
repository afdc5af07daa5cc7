-- Withdrawals: the address book, the requests, their approvals, and the batches that an offline or hardware wallet
-- signs (docs/decisions/0017-reauthentication-and-address-book.md, 0031-payout-batches.md).

-- An investor's withdrawal addresses. A removed entry stays for the record; the same address is then new again.
CREATE TABLE app.payout_addresses (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  wallet text NOT NULL,
  address text NOT NULL,
  label text CHECK (label <> '' AND length(label) <= 60),
  created_at timestamptz NOT NULL,
  -- No withdrawal goes there before this time; NULL: usable at once. The application sets it with the entry
  -- (address-book.ts).
  usable_from timestamptz CHECK (usable_from > created_at),
  first_used_at timestamptz,
  removed_at timestamptz
);
CREATE UNIQUE INDEX payout_addresses_in_book ON app.payout_addresses (user_id, wallet, app.address_key(address))
  WHERE removed_at IS NULL;
CREATE INDEX payout_addresses_of_user ON app.payout_addresses (user_id, id DESC) WHERE removed_at IS NULL;
-- New entries of an hour, removed ones too.
CREATE INDEX payout_addresses_ever ON app.payout_addresses (user_id, id DESC);
-- An entry's address and time never change.
GRANT SELECT, INSERT, UPDATE (label, first_used_at, removed_at) ON app.payout_addresses TO probity_app;

CREATE TABLE app.withdrawals (
  id uuid PRIMARY KEY,
  invoice_id text NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES app.users (id),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  wallet text NOT NULL,
  address text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'paid', 'declined')),
  hold_id uuid NOT NULL,
  -- Up to this sum in 24 hours, of one investor or of one approver, one person may approve; fixed at the request (D7).
  single_approval_cents bigint NOT NULL CHECK (single_approval_cents > 0),
  -- How many different people must approve. It can rise until they have (app.approvals_needed in 0033).
  approvals_needed smallint NOT NULL CHECK (approvals_needed BETWEEN 1 AND 2),
  -- Why a second person had to approve an amount below that sum: the sum of the investor's day, or of the approver's.
  second_approval text CHECK (second_approval IN ('investor_day', 'approver_day')),
  created_at timestamptz NOT NULL DEFAULT now(),
  approved_at timestamptz,
  paid_at timestamptz,
  -- Who marked it as paid; NULL: a worker recognised the payment on its network.
  paid_by uuid REFERENCES app.users (id),
  transaction_id text,
  decline_reason text,
  -- The part of the freed money that repaid its owner's debt.
  recovered_cents bigint NOT NULL DEFAULT 0 CHECK (recovered_cents BETWEEN 0 AND amount_cents),
  -- The coin amount and its rate in 10^-8 USD, locked for good with the last approval, or with the batch if no fresh
  -- rate was available then.
  payout_asset text CHECK (payout_asset IN ('BTC', 'ETH', 'USDT')),
  payout_units bigint CHECK (payout_units > 0),
  payout_rate_e8 bigint CHECK (payout_rate_e8 > 0),
  payout_rate_at timestamptz,
  payout_rate_source text,
  CHECK (approvals_needed > 1 OR amount_cents <= single_approval_cents AND second_approval IS NULL),
  CHECK ((status = 'paid') = (transaction_id IS NOT NULL AND paid_at IS NOT NULL) AND (paid_by IS NULL OR status = 'paid')),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL)),
  -- A withdrawal that was approved and then declined (a reorg took its owner's payment) keeps its locked rate.
  CONSTRAINT withdrawals_payout_check CHECK (
         num_nonnulls(payout_asset, payout_units, payout_rate_e8, payout_rate_at, payout_rate_source) IN (0, 5)
         AND (payout_units IS NULL OR status IN ('approved', 'paid') OR status = 'declined' AND approved_at IS NOT NULL))
);
CREATE INDEX withdrawals_of_user ON app.withdrawals (user_id, id DESC);
-- One transaction may pay many withdrawals (payouts are batched), each at its own address. It proves one payment only
-- to the same address. The case of an id means nothing.
CREATE UNIQUE INDEX withdrawals_paid_once ON app.withdrawals (lower(transaction_id), wallet, lower(address))
  WHERE transaction_id IS NOT NULL;
-- The console sums coin amounts paid out from this index alone.
CREATE INDEX withdrawals_paid_in_coins ON app.withdrawals (payout_asset) INCLUDE (payout_units, amount_cents) WHERE status = 'paid';
CREATE INDEX withdrawals_by_status ON app.withdrawals (status, id);
CREATE INDEX withdrawals_by_time ON app.withdrawals (created_at, id);
CREATE INDEX withdrawals_by_amount ON app.withdrawals (amount_cents, id);
CREATE INDEX withdrawals_by_wallet ON app.withdrawals (wallet, id);
GRANT SELECT ON app.withdrawals TO probity_app;

-- Guard: a withdrawal begins as pending, and goes to a usable entry of its owner's address book. What it says then never
-- changes (0033).
CREATE FUNCTION app.guard_payouts() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
  IF EXISTS (
    SELECT FROM added w WHERE w.status <> 'pending' OR w.approved_at IS NOT NULL
       OR w.id NOT BETWEEN app.first_id(w.created_at) AND app.first_id(w.created_at + interval '1 minute') OR (
      SELECT b.id FROM app.payout_addresses b
       WHERE b.user_id = w.user_id AND b.wallet = w.wallet AND app.address_key(b.address) = app.address_key(w.address)
         AND b.removed_at IS NULL AND (b.usable_from > w.created_at) IS NOT TRUE) IS NULL
  ) THEN
    IF EXISTS (SELECT FROM added WHERE status <> 'pending' OR approved_at IS NOT NULL) THEN
      RAISE EXCEPTION 'a withdrawal begins as pending' USING ERRCODE = 'PB913';
    END IF;
    -- The sums of a day find their withdrawals by id.
    IF EXISTS (SELECT FROM added w
                WHERE w.id NOT BETWEEN app.first_id(w.created_at) AND app.first_id(w.created_at + interval '1 minute')) THEN
      RAISE EXCEPTION 'the id of a withdrawal is of its time' USING ERRCODE = 'PB912';
    END IF;
    RAISE EXCEPTION 'a withdrawal must go to an address of its owner''s book that can be used' USING ERRCODE = 'PB910';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER withdrawals_by_the_book AFTER INSERT ON app.withdrawals REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION app.guard_payouts();

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

-- Maker–checker: one row per admin, so that nobody counts twice.
CREATE TABLE app.withdrawal_approvals (
  withdrawal_id uuid NOT NULL REFERENCES app.withdrawals (id),
  admin_id uuid NOT NULL REFERENCES app.users (id),
  -- The account's holder at the time (app.users.holder): an approval belongs to that person.
  holder integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (withdrawal_id, admin_id, holder)
);
-- What a person has approved lately.
CREATE INDEX withdrawal_approvals_of_admin ON app.withdrawal_approvals (admin_id, created_at);
GRANT SELECT, INSERT ON app.withdrawal_approvals TO probity_app;

-- A file of transfers that a person signs and broadcasts away from the server. Its bytes never change.
CREATE TABLE app.payout_batches (
  id uuid PRIMARY KEY,
  number text NOT NULL UNIQUE,
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  wallet text NOT NULL,
  asset text NOT NULL CHECK (asset IN ('BTC', 'ETH', 'USDT')),
  network text NOT NULL,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'seen', 'paid', 'cancelled')),
  -- The address that pays it; NULL: the outpoints of app.payout_inputs do.
  sender text,
  units bigint NOT NULL CHECK (units > 0),
  -- Bitcoin: in satoshi per virtual byte and in satoshi. On other networks the signing wallet sets the fee.
  fee_rate integer CHECK (fee_rate > 0),
  fee_units bigint CHECK (fee_units > 0),
  change_address text,
  change_units bigint CHECK (change_units > 0),
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 120),
  file_type text NOT NULL CHECK (file_type IN ('application/octet-stream', 'application/json')),
  file bytea NOT NULL CHECK (octet_length(file) BETWEEN 1 AND 5242880),
  file_sha256 bytea NOT NULL CHECK (file_sha256 = sha256(file)),
  created_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  -- TRON: after this, no block takes a transaction of its file.
  expires_at timestamptz CHECK (expires_at > created_at),
  -- What the network showed when the batch was created, which tells its own transfers from older ones: only the
  -- network's own clock orders them. NULL for Bitcoin: a transaction that spends a batch's outpoints belongs to it,
  -- whenever it was broadcast.
  median_time_past timestamptz,
  last_transfer_id bigint,
  -- The only person who may download the file, sign it and broadcast it.
  assignee_id uuid NOT NULL REFERENCES app.users (id),
  exported_at timestamptz,
  seen_at timestamptz,
  paid_at timestamptz,
  cancelled_at timestamptz,
  cancelled_by uuid REFERENCES app.users (id),
  cancel_reason text,
  CHECK (num_nonnulls(fee_rate, fee_units) IN (0, 2) AND (fee_rate IS NULL) = (sender IS NOT NULL)),
  CHECK (num_nonnulls(change_address, change_units) IN (0, 2)),
  CHECK (num_nonnulls(sender, median_time_past, last_transfer_id) IN (0, 3)),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL) AND (status NOT IN ('seen', 'paid') OR seen_at IS NOT NULL)),
  CHECK (num_nonnulls(cancelled_at, cancelled_by, cancel_reason) = CASE status WHEN 'cancelled' THEN 3 ELSE 0 END)
);
CREATE INDEX payout_batches_under_way ON app.payout_batches (method) WHERE status IN ('open', 'seen');
CREATE INDEX payout_batches_ended ON app.payout_batches (method, coalesce(paid_at, cancelled_at));
CREATE INDEX payout_batches_by_status ON app.payout_batches (status, id);
-- Guard: what a batch pays, its source and its file never change.
GRANT SELECT, INSERT, UPDATE (status, assignee_id, exported_at, seen_at, paid_at, cancelled_at, cancelled_by, cancel_reason)
  ON app.payout_batches TO probity_app;

-- The withdrawals of a batch, in the order of its file.
CREATE TABLE app.payout_items (
  batch_id uuid NOT NULL REFERENCES app.payout_batches (id),
  position smallint NOT NULL CHECK (position >= 0),
  withdrawal_id uuid NOT NULL REFERENCES app.withdrawals (id),
  address text NOT NULL,
  units bigint NOT NULL CHECK (units > 0),
  -- Ethereum: the nonce of its transaction.
  sender text CHECK (sender = app.address_key(sender)),
  nonce integer CHECK (nonce >= 0),
  -- released: the batch was cancelled, or staff marked the withdrawal as paid manually after a transfer of another
  -- amount.
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid', 'released')),
  -- The transfer that pays it, once seen: it pays this item and no other.
  transaction_id text,
  transfer_position integer,
  -- The last transfer seen for it, even if dropped: a dropped transaction can still confirm.
  seen_transaction text,
  -- A problem with the transfer, until it is solved or staff have reviewed it. paid_twice: another transfer paid it
  -- once more.
  alert text CHECK (alert IN ('wrong_amount', 'dropped', 'paid_after_cancel', 'paid_twice')),
  alert_transaction text,
  alert_token text,
  alert_units bigint,
  alert_at timestamptz,
  -- Staff have reviewed it and noted the outcome. A later problem raises a new alert.
  reviewed_at timestamptz,
  reviewed_by uuid REFERENCES app.users (id),
  review_note text,
  PRIMARY KEY (batch_id, position),
  UNIQUE (batch_id, withdrawal_id),
  CHECK (num_nonnulls(sender, nonce) IN (0, 2)),
  CHECK (num_nonnulls(transaction_id, transfer_position) IN (0, 2)),
  CHECK (state <> 'paid' OR transaction_id IS NOT NULL),
  CHECK (num_nonnulls(alert, alert_transaction, alert_token, alert_units, alert_at) IN (0, 5)),
  CHECK (num_nonnulls(reviewed_at, reviewed_by, review_note) IN (0, 3)),
  CHECK (reviewed_at IS NULL OR alert IS NOT NULL)
);
-- Guards: a withdrawal is in one batch at a time, a transfer pays one withdrawal, a batch pays an address once, and two
-- open items never share a transaction.
CREATE UNIQUE INDEX payout_items_open ON app.payout_items (withdrawal_id) WHERE state = 'open';
CREATE UNIQUE INDEX payout_items_paid_by ON app.payout_items (transaction_id, transfer_position) WHERE transaction_id IS NOT NULL;
CREATE UNIQUE INDEX payout_items_addressed ON app.payout_items (batch_id, app.address_key(address));
CREATE UNIQUE INDEX payout_items_nonces ON app.payout_items (sender, nonce) WHERE state = 'open' AND nonce IS NOT NULL;
CREATE INDEX payout_items_of_withdrawal ON app.payout_items (withdrawal_id);
CREATE INDEX payout_items_alerts ON app.payout_items (batch_id) WHERE alert IS NOT NULL;
GRANT SELECT, INSERT,
  UPDATE (state, transaction_id, transfer_position, seen_transaction,
          alert, alert_transaction, alert_token, alert_units, alert_at, reviewed_at, reviewed_by, review_note)
  ON app.payout_items TO probity_app;

-- Guard: a batch or an item that was seen never returns to unsent.
CREATE FUNCTION app.refuse_unseeing() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'what was seen of a payout batch stays seen' USING ERRCODE = 'PB932';
END
$$;
CREATE TRIGGER payout_batches_stay_seen BEFORE UPDATE OF status, seen_at ON app.payout_batches
  FOR EACH ROW WHEN (OLD.seen_at IS NOT NULL AND (NEW.seen_at IS NULL OR NEW.status = 'open'))
  EXECUTE FUNCTION app.refuse_unseeing();
CREATE TRIGGER payout_items_stay_seen BEFORE UPDATE OF seen_transaction ON app.payout_items
  FOR EACH ROW WHEN (OLD.seen_transaction IS NOT NULL AND NEW.seen_transaction IS NULL)
  EXECUTE FUNCTION app.refuse_unseeing();

-- The outpoints that a batch spends: no other batch does, unless it was cancelled.
CREATE TABLE app.payout_inputs (
  batch_id uuid NOT NULL REFERENCES app.payout_batches (id),
  outpoint text NOT NULL,
  units bigint NOT NULL CHECK (units > 0),
  reserved boolean NOT NULL DEFAULT true,
  PRIMARY KEY (batch_id, outpoint)
);
CREATE UNIQUE INDEX payout_inputs_reserved ON app.payout_inputs (outpoint) WHERE reserved;
GRANT SELECT, INSERT, UPDATE (reserved) ON app.payout_inputs TO probity_app;

-- The nonces of a sender, as its network shows them: Ethereum uses each once.
CREATE TABLE app.sender_nonces (
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  -- As app.address_key writes it.
  address text NOT NULL CHECK (address = app.address_key(address)),
  -- The nonce of its next transaction, the node's mempool included.
  next_nonce integer NOT NULL CHECK (next_nonce >= 0),
  -- All nonces below it are used and confirmed.
  confirmed_nonce integer NOT NULL CHECK (confirmed_nonce >= 0),
  synced_at timestamptz NOT NULL,
  PRIMARY KEY (method, address)
);
GRANT SELECT, INSERT, UPDATE ON app.sender_nonces TO probity_app;
