-- Payments to addresses that were shown and that no deposit has taken are looked for with each look at a network.
CREATE INDEX payment_addresses_unrequested ON app.payment_addresses (method, address)
  WHERE branch = 0 AND deposit_id IS NULL AND used_at IS NOT NULL;
