-- What was paid out in each coin is a sum over this index alone, for the console's page of what lies on the chains.
CREATE INDEX withdrawals_paid_in_coins ON app.withdrawals (payout_asset) INCLUDE (payout_units, amount_cents) WHERE status = 'paid';
