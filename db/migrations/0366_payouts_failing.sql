-- Payouts that cannot be assessed stand beside their network as deposits do, and not in the log alone.

ALTER TABLE app.chain_cursors
  -- Withdrawals whose payouts could not be assessed at the last look; all others were.
  ADD COLUMN failed_payouts uuid[] NOT NULL DEFAULT '{}';
