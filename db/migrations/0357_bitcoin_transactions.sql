-- The transactions that have paid the firm in Bitcoin, as they were read in a block, without their witnesses: a hardware wallet takes the
-- amount of what it spends from the transaction itself (non-witness UTXO, BIP-174), and the machine that signs is offline.
CREATE TABLE app.bitcoin_transactions (
  transaction_id text PRIMARY KEY CHECK (transaction_id ~ '^[0-9a-f]{64}$'),
  raw bytea NOT NULL CHECK (octet_length(raw) BETWEEN 60 AND 4000000)
);
GRANT SELECT, INSERT ON app.bitcoin_transactions TO probity_app;
