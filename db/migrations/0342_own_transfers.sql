-- What the firm's own wallet sends to an address that was once shown is nobody's payment: all that it spends is the firm's already.
ALTER TABLE app.chain_transfers DROP CONSTRAINT chain_transfers_set_aside_check;
ALTER TABLE app.chain_transfers ADD CONSTRAINT chain_transfers_set_aside_check
  CHECK (set_aside IN ('dust', 'wrong_asset', 'own'));
GRANT UPDATE (set_aside) ON app.chain_transfers TO probity_app;
