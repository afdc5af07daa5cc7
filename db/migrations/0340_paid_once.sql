-- What makes sure that a payout batch pays once, and that it is told where something was paid twice
-- (docs/decisions/0031-payout-batches.md).

-- The last transfer that was seen for it, whatever became of that: a signed transaction that was dropped can still be mined.
ALTER TABLE app.payout_items ADD COLUMN seen_transaction text;
UPDATE app.payout_items SET seen_transaction = coalesce(transaction_id, fault_transaction) WHERE state <> 'released';
GRANT UPDATE (seen_transaction) ON app.payout_items TO probity_app;

-- again: it was paid once more.
ALTER TABLE app.payout_items DROP CONSTRAINT payout_items_fault_check,
  ADD CONSTRAINT payout_items_fault_check CHECK (fault IN ('amount', 'gone', 'cancelled', 'again'));

-- Whatever the application does: what was seen once is never again as if it had not been sent.
UPDATE app.payout_batches SET status = 'seen' WHERE status = 'open' AND seen_at IS NOT NULL;
CREATE FUNCTION app.refuse_unseeing() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'what was seen of a payout batch stays seen' USING ERRCODE = 'PB932';
END
$$;
CREATE TRIGGER payout_batches_stay_seen BEFORE UPDATE OF status, seen_at ON app.payout_batches
  FOR EACH ROW WHEN (OLD.seen_at IS NOT NULL AND (NEW.seen_at IS NULL OR NEW.status = 'open'))
  EXECUTE FUNCTION app.refuse_unseeing();
CREATE TRIGGER payout_items_stay_seen BEFORE UPDATE OF seen_transaction ON app.payout_items
  FOR EACH ROW WHEN (OLD.seen_transaction IS NOT NULL AND NEW.seen_transaction IS NULL)
  EXECUTE FUNCTION app.refuse_unseeing();
