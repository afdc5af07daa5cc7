-- What came of a payment: how much, when, and at which rate it was credited (D5). What was asked for stays as it was.
ALTER TABLE app.deposits
  -- In what it differs from what was asked for: less or more of the coin by the window's end, or after it.
  ADD COLUMN arrival text CHECK (arrival IN ('short', 'over', 'late')),
  -- Of those that were paid before this was kept, exactly what was asked for had come.
  ADD COLUMN received_units bigint CHECK (received_units > 0),
  ADD COLUMN credited_cents bigint CHECK (credited_cents > 0),
  ADD COLUMN credited_rate_e8 bigint CHECK (credited_rate_e8 > 0),
  ADD COLUMN credited_rate_source text,
  ADD COLUMN arrived_at timestamptz,
  ADD COLUMN transaction_id text,
  -- Who has looked at one that differs, and when.
  ADD COLUMN looked_at timestamptz,
  ADD COLUMN looked_by uuid REFERENCES app.users (id),
  ADD CONSTRAINT deposits_received_check CHECK (
    (received_units IS NULL) = (credited_cents IS NULL) AND (received_units IS NULL OR status = 'paid')
    AND (arrival IS NULL OR received_units IS NOT NULL)),
  ADD CONSTRAINT deposits_late_check CHECK (
    (arrival IS NOT DISTINCT FROM 'late') = (arrived_at IS NOT NULL)
    AND (arrived_at IS NULL) = (credited_rate_e8 IS NULL) AND (arrived_at IS NULL) = (credited_rate_source IS NULL)),
  ADD CONSTRAINT deposits_looked_check CHECK (
    (looked_at IS NULL) = (looked_by IS NULL) AND (looked_at IS NULL OR arrival IS NOT NULL));

CREATE INDEX deposits_to_look_at ON app.deposits (id DESC) WHERE arrival IS NOT NULL AND looked_at IS NULL;
-- A transaction pays one deposit: as proof of a second one it would prove nothing. The case of an id means nothing.
CREATE UNIQUE INDEX deposits_paid_once ON app.deposits (lower(transaction_id)) WHERE transaction_id IS NOT NULL;

-- What each source said when, of the coins that payments are made in: a late payment is credited at the rate of its arrival.
CREATE TABLE app.price_history (
  symbol text NOT NULL,
  source text NOT NULL,
  usd_e8 bigint NOT NULL CHECK (usd_e8 > 0),
  sample boolean NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (symbol, at, source)
);
-- Rows that are to be removed are locked first, which asks for UPDATE.
GRANT SELECT, INSERT, UPDATE, DELETE ON app.price_history TO probity_app;
CREATE INDEX price_history_oldest ON app.price_history (at);
