-- What becomes available again makes good first what a network has taken back of its owner's deposits: how much of each, so that nobody is told
-- that he has it (docs/decisions/0030-reorg-reversals.md).

ALTER TABLE app.withdrawals
  ADD COLUMN made_good_cents bigint NOT NULL DEFAULT 0 CHECK (made_good_cents BETWEEN 0 AND amount_cents);
ALTER TABLE app.investments
  ADD COLUMN made_good_cents bigint NOT NULL DEFAULT 0 CHECK (made_good_cents BETWEEN 0 AND amount_cents);
ALTER TABLE app.earnings
  ADD COLUMN made_good_cents bigint NOT NULL DEFAULT 0 CHECK (made_good_cents BETWEEN 0 AND amount_cents);
