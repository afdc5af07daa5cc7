-- Payments that are seen on their networks: addresses of one payment each, what was seen of every network, and what became of it
-- (docs/decisions/0029-chain-sync-and-crediting.md).

-- Addresses made of an extended public key. One that no deposit has taken yet is kept for whom it was shown to; what was shown is
-- watched for ever.
CREATE TABLE app.payment_addresses (
  -- The key's short name (server/rails/hd.ts): another key begins anew at index 0.
  account text NOT NULL CHECK (account ~ '^[0-9a-f]{16}$'),
  -- BIP-44: 0 receives payments, 1 takes the change of payouts.
  branch smallint NOT NULL CHECK (branch IN (0, 1)),
  address_index integer NOT NULL CHECK (address_index >= 0),
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  address text NOT NULL,
  -- Whom it was shown to; NULL of change.
  user_id uuid REFERENCES app.users (id),
  deposit_id uuid UNIQUE REFERENCES app.deposits (id),
  -- When something was first seen that pays it: from then on it is shown to nobody again.
  used_at timestamptz,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account, branch, address_index),
  CHECK ((branch = 0) = (user_id IS NOT NULL)),
  CHECK (branch = 0 OR deposit_id IS NULL)
);
CREATE UNIQUE INDEX payment_addresses_key ON app.payment_addresses (app.address_key(address));
CREATE UNIQUE INDEX payment_addresses_kept ON app.payment_addresses (user_id, account)
  WHERE branch = 0 AND deposit_id IS NULL AND used_at IS NULL;
CREATE INDEX payment_addresses_watched ON app.payment_addresses (method, created_at);

-- Whatever the application does: an address is one deposit's, of the same investor and method, for good.
CREATE FUNCTION app.guard_payment_address() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.deposit_id IS NOT NULL OR NOT EXISTS (
       SELECT FROM app.deposits d
        WHERE d.id = NEW.deposit_id AND d.user_id = NEW.user_id AND d.method = NEW.method AND d.address = NEW.address) THEN
    RAISE EXCEPTION 'the address % is another payment''s', NEW.address USING ERRCODE = 'PB930';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER payment_addresses_taken_once BEFORE UPDATE ON app.payment_addresses
  FOR EACH ROW WHEN (OLD.deposit_id IS DISTINCT FROM NEW.deposit_id) EXECUTE FUNCTION app.guard_payment_address();
GRANT SELECT, INSERT, UPDATE (deposit_id, used_at) ON app.payment_addresses TO probity_app;

-- How far each network has been read, one row a payment method.
CREATE TABLE app.chain_cursors (
  method text PRIMARY KEY CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  -- The last block whose transfers are known.
  height integer NOT NULL CHECK (height >= 0),
  hash text NOT NULL,
  -- The highest block at the last look: equal to `height` once everything was read.
  tip_height integer NOT NULL CHECK (tip_height >= height),
  -- How many a payment needs to count, as configured.
  confirmations integer NOT NULL CHECK (confirmations > 0),
  -- When a look has last come to its end.
  looked_at timestamptz NOT NULL,
  -- What the last look failed at, and since when all of them do; NULL while all is well.
  fault text,
  fault_since timestamptz,
  -- A person has to look before it goes on: the network has replaced more blocks than can be compared.
  stopped boolean NOT NULL DEFAULT false,
  CHECK ((fault IS NULL) = (fault_since IS NULL) AND (fault IS NOT NULL OR NOT stopped))
);
-- The last blocks that were read, by which a replaced one is noticed.
CREATE TABLE app.chain_blocks (
  method text NOT NULL REFERENCES app.chain_cursors (method),
  height integer NOT NULL,
  hash text NOT NULL,
  time timestamptz NOT NULL,
  PRIMARY KEY (method, height)
);

-- Everything that was seen to pay a watched address. A transaction that is mined again keeps its row.
CREATE TABLE app.chain_transfers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  transaction_id text NOT NULL,
  position integer NOT NULL CHECK (position >= 0),
  -- As app.address_key writes it.
  address text NOT NULL,
  token text NOT NULL CHECK (token IN ('BTC', 'ETH', 'USDT', 'USDC')),
  -- Minor units of the token.
  units bigint NOT NULL CHECK (units > 0),
  -- What it spends: outpoints of Bitcoin, else the sender's address.
  senders text[] NOT NULL,
  -- When it came: the moment in which it was first seen, or the time of the block that it was first seen in, where that is earlier.
  seen_at timestamptz NOT NULL,
  -- The block of the chain that counts now; NULL while it is in none.
  block_height integer,
  block_hash text,
  block_time timestamptz,
  -- Since when it is in no block and the network knows nothing of it any more: replaced or dropped.
  gone_at timestamptz,
  -- Why it is never credited by itself: too little to count, or another coin than was asked for.
  set_aside text CHECK (set_aside IN ('dust', 'wrong_asset')),
  -- Bitcoin's: the transaction that spends it, and the block of that.
  spent_by text,
  spent_height integer,
  -- What it was credited with, by which transaction of the ledger, and how: NULL until then, and again once that was reversed.
  credited_by uuid,
  credited_cents bigint CHECK (credited_cents >= 0),
  -- Of its units, what `credited_cents` is worth at the rate; what is left of them is the rounding account's.
  exchanged_units bigint CHECK (exchanged_units >= 0),
  rate_e8 bigint CHECK (rate_e8 > 0),
  rate_source text,
  -- Whether it came outside of its deposit's window, and was credited at the rate of its arrival.
  late boolean,
  -- How many of its units an admin had credited by his own word before it was seen.
  by_hand_units bigint NOT NULL DEFAULT 0 CHECK (by_hand_units BETWEEN 0 AND units),
  UNIQUE (method, transaction_id, position, address, token, units),
  CHECK (num_nonnulls(block_height, block_hash, block_time) IN (0, 3)),
  CHECK (block_height IS NULL OR gone_at IS NULL),
  CHECK (spent_by IS NOT NULL OR spent_height IS NULL),
  CHECK (num_nonnulls(credited_by, credited_cents, exchanged_units, rate_e8, rate_source, late) IN (0, 6)),
  CHECK (credited_by IS NULL OR set_aside IS NULL)
);
CREATE INDEX chain_transfers_of_address ON app.chain_transfers (address, id);
CREATE INDEX chain_transfers_in_no_block ON app.chain_transfers (method) WHERE block_height IS NULL;
CREATE INDEX chain_transfers_by_height ON app.chain_transfers (method, block_height);
CREATE INDEX chain_transfers_to_credit ON app.chain_transfers (method, block_height)
  WHERE credited_by IS NULL AND set_aside IS NULL AND by_hand_units < units;
CREATE INDEX chain_transfers_to_reverse ON app.chain_transfers (method)
  WHERE block_height IS NULL AND (credited_by IS NOT NULL OR by_hand_units > 0);
CREATE INDEX chain_transfers_unspent ON app.chain_transfers (method, transaction_id, position) WHERE spent_height IS NULL;

-- Whatever the application does: what was seen stays as it was seen, and what was credited is not credited again.
CREATE FUNCTION app.guard_transfer() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'transfer % of % was credited already', OLD.position, OLD.transaction_id USING ERRCODE = 'PB931';
END
$$;
CREATE TRIGGER chain_transfers_credited_once BEFORE UPDATE OF credited_by ON app.chain_transfers
  FOR EACH ROW WHEN (OLD.credited_by IS NOT NULL AND NEW.credited_by IS NOT NULL) EXECUTE FUNCTION app.guard_transfer();

GRANT SELECT, INSERT, UPDATE ON app.chain_cursors TO probity_app;
GRANT SELECT, INSERT, DELETE ON app.chain_blocks TO probity_app;
GRANT SELECT, INSERT,
  UPDATE (block_height, block_hash, block_time, gone_at, spent_by, spent_height,
          credited_by, credited_cents, exchanged_units, rate_e8, rate_source, late, by_hand_units)
  ON app.chain_transfers TO probity_app;

-- What the networks say about a deposit, kept beside it in the transactions that learn it.
ALTER TABLE app.deposits
  -- Of its coin, without dust: what is in blocks or waits for one.
  ADD COLUMN seen_units bigint NOT NULL DEFAULT 0 CHECK (seen_units >= 0),
  -- Of that, what is not credited yet, and the block from which on all of it counts; NULL while any of it is in no block.
  ADD COLUMN open_units bigint NOT NULL DEFAULT 0 CHECK (open_units BETWEEN 0 AND seen_units),
  ADD COLUMN open_block integer,
  -- Of what was credited, what came outside of the window: the rest counted at the locked rate. NULL: all of a late one.
  ADD COLUMN late_units bigint CHECK (late_units > 0),
  ADD COLUMN late_cents bigint CHECK (late_cents >= 0),
  -- What somebody of the firm has credited by his own word, before the network or without it.
  ADD COLUMN by_hand_units bigint NOT NULL DEFAULT 0 CHECK (by_hand_units >= 0),
  ADD COLUMN by_hand_posting uuid,
  -- What was credited, was taken back by the network, and was not available any more (event deposit.reversed).
  ADD COLUMN shortfall_cents bigint NOT NULL DEFAULT 0 CHECK (shortfall_cents >= 0),
  -- What somebody of the firm has to look at, beside how it came.
  ADD COLUMN flags text[] NOT NULL DEFAULT '{}'
    CHECK (flags <@ ARRAY['wrong_asset', 'reversed', 'shortfall', 'unrequested', 'rate_missing']),
  ADD CONSTRAINT deposits_late_part_check CHECK (num_nonnulls(late_units, late_cents) IN (0, 2) AND (late_units IS NULL OR arrival = 'late')),
  ADD CONSTRAINT deposits_by_hand_check CHECK ((by_hand_units = 0) = (by_hand_posting IS NULL)),
  DROP CONSTRAINT deposits_looked_check,
  ADD CONSTRAINT deposits_looked_check CHECK (
    (looked_at IS NULL) = (looked_by IS NULL) AND (looked_at IS NULL OR arrival IS NOT NULL OR flags <> '{}'));
DROP INDEX app.deposits_to_look_at;
CREATE INDEX deposits_to_look_at ON app.deposits (id DESC)
  WHERE (arrival IS NOT NULL OR flags <> '{}') AND looked_at IS NULL;
CREATE INDEX deposits_open ON app.deposits (method) WHERE open_units > 0;
