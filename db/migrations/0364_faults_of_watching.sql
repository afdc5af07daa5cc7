-- What a fault of watching a network keeps from being done, so that the console, the metrics and its investors are told that and no more.

ALTER TABLE app.chain_cursors
  -- Beside a fault: blocks are not read; only what is in no block yet (or how transactions are numbered) is not known; what came could not be
  -- credited or taken back; payouts could not be marked as paid.
  ADD COLUMN fault_kind text NOT NULL DEFAULT 'reading' CHECK (fault_kind IN ('reading', 'unconfirmed', 'crediting', 'payouts')),
  -- Deposits, and addresses of none, that could not be credited or taken back at the last look; all others were.
  ADD COLUMN failed_deposits int NOT NULL DEFAULT 0 CHECK (failed_deposits >= 0);
