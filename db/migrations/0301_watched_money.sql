-- What the books say of payments that are watched: what comes to a deposit that was settled already, and what its network takes back
-- after it was credited (docs/decisions/0030-reorg-reversals.md).

INSERT INTO ledger.account_kinds (kind, holder, floor, assets, meaning) VALUES
  ('shortfall', 'firm', NULL, '{USD}', 'Credited payments that their networks took back after they were spent: what investors owe the firm');

INSERT INTO ledger.posting_rules (event, from_kind, to_kind, hold) VALUES
  -- A payment makes good first what a payment of the same deposit left open.
  ('deposit.settled', 'exchange', 'shortfall', NULL),
  -- More came to a deposit that was settled already.
  ('deposit.added', 'custody', 'exchange', NULL),
  ('deposit.added', 'custody', 'rounding', NULL),
  ('deposit.added', 'rounding', 'exchange', NULL),
  ('deposit.added', 'exchange', 'available', NULL),
  ('deposit.added', 'exchange', 'shortfall', NULL),
  -- The network took a payment back: its coins are not there. What is available is taken back, too; the rest is owed.
  ('deposit.reversed', 'exchange', 'custody', NULL),
  ('deposit.reversed', 'rounding', 'custody', NULL),
  ('deposit.reversed', 'exchange', 'rounding', NULL),
  ('deposit.reversed', 'available', 'exchange', NULL),
  ('deposit.reversed', 'shortfall', 'exchange', NULL),
  -- What was held for an investment that has no payment any more is free again, and taken back.
  ('deposit.reversed', 'available', 'shortfall', NULL);

-- A credit can be taken back from a frozen account: that its coins are gone is a fact and no decision. It can be added to no more than
-- before, also where that changes no status.
DROP TRIGGER deposits_of_frozen_stay ON app.deposits;
CREATE TRIGGER deposits_of_frozen_stay AFTER UPDATE OF status, credited_cents ON app.deposits
  FOR EACH ROW WHEN (
    (OLD.status <> NEW.status AND NEW.status NOT IN ('declined', 'unpaid') AND NOT (OLD.status = 'paid' AND NEW.status = 'pending'))
    OR coalesce(NEW.credited_cents, 0) > coalesce(OLD.credited_cents, 0))
  EXECUTE FUNCTION app.guard_frozen_row();

-- To one deposit these can happen several times.
DROP INDEX app.notifications_once;
CREATE UNIQUE INDEX notifications_once ON app.notifications (subject_id, kind)
  WHERE subject_id <> user_id AND kind NOT IN ('deposit.added', 'deposit.reversed');
