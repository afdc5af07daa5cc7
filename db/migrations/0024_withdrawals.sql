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
-- The search finds whose address it is.
CREATE INDEX payout_addresses_by_address ON app.payout_addresses (app.address_key(address));
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
  -- Who has cancelled it: its owner, while it was pending (docs/decisions/0149-cancelling.md). Staff decline with a reason.
  cancelled_by uuid,
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
  CHECK (num_nonnulls(decline_reason, cancelled_by) = (status = 'declined')::int),
  CHECK (cancelled_by IS NULL OR cancelled_by = user_id AND approved_at IS NULL),
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

-- Guard: a withdrawal begins as pending, and goes to a usable entry of its owner's address book that is on no sanctions list (0075).
-- What it says then never changes (0033).
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
         AND b.removed_at IS NULL AND (b.usable_from > w.created_at) IS NOT TRUE
         AND NOT EXISTS (SELECT FROM app.sanctioned_wallets s WHERE s.address = app.address_key(w.address) AND s.removed_by IS NULL)) IS NULL
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
  -- The withdrawal's amount if this approval alone is enough, else 0; the guard of approvals sets it (0033).
  alone_cents bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (withdrawal_id, admin_id, holder)
);
-- What a person has approved lately.
CREATE INDEX withdrawal_approvals_of_admin ON app.withdrawal_approvals (admin_id, created_at) INCLUDE (holder, alone_cents);
GRANT SELECT, INSERT (withdrawal_id, admin_id, holder, created_at) ON app.withdrawal_approvals TO probity_app;

-- What a person approved alone, by whole hours, so that a day's sum reads 24 rows and the approvals of a part of an hour, however
-- many there are. Only approvals change it (0033).
CREATE TABLE app.approval_hours (
  admin_id uuid NOT NULL REFERENCES app.users (id),
  holder integer NOT NULL,
  hour timestamptz NOT NULL,
  alone_cents bigint NOT NULL CHECK (alone_cents > 0),
  PRIMARY KEY (admin_id, holder, hour)
) WITH (fillfactor = 50);
GRANT SELECT ON app.approval_hours TO probity_app;

-- Withdrawals that staff pay together, in one coin (docs/decisions/0117-payout-slots.md), or deposits that they sweep to the
-- payout address (docs/decisions/0120-sweeps.md).
CREATE TABLE app.payout_batches (
  id uuid PRIMARY KEY,
  number text NOT NULL UNIQUE,
  purpose text NOT NULL DEFAULT 'payout' CHECK (purpose IN ('payout', 'sweep')),
  rail text NOT NULL CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  wallet text NOT NULL,
  asset text NOT NULL CHECK (asset IN ('BTC', 'ETH', 'USDT', 'USDC')),
  network text NOT NULL,
  -- The least advanced of its payments that can still change; once none can: final if one paid, else void.
  status text NOT NULL DEFAULT 'drafted' CHECK (status IN ('drafted', 'signed', 'broadcast', 'final', 'void')),
  -- The payout address: it pays withdrawals and receives sweeps. NULL: outpoints pay.
  sender text,
  -- The sender is a Safe: its owners sign in its app, and one transaction pays all withdrawals.
  by_safe boolean NOT NULL DEFAULT false CHECK (NOT by_safe OR rail = 'ethereum'),
  units bigint NOT NULL CHECK (units > 0),
  created_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  -- When somebody asked to cancel it. What was exported before is cancelled once the network says so.
  cancelled_at timestamptz,
  cancelled_by uuid REFERENCES app.users (id),
  cancel_reason text,
  CHECK ((sender IS NULL) = (rail = 'bitcoin')),
  CHECK ((ended_at IS NOT NULL) = (status IN ('final', 'void'))),
  CHECK (num_nonnulls(cancelled_at, cancelled_by, cancel_reason) IN (0, 3))
);
CREATE INDEX payout_batches_under_way ON app.payout_batches (rail) WHERE ended_at IS NULL;
CREATE INDEX payout_batches_ended ON app.payout_batches (rail, ended_at);
CREATE INDEX payout_batches_by_status ON app.payout_batches (status, id);
GRANT SELECT, INSERT (id, number, purpose, rail, wallet, asset, network, sender, by_safe, units, created_by, created_at),
  UPDATE (status, ended_at, cancelled_at, cancelled_by, cancel_reason) ON app.payout_batches TO probity_app;

-- The unsigned files of a batch: the first one pays, later ones raise the fee or cancel. Their bytes never change.
CREATE TABLE app.payout_files (
  batch_id uuid NOT NULL REFERENCES app.payout_batches (id),
  version smallint NOT NULL CHECK (version BETWEEN 1 AND 100),
  purpose text NOT NULL CHECK (purpose IN ('payment', 'higher_fee', 'cancellation')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  type text NOT NULL CHECK (type IN ('application/octet-stream', 'application/json')),
  content bytea NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 5242880),
  sha256 bytea NOT NULL CHECK (sha256 = sha256(content)),
  -- Bitcoin: satoshi per virtual byte, and the whole fee in satoshi. Ethereum: the highest fee in gwei.
  fee_rate integer CHECK (fee_rate > 0),
  fee_units bigint CHECK (fee_units > 0),
  change_address text,
  change_units bigint CHECK (change_units > 0),
  created_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  exported_at timestamptz,
  PRIMARY KEY (batch_id, version),
  CHECK ((version = 1) = (purpose = 'payment')),
  CHECK (fee_rate IS NULL OR fee_units IS NOT NULL),
  CHECK (num_nonnulls(change_address, change_units) IN (0, 2))
);
GRANT SELECT, INSERT (batch_id, version, purpose, name, type, content, sha256, fee_rate, fee_units, change_address, change_units, created_by, created_at),
  UPDATE (exported_at) ON app.payout_files TO probity_app;

-- The payments of a batch, each one transaction on the network. It holds slots; the transaction that uses them decides.
CREATE TABLE app.payout_payments (
  batch_id uuid NOT NULL REFERENCES app.payout_batches (id),
  position smallint NOT NULL CHECK (position >= 0),
  -- void: it paid nothing and never will.
  status text NOT NULL DEFAULT 'drafted' CHECK (status IN ('drafted', 'signed', 'broadcast', 'final', 'void')),
  -- The address whose key signs it; NULL on Bitcoin.
  sender text,
  -- TRON: after this, no block takes its transaction.
  expires_at timestamptz,
  -- The transaction that the network shows using its slots; NULL: none, or none any more.
  used_by text,
  PRIMARY KEY (batch_id, position)
);
CREATE INDEX payout_payments_open ON app.payout_payments (sender) WHERE status NOT IN ('final', 'void');
GRANT SELECT, INSERT (batch_id, position, sender, expires_at), UPDATE (status, used_by) ON app.payout_payments TO probity_app;

-- The slots that payments hold, as app.chain_spends names them. While one is held, no other payment has it.
CREATE TABLE app.payout_slots (
  batch_id uuid NOT NULL,
  payment smallint NOT NULL,
  slot text NOT NULL,
  -- The file that spends it first. Only what the first file spends is in every later one too, so that another use of it
  -- invalidates all of them; what a later one adds is held, and decides nothing.
  version smallint NOT NULL CHECK (version >= 1),
  -- Bitcoin: the value of the outpoint.
  units bigint CHECK (units > 0),
  held boolean NOT NULL DEFAULT true,
  PRIMARY KEY (batch_id, slot),
  FOREIGN KEY (batch_id, payment) REFERENCES app.payout_payments (batch_id, position)
);
CREATE UNIQUE INDEX payout_slots_held ON app.payout_slots (slot) WHERE held;
CREATE INDEX payout_slots_by_slot ON app.payout_slots (slot);
GRANT SELECT, INSERT (batch_id, payment, slot, version, units), UPDATE (held) ON app.payout_slots TO probity_app;

-- The transaction of a payment in each file, unsigned and, once somebody has given it to us, signed.
CREATE TABLE app.payout_drafts (
  batch_id uuid NOT NULL,
  payment smallint NOT NULL,
  version smallint NOT NULL,
  -- A PSBT, an unsigned transaction of Ethereum, what a Safe's owners sign (EIP-712, as JSON), or TRON's raw data.
  plan bytea NOT NULL,
  -- What it uses: if a block shows another use of one of them, it can never be mined.
  slots text[] NOT NULL CHECK (cardinality(slots) > 0),
  -- Bitcoin and TRON: the id that it has, signed or not. A Safe: the hash that its owners sign (EIP-712).
  planned_id text,
  -- Where several signatures are needed: the PSBT with those collected so far, and their number.
  collected bytea,
  signatures smallint,
  signatures_needed smallint,
  -- Ready to broadcast.
  signed bytea,
  transaction_id text,
  signed_at timestamptz,
  signed_by uuid REFERENCES app.users (id),
  -- When we last gave it to our node, and its refusal in words, if it refused.
  broadcast_at timestamptz,
  refused text,
  PRIMARY KEY (batch_id, payment, version),
  FOREIGN KEY (batch_id, version) REFERENCES app.payout_files (batch_id, version),
  FOREIGN KEY (batch_id, payment) REFERENCES app.payout_payments (batch_id, position),
  CHECK (num_nonnulls(signed, transaction_id, signed_at, signed_by) IN (0, 4)),
  CHECK (num_nonnulls(collected, signatures, signatures_needed) IN (0, 3)),
  CHECK (refused IS NULL OR broadcast_at IS NOT NULL)
);
CREATE INDEX payout_drafts_of_transaction ON app.payout_drafts (transaction_id) WHERE transaction_id IS NOT NULL;
GRANT SELECT, INSERT (batch_id, payment, version, plan, slots, planned_id),
  UPDATE (collected, signatures, signatures_needed, signed, transaction_id, signed_at, signed_by, broadcast_at, refused)
  ON app.payout_drafts TO probity_app;

-- What a batch pays, in the order of its first file.
CREATE TABLE app.payout_items (
  batch_id uuid NOT NULL REFERENCES app.payout_batches (id),
  position smallint NOT NULL CHECK (position >= 0),
  payment smallint NOT NULL,
  -- sweep: moves a deposit to the payout address. top_up: brings the fee of a sweep to the address of the deposit.
  kind text NOT NULL DEFAULT 'withdrawal' CHECK (kind IN ('withdrawal', 'sweep', 'top_up')),
  withdrawal_id uuid REFERENCES app.withdrawals (id),
  address text NOT NULL,
  token text NOT NULL CHECK (token IN ('BTC', 'ETH', 'USDT', 'USDC', 'TRX')),
  units bigint NOT NULL CHECK (units > 0),
  -- released: its payment did not pay it and never will, so another one may.
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid', 'released')),
  -- The transaction that pays it, once the network shows it.
  transaction_id text,
  -- otherwise: a transaction used the slot and does not pay this withdrawal as planned; the units are what it pays to the
  -- address. dropped: the network no longer shows the transaction that paid it. Until it is solved or reviewed.
  alert text CHECK (alert IN ('otherwise', 'dropped')),
  alert_transaction text,
  alert_units bigint CHECK (alert_units >= 0),
  alert_at timestamptz,
  -- Staff have reviewed it and noted the outcome. A later problem raises a new alert.
  reviewed_at timestamptz,
  reviewed_by uuid REFERENCES app.users (id),
  review_note text,
  PRIMARY KEY (batch_id, position),
  FOREIGN KEY (batch_id, payment) REFERENCES app.payout_payments (batch_id, position),
  UNIQUE (batch_id, withdrawal_id),
  CHECK ((kind = 'withdrawal') = (withdrawal_id IS NOT NULL)),
  CHECK (state <> 'paid' OR transaction_id IS NOT NULL),
  CHECK (num_nonnulls(alert, alert_transaction, alert_units, alert_at) IN (0, 4)),
  CHECK (num_nonnulls(reviewed_at, reviewed_by, review_note) IN (0, 3)),
  CHECK (reviewed_at IS NULL OR alert IS NOT NULL)
);
-- Guards: a withdrawal is in one batch at a time, and a batch of withdrawals pays an address once.
CREATE UNIQUE INDEX payout_items_open ON app.payout_items (withdrawal_id) WHERE state = 'open';
CREATE UNIQUE INDEX payout_items_addressed ON app.payout_items (batch_id, app.address_key(address))
  WHERE kind = 'withdrawal';
CREATE INDEX payout_items_of_withdrawal ON app.payout_items (withdrawal_id);
CREATE INDEX payout_items_alerts ON app.payout_items (batch_id) WHERE alert IS NOT NULL;
GRANT SELECT, INSERT (batch_id, position, payment, kind, withdrawal_id, address, token, units),
  UPDATE (state, transaction_id, alert, alert_transaction, alert_units, alert_at, reviewed_at, reviewed_by, review_note)
  ON app.payout_items TO probity_app;

-- Guard: the payout address alone pays withdrawals. A sweep pays nobody but the payout address, from addresses that we gave
-- to investors, and a top-up nobody but those.
CREATE FUNCTION app.guard_payout_recipient() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  batch app.payout_batches;
  signer text;
  deposit_address text;
BEGIN
  SELECT * INTO STRICT batch FROM app.payout_batches WHERE id = NEW.batch_id;
  SELECT sender INTO STRICT signer FROM app.payout_payments WHERE batch_id = NEW.batch_id AND position = NEW.payment;
  deposit_address := CASE NEW.kind WHEN 'sweep' THEN signer WHEN 'top_up' THEN NEW.address END;
  IF (NEW.kind = 'withdrawal') <> (batch.purpose = 'payout')
     OR NEW.kind <> 'top_up' AND NEW.token <> batch.asset
     OR NEW.kind = 'sweep' AND NEW.address <> batch.sender
     OR NEW.kind <> 'sweep' AND signer IS DISTINCT FROM batch.sender
     OR deposit_address IS NOT NULL AND NOT EXISTS (
          SELECT FROM app.payment_addresses a
           WHERE a.rail = batch.rail AND a.branch = 0 AND app.address_key(a.address) = app.address_key(deposit_address)) THEN
    RAISE EXCEPTION 'item % of payout batch % pays %, which is no % of it', NEW.position, NEW.batch_id, NEW.address, NEW.kind
      USING ERRCODE = 'PB932';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER payout_items_pay_by_purpose AFTER INSERT ON app.payout_items
  FOR EACH ROW EXECUTE FUNCTION app.guard_payout_recipient();

-- Guard: an item pays an approved withdrawal, to its address, exactly what was locked for it. It comes with its batch, whose sum
-- it cannot change later, even before somebody has the file.
CREATE FUNCTION app.guard_payout_amount() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.kind = 'withdrawal' AND NOT EXISTS (
       SELECT FROM app.withdrawals w JOIN app.payout_batches b ON b.id = NEW.batch_id
        WHERE w.id = NEW.withdrawal_id AND w.status = 'approved' AND w.wallet = b.wallet
          AND w.payout_asset = NEW.token AND w.payout_units = NEW.units AND app.address_key(w.address) = app.address_key(NEW.address)) THEN
    RAISE EXCEPTION 'item % of payout batch % does not pay its withdrawal as approved', NEW.position, NEW.batch_id
      USING ERRCODE = 'PB932';
  END IF;
  IF EXISTS (SELECT FROM app.payout_batches b WHERE b.id = NEW.batch_id AND (b.status <> 'drafted' OR b.cancelled_at IS NOT NULL))
     OR EXISTS (SELECT FROM app.payout_files f WHERE f.batch_id = NEW.batch_id AND f.exported_at IS NOT NULL) THEN
    RAISE EXCEPTION 'payout batch % takes no more items', NEW.batch_id USING ERRCODE = 'PB932';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER payout_items_pay_as_approved AFTER INSERT ON app.payout_items
  FOR EACH ROW EXECUTE FUNCTION app.guard_payout_amount();

CREATE FUNCTION app.guard_payout_sum() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (SELECT units FROM app.payout_batches WHERE id = NEW.batch_id)
     <> (SELECT sum(units) FROM app.payout_items WHERE batch_id = NEW.batch_id AND kind <> 'top_up') THEN
    RAISE EXCEPTION 'the items of payout batch % are not its sum', NEW.batch_id USING ERRCODE = 'PB932';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER payout_items_make_the_sum AFTER INSERT ON app.payout_items
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.guard_payout_sum();

-- Guard: payments come before the first file of their batch, further files while it is open, each after the last one.
CREATE FUNCTION app.guard_new_payout_payment() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM app.payout_files WHERE batch_id = NEW.batch_id) THEN
    RAISE EXCEPTION 'payout batch % takes no more payments', NEW.batch_id USING ERRCODE = 'PB932';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER payout_payments_before_the_file AFTER INSERT ON app.payout_payments
  FOR EACH ROW EXECUTE FUNCTION app.guard_new_payout_payment();

CREATE FUNCTION app.guard_new_payout_file() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.version <> (SELECT count(*) FROM app.payout_files WHERE batch_id = NEW.batch_id)
     OR EXISTS (SELECT FROM app.payout_batches b
                 WHERE b.id = NEW.batch_id
                   AND (b.ended_at IS NOT NULL OR NEW.purpose <> 'cancellation' AND b.cancelled_at IS NOT NULL
                        OR NEW.purpose = 'higher_fee' AND b.by_safe)) THEN
    RAISE EXCEPTION 'payout batch % takes no file % (%)', NEW.batch_id, NEW.version, NEW.purpose USING ERRCODE = 'PB932';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER payout_files_in_order AFTER INSERT ON app.payout_files
  FOR EACH ROW EXECUTE FUNCTION app.guard_new_payout_file();

-- Guard: a draft is of a file that nobody has, and of a payment that has not ended. A slot is one that its draft uses.
CREATE FUNCTION app.guard_new_payout_draft() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM app.payout_files f
              WHERE f.batch_id = NEW.batch_id AND (f.version = NEW.version AND f.exported_at IS NOT NULL OR f.version > NEW.version))
     OR EXISTS (SELECT FROM app.payout_payments p
                 WHERE p.batch_id = NEW.batch_id AND p.position = NEW.payment AND p.status IN ('final', 'void')) THEN
    RAISE EXCEPTION 'file % of payout batch % takes no more drafts', NEW.version, NEW.batch_id USING ERRCODE = 'PB932';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER payout_drafts_with_the_file AFTER INSERT ON app.payout_drafts
  FOR EACH ROW EXECUTE FUNCTION app.guard_new_payout_draft();

CREATE FUNCTION app.guard_new_payout_slot() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM app.payout_drafts d
                  WHERE d.batch_id = NEW.batch_id AND d.payment = NEW.payment AND d.version = NEW.version
                    AND NEW.slot = ANY (d.slots)) THEN
    RAISE EXCEPTION 'no draft of payout batch % uses slot %', NEW.batch_id, NEW.slot USING ERRCODE = 'PB932';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER payout_slots_of_a_draft AFTER INSERT ON app.payout_slots
  FOR EACH ROW EXECUTE FUNCTION app.guard_new_payout_slot();

-- True if a block shows that the transaction uses a slot of the payment; of a Safe, that it executes what was planned.
CREATE FUNCTION app.may_settle(p_batch uuid, p_payment smallint, p_transaction text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM app.payout_batches b
      JOIN app.payout_slots k ON k.batch_id = b.id AND k.payment = p_payment AND k.version = 1
      JOIN app.payout_drafts d ON d.batch_id = b.id AND d.payment = p_payment AND d.version = 1
      JOIN app.chain_spends s ON s.rail = b.rail AND s.slot = k.slot
     WHERE b.id = p_batch AND s.transaction_id = p_transaction AND s.block_height IS NOT NULL
       AND (NOT b.by_safe OR s.safe_tx_hash = d.planned_id))
$$;
GRANT EXECUTE ON FUNCTION app.may_settle TO probity_app;

-- Guard: whatever ended stays ended, a signed transaction stays as it is, and a payment whose file somebody has ends
-- only by the network: another transaction used its slot, or TRON's expiry passed.
CREATE FUNCTION app.guard_payout_payment() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.status IN ('final', 'void') THEN
    RAISE EXCEPTION 'payment % of payout batch % has ended', OLD.position, OLD.batch_id USING ERRCODE = 'PB932';
  END IF;
  IF NEW.status = 'drafted' THEN
    RAISE EXCEPTION 'what was signed or seen of a payout stays so' USING ERRCODE = 'PB932';
  END IF;
  IF NEW.status IN ('final', 'void') AND EXISTS (
       SELECT FROM app.payout_items i
        WHERE i.batch_id = NEW.batch_id AND i.payment = NEW.position
          AND (i.state = 'open' OR NEW.status = 'void' AND i.state = 'paid')) THEN
    RAISE EXCEPTION 'payment % of payout batch % still has open items', NEW.position, NEW.batch_id USING ERRCODE = 'PB932';
  END IF;
  IF NEW.used_by IS NOT NULL AND NEW.status IN ('final', 'void') AND NOT EXISTS (
       SELECT FROM app.payout_slots k JOIN app.chain_spends s ON s.slot = k.slot
        WHERE k.batch_id = NEW.batch_id AND k.payment = NEW.position AND k.version = 1
          AND s.transaction_id = NEW.used_by AND s.block_height IS NOT NULL) THEN
    RAISE EXCEPTION 'no block shows transaction % of payout batch %', NEW.used_by, NEW.batch_id USING ERRCODE = 'PB932';
  END IF;
  IF NEW.status = 'final' AND NEW.used_by IS NOT NULL AND NOT app.may_settle(NEW.batch_id, NEW.position, NEW.used_by) THEN
    RAISE EXCEPTION 'transaction % does not execute what was planned of payout batch %', NEW.used_by, NEW.batch_id
      USING ERRCODE = 'PB932';
  END IF;
  IF NEW.used_by IS NULL AND (NEW.status = 'final'
     OR NEW.status = 'void'
        AND NOT EXISTS (SELECT FROM app.payout_batches b JOIN app.chain_blocks k ON k.rail = b.rail
                         WHERE b.id = NEW.batch_id AND k.time > NEW.expires_at)
        AND (EXISTS (SELECT FROM app.payout_files f WHERE f.batch_id = NEW.batch_id AND f.exported_at IS NOT NULL)
             OR EXISTS (SELECT FROM app.payout_drafts d WHERE d.batch_id = NEW.batch_id AND d.payment = NEW.position AND d.signed IS NOT NULL))) THEN
    RAISE EXCEPTION 'the file of payout batch % may still be broadcast', NEW.batch_id USING ERRCODE = 'PB932';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER payout_payments_end_by_the_network BEFORE UPDATE OF status ON app.payout_payments
  FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION app.guard_payout_payment();

-- Guard, at the commit: an item is paid by a transaction that uses its slot in a block, and released with the end of its
-- payment; it leaves `open` once.
CREATE FUNCTION app.guard_payout_item() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.state <> 'open'
     OR NEW.state = 'released' AND NOT EXISTS (
          SELECT FROM app.payout_payments p
           WHERE p.batch_id = NEW.batch_id AND p.position = NEW.payment AND p.status IN ('final', 'void'))
     OR NEW.state = 'paid' AND NOT app.may_settle(NEW.batch_id, NEW.payment, NEW.transaction_id) THEN
    RAISE EXCEPTION 'item % of payout batch % is not %', NEW.position, NEW.batch_id, NEW.state USING ERRCODE = 'PB932';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER payout_items_end_by_the_network AFTER UPDATE OF state ON app.payout_items
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION app.guard_payout_item();

-- Guard: a slot is held until its payment has ended, and a file that somebody has stays so.
CREATE FUNCTION app.guard_payout_slot() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.held OR NOT EXISTS (
       SELECT FROM app.payout_payments p
        WHERE p.batch_id = NEW.batch_id AND p.position = NEW.payment AND p.status IN ('final', 'void')) THEN
    RAISE EXCEPTION 'slot % of payout batch % is held', NEW.slot, NEW.batch_id USING ERRCODE = 'PB932';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER payout_slots_held_to_the_end AFTER UPDATE OF held ON app.payout_slots
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.held <> NEW.held) EXECUTE FUNCTION app.guard_payout_slot();

CREATE FUNCTION app.refuse_unexporting() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'a file that somebody has stays so' USING ERRCODE = 'PB932';
END
$$;
CREATE TRIGGER payout_files_stay_exported BEFORE UPDATE OF exported_at ON app.payout_files
  FOR EACH ROW WHEN (OLD.exported_at IS NOT NULL AND NEW.exported_at IS DISTINCT FROM OLD.exported_at)
  EXECUTE FUNCTION app.refuse_unexporting();

CREATE FUNCTION app.refuse_resigning() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'a signed transaction never changes' USING ERRCODE = 'PB932';
END
$$;
CREATE TRIGGER payout_drafts_stay_signed BEFORE UPDATE OF signed, transaction_id, signed_at, signed_by ON app.payout_drafts
  FOR EACH ROW WHEN (OLD.signed IS NOT NULL
    AND (OLD.signed, OLD.transaction_id, OLD.signed_at, OLD.signed_by) IS DISTINCT FROM (NEW.signed, NEW.transaction_id, NEW.signed_at, NEW.signed_by))
  EXECUTE FUNCTION app.refuse_resigning();

-- What addresses of deposits hold, as their network showed it when staff last asked (docs/decisions/0120-sweeps.md).
CREATE TABLE app.holding_readings (
  rail text PRIMARY KEY CHECK (rail IN ('usdt', 'ethereum')),
  asked_at timestamptz NOT NULL,
  -- When a worker read them, and the block that says so; NULL until then.
  read_at timestamptz,
  height integer,
  -- What the payout address has for fees and top-ups: gwei, or 10^-6 TRX.
  payout_units bigint CHECK (payout_units >= 0),
  -- Why the reading that staff asked for failed; the next one is when they ask again.
  failure text,
  CHECK (num_nonnulls(read_at, height, payout_units) IN (0, 3))
);
GRANT SELECT, INSERT, UPDATE ON app.holding_readings TO probity_app;

-- One row for each coin of an address, those of the last reading.
CREATE TABLE app.holdings (
  rail text NOT NULL CHECK (rail IN ('usdt', 'ethereum')) REFERENCES app.holding_readings (rail),
  -- As app.address_key writes it.
  address text NOT NULL CHECK (address = app.address_key(address)),
  token text NOT NULL CHECK (token IN ('ETH', 'USDT', 'USDC', 'TRX')),
  units bigint NOT NULL CHECK (units > 0),
  -- Gas (Ethereum) or energy (TRON) of a transfer to the payout address; NULL: the token or the recipient refuses it.
  gas bigint CHECK (gas > 0),
  -- Ethereum. NULL: not among the largest, so neither was asked for.
  next_nonce integer CHECK (next_nonce >= 0),
  PRIMARY KEY (rail, address, token)
);
CREATE INDEX holdings_by_units ON app.holdings (rail, token, units);
GRANT SELECT, INSERT, DELETE ON app.holdings TO probity_app;

-- The next nonce of a sender, as its network shows it: Ethereum uses each once.
CREATE TABLE app.sender_nonces (
  rail text NOT NULL CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  -- As app.address_key writes it.
  address text NOT NULL CHECK (address = app.address_key(address)),
  -- The node's mempool included.
  next_nonce integer NOT NULL CHECK (next_nonce >= 0),
  -- Of the Safe at the address; NULL for the address of a key.
  safe_version text CHECK (safe_version IN ('1.3.0', '1.4.1')),
  synced_at timestamptz NOT NULL,
  PRIMARY KEY (rail, address)
);
GRANT SELECT, INSERT, UPDATE ON app.sender_nonces TO probity_app;
