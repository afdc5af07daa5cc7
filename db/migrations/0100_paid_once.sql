-- One transaction may pay many withdrawals (payouts are batched), each to an address of its own. To one address it pays
-- once: as proof of a second payment to the same place it would prove nothing. The case of an id means nothing.
CREATE UNIQUE INDEX withdrawals_paid_once ON app.withdrawals (lower(transaction_id), wallet, lower(address))
  WHERE transaction_id IS NOT NULL;
