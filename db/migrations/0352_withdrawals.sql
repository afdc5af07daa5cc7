-- Whether an address was ever paid at is asked for before a withdrawal goes there.
CREATE INDEX deposits_paid_at ON app.deposits (app.address_key(address));

-- One that was approved, and whose owner's payment its network takes back then, can be declined: what it would have been paid stays.
ALTER TABLE app.withdrawals DROP CONSTRAINT withdrawals_payout_check,
  ADD CONSTRAINT withdrawals_payout_check CHECK (
    num_nonnulls(payout_asset, payout_units, payout_rate_e8, payout_rate_at, payout_rate_source) IN (0, 5)
    AND (payout_units IS NULL OR status IN ('approved', 'paid') OR status = 'declined' AND approved_at IS NOT NULL));
