-- What makes a signed transaction of a payout batch exclude itself, and end (docs/decisions/0033-exported-payout-files.md).

-- The sequence of an address that payouts are sent from, as its network has it: a nonce of Ethereum is used once.
CREATE TABLE app.payer_nonces (
  method text NOT NULL CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  -- As app.address_key writes it.
  address text NOT NULL CHECK (address = app.address_key(address)),
  -- Of its next transaction, after all that the node knows of, also what is in no block yet.
  next_nonce integer NOT NULL CHECK (next_nonce >= 0),
  -- Every one below it is used, as deep as a payment counts.
  settled_nonce integer NOT NULL CHECK (settled_nonce >= 0),
  read_at timestamptz NOT NULL,
  PRIMARY KEY (method, address)
);
GRANT SELECT, INSERT, UPDATE ON app.payer_nonces TO probity_app;

-- Ethereum: which transaction of its payer an item is.
ALTER TABLE app.payout_items
  ADD COLUMN payer text CHECK (payer = app.address_key(payer)),
  ADD COLUMN nonce integer CHECK (nonce >= 0),
  ADD CHECK (num_nonnulls(payer, nonce) IN (0, 2));
-- Whatever the application does: two open items are never the same transaction.
CREATE UNIQUE INDEX payout_items_nonces ON app.payout_items (payer, nonce) WHERE state = 'open' AND nonce IS NOT NULL;

-- TRON: no transaction of its file is taken into a block after this.
ALTER TABLE app.payout_batches ADD COLUMN expires_at timestamptz CHECK (expires_at > created_at);

-- Somebody has looked at what is wrong with an item, and says what came of it. What comes later is told anew.
ALTER TABLE app.payout_items
  ADD COLUMN looked_at timestamptz,
  ADD COLUMN looked_by uuid REFERENCES app.users (id),
  ADD COLUMN looked_reason text,
  ADD CHECK (num_nonnulls(looked_at, looked_by, looked_reason) IN (0, 3)),
  ADD CHECK (looked_at IS NULL OR fault IS NOT NULL);
GRANT UPDATE (looked_at, looked_by, looked_reason) ON app.payout_items TO probity_app;
