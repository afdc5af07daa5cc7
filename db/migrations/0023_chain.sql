-- What the networks show: how far we have synced each, its last blocks, and every transfer to a watched address
-- (docs/decisions/0029-chain-sync-and-crediting.md).

-- The sync's progress, one row per rail (docs/decisions/0121-rails-and-methods.md).
CREATE TABLE app.chain_cursors (
  rail text PRIMARY KEY CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  -- The last block whose transfers are known.
  synced_height integer NOT NULL CHECK (synced_height >= 0),
  synced_hash text NOT NULL,
  -- The tip at the last poll: equal to `synced_height` once every block was read.
  tip_height integer NOT NULL CHECK (tip_height >= synced_height),
  -- The confirmations that a payment needs, as configured.
  confirmations integer NOT NULL CHECK (confirmations > 0),
  -- Ethereum: the block up to which balances were last compared (app.ether_balances).
  balances_height integer NOT NULL DEFAULT 0,
  -- When the last poll began that read everything, the mempool included; some services show none, and on Ethereum it is
  -- read only while somebody may pay or be paid.
  polled_at timestamptz NOT NULL,
  -- When all blocks up to the tip were last read; NULL before the first time.
  synced_at timestamptz,
  -- While blocks are missing: when the sync expects to have read them; NULL at the tip.
  caught_up_by timestamptz,
  -- The last poll's error, and since when polls have failed; NULL while they succeed.
  sync_error text,
  sync_error_since timestamptz,
  -- What the error prevents, so that the console, the metrics and the investors see exactly that: reading blocks;
  -- reading the mempool (or nonces); crediting and reversing deposits; marking payouts as paid.
  sync_error_kind text NOT NULL DEFAULT 'reading' CHECK (sync_error_kind IN ('reading', 'unconfirmed', 'crediting', 'payouts')),
  -- Deposits and unassigned addresses that the last poll failed to credit or reverse; it handled all others.
  failed_deposits int NOT NULL DEFAULT 0 CHECK (failed_deposits >= 0),
  -- Withdrawals whose payouts the last poll failed to assess; it handled all others.
  failed_payouts uuid[] NOT NULL DEFAULT '{}',
  -- The sync stops until a person decides: the reorg is deeper than the stored blocks.
  halted boolean NOT NULL DEFAULT false,
  CHECK ((sync_error IS NULL) = (sync_error_since IS NULL) AND (sync_error IS NOT NULL OR NOT halted))
);
GRANT SELECT, INSERT, UPDATE ON app.chain_cursors TO probity_app;

-- Networks that were never read: the first poll's error, and since when polls have failed. The first success creates
-- the cursor and deletes the row.
CREATE TABLE app.chain_start_errors (
  rail text PRIMARY KEY CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  error text NOT NULL,
  error_since timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE (error), DELETE ON app.chain_start_errors TO probity_app;

-- The last blocks that we read; a reorg shows by comparison with them.
CREATE TABLE app.chain_blocks (
  rail text NOT NULL REFERENCES app.chain_cursors (rail),
  height integer NOT NULL,
  hash text NOT NULL,
  time timestamptz NOT NULL,
  PRIMARY KEY (rail, height)
);
GRANT SELECT, INSERT, DELETE ON app.chain_blocks TO probity_app;

-- Every transfer that we saw to a watched address. A transaction that is mined again keeps its row.
CREATE TABLE app.chain_transfers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rail text NOT NULL CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  transaction_id text NOT NULL,
  position integer NOT NULL CHECK (position >= 0),
  -- As app.address_key writes it.
  address text NOT NULL,
  -- True if the address was shown to an investor. Only such transfers are ever credited; change and outputs of payouts
  -- are stored beside them.
  receiving boolean NOT NULL DEFAULT true,
  -- True if the address is one of our accounts': shown, change, or unassigned. The others are those of payouts.
  own boolean NOT NULL DEFAULT true,
  token text NOT NULL CHECK (token IN ('BTC', 'ETH', 'USDT', 'USDC', 'TRX')),
  -- Minor units of the token.
  units bigint NOT NULL CHECK (units > 0),
  -- What it spends: outpoints in Bitcoin, else the sender's address.
  senders text[] NOT NULL,
  -- True if a contract sent it: no transaction shows it, so `transaction_id` is the hash of the block whose balances do.
  by_contract boolean NOT NULL DEFAULT false CHECK (NOT by_contract OR rail = 'ethereum' AND token = 'ETH'),
  -- When it was first seen, or the time of its first block if that is earlier. A dropped transfer that is broadcast
  -- again gets a new time: the old one would keep the locked rate for it.
  seen_at timestamptz NOT NULL,
  -- The block in which a second source shows it too (docs/decisions/0032-crediting-rules.md).
  agreed_hash text,
  -- The block on the best chain; NULL while it is unconfirmed.
  block_height integer,
  block_hash text,
  block_time timestamptz,
  -- Bitcoin: the block that spends it on the best chain; NULL until then. Only app.chain_spends changes it.
  spent_height integer,
  -- When it was found in no block and no mempool any more: replaced or dropped.
  dropped_at timestamptz,
  -- Why the worker never credits it: dust, another coin than the quoted one, or sent by our own wallet.
  ignored_reason text CHECK (ignored_reason IN ('dust', 'wrong_asset', 'internal')),
  -- The units that its credit and the manual credit matched with it cover: only their rows change it (0026). Above
  -- `units`, a transfer would be credited twice.
  credited_units bigint NOT NULL DEFAULT 0 CONSTRAINT chain_transfers_credited_once CHECK (credited_units BETWEEN 0 AND units),
  UNIQUE (rail, transaction_id, position, address, token, units),
  CHECK (num_nonnulls(block_height, block_hash, block_time) IN (0, 3)),
  CHECK (block_height IS NULL OR dropped_at IS NULL),
  CHECK (credited_units = 0 OR ignored_reason IS NULL AND receiving),
  CHECK (spent_height IS NULL OR rail = 'bitcoin'),
  CHECK (own OR NOT receiving)
);
-- Each sync watches Bitcoin's outputs that can still be spent, however many were spent long ago.
CREATE INDEX chain_transfers_unspent ON app.chain_transfers (coalesce(spent_height, 2147483647)) WHERE rail = 'bitcoin' AND own;
CREATE INDEX chain_transfers_of_address ON app.chain_transfers (address, id);
-- Anyone can send any number of dust transfers to an address, so pages leave dust out.
CREATE INDEX chain_transfers_shown ON app.chain_transfers (address, id) WHERE ignored_reason IS DISTINCT FROM 'dust';
CREATE INDEX chain_transfers_in_no_block ON app.chain_transfers (rail) WHERE block_height IS NULL;
CREATE INDEX chain_transfers_by_height ON app.chain_transfers (rail, block_height);
CREATE INDEX chain_transfers_to_credit ON app.chain_transfers (rail, block_height)
  WHERE credited_units < units AND ignored_reason IS NULL AND receiving;
-- Each sync looks for those at addresses without a deposit.
CREATE INDEX chain_transfers_of_wrong_asset ON app.chain_transfers (rail, block_height) WHERE ignored_reason = 'wrong_asset';
CREATE INDEX chain_transfers_to_reverse ON app.chain_transfers (rail)
  WHERE block_height IS NULL AND credited_units > 0;
GRANT SELECT, INSERT,
  UPDATE (seen_at, agreed_hash, block_height, block_hash, block_time, dropped_at, ignored_reason)
  ON app.chain_transfers TO probity_app;

-- Balances of our addresses on Ethereum in the last blocks, one of them deeper than any reorg: a later rise that no transaction explains came from a contract
-- (docs/decisions/0118-ether-from-contracts.md).
CREATE TABLE app.ether_balances (
  -- As app.address_key writes it.
  address text NOT NULL,
  -- A block with enough confirmations, and the balance there, in gwei.
  height integer NOT NULL CHECK (height >= 0),
  units bigint NOT NULL CHECK (units >= 0),
  PRIMARY KEY (address, height)
);
CREATE INDEX ether_balances_by_height ON app.ether_balances (height);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.ether_balances TO probity_app;

-- What transactions of our own addresses and of those that pay withdrawals on Ethereum have cost them, their fees included, in gwei.
CREATE TABLE app.ether_sent (
  transaction_id text PRIMARY KEY,
  address text NOT NULL,
  units bigint NOT NULL CHECK (units >= 0),
  -- The fee alone: an address's balance in gwei falls by all its fees together, rounded up.
  fee_wei numeric(30) NOT NULL CHECK (fee_wei >= 0),
  height integer NOT NULL
);
CREATE INDEX ether_sent_of_address ON app.ether_sent (address, height);
CREATE INDEX ether_sent_by_height ON app.ether_sent (height);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.ether_sent TO probity_app;

-- Every use of a slot of ours that the network showed: a slot is something that the network lets be used once
-- (docs/decisions/0117-payout-slots.md).
CREATE TABLE app.chain_spends (
  rail text NOT NULL CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  -- Bitcoin: an outpoint, '<transaction>:<index>'. Ethereum: '<sender>:<nonce>', or '<safe>:<transaction>'
  -- for what a Safe did without a nonce: by a module, or code of its owners claims it. TRON: the transaction's id.
  slot text NOT NULL,
  transaction_id text NOT NULL,
  -- Who signed it, as app.address_key writes it; NULL on Bitcoin. A Safe, where one executed it.
  sender text,
  -- The Safe transaction (EIP-712) that a Safe executed for its nonce; NULL elsewhere, and if that failed.
  safe_tx_hash text,
  seen_at timestamptz NOT NULL,
  -- Its block on the best chain; NULL while it is unconfirmed.
  block_height integer,
  -- When it was found in no block and no mempool any more: replaced or dropped.
  dropped_at timestamptz,
  -- When the admins were told that no payout explains it.
  told_at timestamptz,
  -- Who made it and why, although no payout says so, in the words of one person. It counts once a second one has confirmed it.
  reviewed_at timestamptz,
  reviewed_by uuid REFERENCES app.users (id),
  review_note text,
  confirmed_at timestamptz,
  confirmed_by uuid REFERENCES app.users (id),
  PRIMARY KEY (rail, slot, transaction_id),
  CHECK (block_height IS NULL OR dropped_at IS NULL),
  CHECK (num_nonnulls(reviewed_at, reviewed_by, review_note) IN (0, 3)),
  CHECK (num_nonnulls(confirmed_at, confirmed_by) IN (0, 2) AND (confirmed_at IS NULL OR reviewed_at IS NOT NULL)),
  CHECK (confirmed_by <> reviewed_by)
);
CREATE INDEX chain_spends_by_height ON app.chain_spends (rail, block_height);
CREATE INDEX chain_spends_in_no_block ON app.chain_spends (rail) WHERE block_height IS NULL AND dropped_at IS NULL;
CREATE INDEX chain_spends_of_sender ON app.chain_spends (rail, sender, block_height);
CREATE INDEX chain_spends_of_transaction ON app.chain_spends (transaction_id);
CREATE INDEX chain_spends_untold ON app.chain_spends (rail, seen_at) WHERE told_at IS NULL;
CREATE INDEX chain_spends_unexplained ON app.chain_spends (seen_at) WHERE told_at IS NOT NULL AND confirmed_at IS NULL;
GRANT SELECT, INSERT, UPDATE (block_height, safe_tx_hash, dropped_at, told_at, reviewed_at, reviewed_by, review_note, confirmed_at, confirmed_by)
  ON app.chain_spends TO probity_app;

CREATE FUNCTION app.mark_spent() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE app.chain_transfers t
     SET spent_height = (SELECT max(s.block_height) FROM app.chain_spends s WHERE s.rail = 'bitcoin' AND s.slot = NEW.slot)
   WHERE t.rail = 'bitcoin' AND t.transaction_id = split_part(NEW.slot, ':', 1)
     AND t.position = substring(NEW.slot FROM ':([0-9]{1,9})$')::integer;
  RETURN NULL;
END
$$;
CREATE TRIGGER chain_spends_mark_spent AFTER INSERT OR UPDATE OF block_height ON app.chain_spends
  FOR EACH ROW WHEN (NEW.rail = 'bitcoin') EXECUTE FUNCTION app.mark_spent();

-- Raw transactions that paid the firm in Bitcoin, without their witnesses. A hardware wallet reads the amount that it
-- spends from the transaction itself (non-witness UTXO, BIP-174), and the signing machine is offline.
CREATE TABLE app.bitcoin_transactions (
  transaction_id text PRIMARY KEY CHECK (transaction_id ~ '^[0-9a-f]{64}$'),
  raw bytea NOT NULL CHECK (octet_length(raw) BETWEEN 60 AND 4000000)
);
GRANT SELECT, INSERT ON app.bitcoin_transactions TO probity_app;

-- The balance of the watched addresses, as the network shows it.
CREATE TABLE app.coverage_readings (
  rail text NOT NULL CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  token text NOT NULL CHECK (token IN ('BTC', 'ETH', 'USDT', 'USDC', 'TRX')),
  at timestamptz NOT NULL,
  units bigint NOT NULL CHECK (units >= 0),
  -- The number of addresses in the sum.
  addresses integer NOT NULL CHECK (addresses >= 0),
  PRIMARY KEY (rail, token, at)
);
CREATE INDEX coverage_readings_oldest ON app.coverage_readings (at);
GRANT SELECT, INSERT, DELETE ON app.coverage_readings TO probity_app;

-- What a network charges at present, as our node estimates it.
CREATE TABLE app.fee_estimates (
  rail text PRIMARY KEY CHECK (rail IN ('bitcoin', 'usdt', 'ethereum')),
  -- Bitcoin: satoshi per 1,000 virtual bytes. Ethereum: the highest fee in wei per gas. TRON: sun per energy.
  price bigint NOT NULL CHECK (price > 0),
  -- Ethereum: the part of it for the block's proposer, in wei per gas.
  tip bigint CHECK (tip >= 0),
  at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON app.fee_estimates TO probity_app;
