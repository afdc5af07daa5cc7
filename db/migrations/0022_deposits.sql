-- Deposits: the quote, and what is to be done about its payment (docs/decisions/0025-payment-valuation.md,
-- 0029-chain-sync-and-crediting.md, 0030-reorg-reversals.md). What arrived and was credited are rows (0026).

-- Equal for all spellings of an address: in hexadecimal and bech32, case means nothing.
CREATE FUNCTION app.address_key(address text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN address LIKE '0x%' OR address = upper(address) THEN lower(address) ELSE address END;
GRANT EXECUTE ON FUNCTION app.address_key TO probity_app;

-- The rail of a payment method (docs/decisions/0121-rails-and-methods.md); without SET, so that queries include its text.
CREATE FUNCTION app.rail_of(method text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN method IN ('usdt-erc20', 'usdc-erc20') THEN 'ethereum' ELSE method END;
GRANT EXECUTE ON FUNCTION app.rail_of TO probity_app;

CREATE TABLE app.deposits (
  id uuid PRIMARY KEY,
  invoice_id text NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES app.users (id),
  investment_id uuid UNIQUE REFERENCES app.investments (id),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'ethereum', 'usdt-erc20', 'usdc-erc20')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'unpaid', 'declined')),
  -- The quote: the requested amount, its rate (USD for one unit, in 10^-8 USD) and its expiry (D5).
  asset text NOT NULL CHECK (asset IN ('BTC', 'USDT', 'ETH', 'USDC')),
  network text NOT NULL,
  address text NOT NULL,
  crypto_units bigint NOT NULL CHECK (crypto_units > 0),
  rate_e8 bigint NOT NULL CHECK (rate_e8 > 0),
  rate_at timestamptz NOT NULL,
  rate_source text NOT NULL,
  payment_uri text NOT NULL,
  expires_at timestamptz NOT NULL,
  watch_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  decline_reason text,
  -- Who has cancelled it: its owner, while it was pending (docs/decisions/0149-cancelling.md). Staff decline with a reason.
  cancelled_by uuid,

  -- As far as we know, the worker cannot credit the rest before then.
  assess_after timestamptz,
  -- The reversed units that have not arrived again.
  reversed_units bigint NOT NULL DEFAULT 0 CHECK (reversed_units >= 0),
  -- What a reversal could not recover because the investor had used it (event deposit.reversed).
  debt_cents bigint NOT NULL DEFAULT 0 CHECK (debt_cents >= 0),
  -- Why staff must review it, besides its deviation. `large`, `daily_limit`, `second_source`, `listed_sender`: it
  -- waits for approval, or for the limit, the source or the list. `manual_credit`: the payment
  -- arrived after a manual credit and was not credited again.
  flags text[] NOT NULL DEFAULT '{}'
    CHECK (flags <@ ARRAY['wrong_asset', 'reversed', 'debt', 'unsolicited', 'rate_missing', 'after_decline', 'large', 'manual_credit', 'by_contract',
                            'daily_limit', 'second_source', 'listed_sender']),
  -- True while staff have not reviewed its deviation or its flags.
  needs_review boolean NOT NULL DEFAULT false,
  -- The amount that staff agreed to credit; the worker credits no large amount beyond it.
  reviewed_cents bigint NOT NULL DEFAULT 0 CHECK (reviewed_cents >= 0),

  CHECK ((status = 'paid') = (settled_at IS NOT NULL)),
  CHECK (num_nonnulls(decline_reason, cancelled_by) = (status = 'declined')::int),
  CHECK (cancelled_by = user_id)
);
CREATE INDEX deposits_of_user ON app.deposits (user_id, id DESC);
CREATE INDEX deposits_open_of_user ON app.deposits (user_id) WHERE status = 'pending';
CREATE INDEX deposits_watched ON app.deposits (watch_until) WHERE status = 'pending';
CREATE INDEX deposits_to_review ON app.deposits (id DESC) WHERE needs_review;
-- Each approval of a withdrawal looks up its owner's debts.
CREATE INDEX deposits_debts ON app.deposits (user_id) WHERE debt_cents > 0;
-- A new withdrawal address is compared with all payment addresses ever shown. The search finds the newest deposits of one.
CREATE INDEX deposits_paid_at ON app.deposits (app.address_key(address), id);
CREATE INDEX deposits_by_status ON app.deposits (status, id);
CREATE INDEX deposits_by_time ON app.deposits (created_at, id);
CREATE INDEX deposits_by_amount ON app.deposits (amount_cents, id);
CREATE INDEX deposits_by_method ON app.deposits (method, id);
GRANT SELECT ON app.deposits TO probity_app;

-- Addresses derived from an extended public key. One without a deposit is reserved for the investor who saw it. The
-- worker watches every address that was shown, for ever.
CREATE TABLE app.payment_addresses (
  -- The key's short name (server/rails/hd.ts): another key starts again at index 0.
  account text NOT NULL CHECK (account ~ '^[0-9a-f]{16}$'),
  -- BIP-44: 0 receives payments, 1 takes the change of payouts.
  branch smallint NOT NULL CHECK (branch IN (0, 1)),
  address_index integer NOT NULL CHECK (address_index >= 0),
  rail text NOT NULL CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  address text NOT NULL,
  -- The investor who saw it; NULL for change, and for an unassigned one: another database may have given it to anyone.
  user_id uuid REFERENCES app.users (id),
  deposit_id uuid UNIQUE REFERENCES app.deposits (id),
  -- When a transfer to it was first seen; from then on it is shown to no other investor.
  used_at timestamptz,
  -- Ethereum: the block of its latest balance (app.ether_balances); NULL: none yet, so it is read next.
  balance_height integer,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account, branch, address_index),
  CHECK (branch = 0 OR user_id IS NULL),
  CHECK (user_id IS NOT NULL OR deposit_id IS NULL)
);
CREATE INDEX payment_addresses_unassigned ON app.payment_addresses (rail, address_index)
  WHERE branch = 0 AND user_id IS NULL AND used_at IS NOT NULL;

-- The accounts whose addresses we number (docs/decisions/0115-address-marks.md). While one is stopped, nobody gets a new
-- address of it: another database may have given that one to somebody else.
CREATE TABLE app.receiving_accounts (
  account text PRIMARY KEY,
  rail text NOT NULL CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  -- PostgreSQL's system identifier and timeline at the latest number: a restore and a failover change it.
  server text NOT NULL,
  stopped_at timestamptz,
  -- A mark of this machine is beyond our last index; the server has changed and no mark speaks for it; or the network
  -- shows a payment to an address beyond our last one.
  stopped_because text CHECK (stopped_because IN ('mark', 'server', 'chain')),
  -- The highest index that somebody else was given, as far as known.
  known_index integer,
  -- When the admins were told.
  told_at timestamptz,
  CHECK ((stopped_at IS NULL) = (stopped_because IS NULL))
);
GRANT SELECT, INSERT, UPDATE ON app.receiving_accounts TO probity_app;

-- PostgreSQL's system identifier and timeline.
CREATE FUNCTION app.this_server() RETURNS text
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT system_identifier || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) FROM pg_control_system()
$$;
GRANT EXECUTE ON FUNCTION app.this_server TO probity_app;
CREATE UNIQUE INDEX payment_addresses_key ON app.payment_addresses (app.address_key(address));
CREATE UNIQUE INDEX payment_addresses_kept ON app.payment_addresses (user_id, account)
  WHERE branch = 0 AND deposit_id IS NULL AND used_at IS NULL;
CREATE INDEX payment_addresses_watched ON app.payment_addresses (rail, created_at);
-- Every few blocks a sync reads the balances that are oldest, however many addresses there are.
CREATE INDEX payment_addresses_by_balance ON app.payment_addresses (balance_height)
  WHERE rail = 'ethereum' AND branch = 0;
GRANT SELECT, INSERT, UPDATE (deposit_id, used_at, balance_height) ON app.payment_addresses TO probity_app;

-- Guard: an address belongs to one deposit, of the same investor and rail, for ever.
CREATE FUNCTION app.guard_payment_address() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.deposit_id IS NOT NULL OR NOT EXISTS (
       SELECT FROM app.deposits d
        WHERE d.id = NEW.deposit_id AND d.user_id = NEW.user_id AND app.rail_of(d.method) = NEW.rail AND d.address = NEW.address) THEN
    RAISE EXCEPTION 'the address % is another payment''s', NEW.address USING ERRCODE = 'PB930';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER payment_addresses_given_once BEFORE INSERT ON app.payment_addresses
  FOR EACH ROW WHEN (NEW.deposit_id IS NOT NULL) EXECUTE FUNCTION app.guard_payment_address();
CREATE TRIGGER payment_addresses_taken_once BEFORE UPDATE ON app.payment_addresses
  FOR EACH ROW WHEN (OLD.deposit_id IS DISTINCT FROM NEW.deposit_id) EXECUTE FUNCTION app.guard_payment_address();
