-- What the books refuse, whoever asks: the application's role, which has no right to write here anyway, and the
-- owner of the tables too. SQLSTATEs: PB1xx a posting that must not be, PB900 a change of what is written.

CREATE FUNCTION ledger.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '% on ledger.% is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'PB900';
END
$$;

CREATE TRIGGER transactions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.transactions
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER idempotency_keys_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.idempotency_keys
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('an answer is given once');
CREATE TRIGGER snapshots_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.snapshots
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER invariant_runs_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.invariant_runs
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER accounts_stay BEFORE DELETE OR TRUNCATE ON ledger.accounts
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('accounts stay');
CREATE TRIGGER holds_stay BEFORE DELETE OR TRUNCATE ON ledger.holds
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('holds stay');

-- Balances and holds follow from entries, so only the guard on entries may write them. A trigger's own statements
-- run at depth 1 and more; a statement that anybody sends runs at depth 0.
CREATE TRIGGER accounts_follow_entries BEFORE UPDATE ON ledger.accounts
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION ledger.refuse_change('only an entry moves a balance');
CREATE TRIGGER holds_follow_entries BEFORE INSERT OR UPDATE ON ledger.holds
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION ledger.refuse_change('only an entry places or resolves a hold');

-- A new account is an empty one, of a kind and an asset that the chart of accounts knows.
CREATE FUNCTION ledger.open_account() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_kind ledger.account_kinds;
BEGIN
  SELECT * INTO v_kind FROM ledger.account_kinds WHERE kind = NEW.kind;
  IF v_kind.kind IS NULL OR NOT NEW.asset = ANY (v_kind.assets)
     OR (v_kind.holder = 'firm') <> (NEW.owner = ledger.firm()) THEN
    RAISE EXCEPTION 'the chart of accounts has no % account in % for %', NEW.kind, NEW.asset,
      CASE WHEN NEW.owner = ledger.firm() THEN 'the firm' ELSE 'an investor' END
      USING ERRCODE = 'PB103';
  END IF;
  NEW.floor := v_kind.floor;
  NEW.balance := CASE WHEN v_kind.floor IS NULL THEN NULL ELSE 0 END;
  NEW.version := NEW.balance;
  NEW.moved_at := NULL;
  RETURN NEW;
END
$$;
CREATE TRIGGER accounts_open_empty BEFORE INSERT ON ledger.accounts
  FOR EACH ROW EXECUTE FUNCTION ledger.open_account();

-- Runs once for each statement that inserts entries, over all of them:
--   1. every leg is a debit and a credit of one amount in one asset, of a transaction that is there and whose event's
--      posting_rules permit it: each transaction balances per asset, leg by leg;
--   2. line 1 of every transaction is among them, so that nothing can be added to a transaction later;
--   3. every account with a floor goes on from its latest entry: no gap, forward in time, never below the floor;
--      its balance and version become those of its new latest entry;
--   4. what goes into a held account places a hold, and what leaves one resolves the transaction's hold, in full.
CREATE FUNCTION ledger.guard_entries() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_lines bigint;
  v_legs bigint;
  v_openings bigint;
  v_transactions bigint;
  v_placed bigint;
  v_resolved bigint;
  v_sound boolean;
  v_heads bigint;
  v_moved bigint;
BEGIN
  SELECT sum(leg.lines), count(r.event), count(*) FILTER (WHERE leg.opens), count(DISTINCT leg.transaction_id),
         count(*) FILTER (WHERE r.hold = 'place'), count(*) FILTER (WHERE r.hold <> 'place')
    INTO v_lines, v_legs, v_openings, v_transactions, v_placed, v_resolved
    FROM (
      SELECT e.transaction_id, min(e.line) = 1 AS opens, count(*) AS lines,
             count(a.id) = 2 AND sum(e.amount) = 0 AND min(a.asset) = max(a.asset) AS balanced,
             min(a.kind) FILTER (WHERE e.amount < 0) AS from_kind,
             min(a.kind) FILTER (WHERE e.amount > 0) AS to_kind
        FROM posted e
        LEFT JOIN ledger.accounts a ON a.id = e.account_id
       GROUP BY e.transaction_id, (e.line + 1) / 2
    ) leg
    LEFT JOIN ledger.transactions t ON t.id = leg.transaction_id
    LEFT JOIN ledger.posting_rules r
      ON (r.event, r.from_kind, r.to_kind) = (t.event, leg.from_kind, leg.to_kind)
     AND leg.balanced AND (t.hold_id IS NULL) = (r.hold IS NULL OR r.hold = 'place');
  IF v_legs * 2 <> v_lines OR v_openings <> v_transactions THEN
    PERFORM ledger.refuse_legs(array_agg(DISTINCT transaction_id)) FROM posted;
  END IF;

  WITH step AS (
    SELECT e.account_id, e.version, e.new_balance, t.created_at,
           lead(e.id) OVER chain IS NULL AS head,
           (e.previous_balance = coalesce(lag(e.new_balance) OVER chain, a.balance)
            AND e.version = coalesce(lag(e.version) OVER chain, a.version) + 1
            AND e.id > coalesce(lag(e.id) OVER chain, 0)
            AND e.new_balance >= a.floor
            AND t.created_at >= coalesce(lag(t.created_at) OVER chain, a.moved_at, t.created_at)) IS TRUE AS sound
      FROM posted e
      JOIN ledger.accounts a ON a.id = e.account_id
      JOIN ledger.transactions t ON t.id = e.transaction_id
     WHERE a.floor IS NOT NULL OR e.version IS NOT NULL
    WINDOW chain AS (PARTITION BY e.account_id ORDER BY e.version)
  ), moved AS (
    UPDATE ledger.accounts a
       SET balance = s.new_balance, version = s.version, moved_at = s.created_at
      FROM step s
     WHERE a.id = s.account_id AND s.head AND s.sound
    RETURNING 1
  )
  SELECT bool_and(sound), count(*) FILTER (WHERE head), (SELECT count(*) FROM moved)
    INTO v_sound, v_heads, v_moved
    FROM step;
  IF NOT v_sound OR v_heads <> v_moved THEN
    RAISE EXCEPTION 'an entry does not go on from its account''s latest one, or leaves it below its floor'
      USING ERRCODE = 'PB102';
  END IF;

  IF v_placed > 0 THEN
    INSERT INTO ledger.holds (id, account_id, amount)
    SELECT e.transaction_id, e.account_id, e.amount
      FROM posted e
      JOIN ledger.accounts a ON a.id = e.account_id
     WHERE a.kind = 'held' AND e.amount > 0;
  END IF;
  IF v_resolved > 0 THEN
    UPDATE ledger.holds h
       SET resolution = CASE r.hold WHEN 'post' THEN 'posted' ELSE 'voided' END, resolved_by = t.id
      FROM posted d
      JOIN ledger.transactions t ON t.id = d.transaction_id
      JOIN posted c ON c.transaction_id = d.transaction_id AND c.line = d.line + 1
      JOIN ledger.accounts a ON a.id = c.account_id
      JOIN ledger.posting_rules r ON (r.event, r.from_kind, r.to_kind) = (t.event, 'held', a.kind)
     WHERE h.id = t.hold_id AND h.account_id = d.account_id AND h.amount = -d.amount AND h.resolved_by IS NULL;
    GET DIAGNOSTICS v_moved = ROW_COUNT;
    IF v_moved <> v_resolved THEN
      RAISE EXCEPTION 'the hold is not there, not of this account and amount, or resolved already' USING ERRCODE = 'PB104';
    END IF;
  END IF;
  RETURN NULL;
END
$$;

-- Says which leg of the transactions being posted is at fault, and why.
CREATE FUNCTION ledger.refuse_legs(p_transactions uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_fault text;
BEGIN
  SELECT CASE
           WHEN t.id IS NULL THEN format('there is no transaction %s', leg.transaction_id)
           WHEN leg.accounts < leg.lines THEN format('an account of transaction %s does not exist', leg.transaction_id)
           WHEN leg.lines <> 2 OR leg.total <> 0 OR leg.assets > 1
             THEN format('transaction %s does not balance per asset at line %s', leg.transaction_id, leg.line)
           WHEN r.event IS NULL THEN format('%s may not move money from %s to %s', t.event, leg.from_kind, leg.to_kind)
           WHEN (t.hold_id IS NULL) <> (r.hold IS NULL OR r.hold = 'place')
             THEN format('%s from %s to %s %s', t.event, leg.from_kind, leg.to_kind,
                         CASE WHEN t.hold_id IS NULL THEN 'must name the hold it resolves' ELSE 'resolves no hold' END)
         END
    INTO v_fault
    FROM (
      SELECT e.transaction_id, min(e.line) AS line, count(*) AS lines, count(a.id) AS accounts, sum(e.amount) AS total,
             count(DISTINCT a.asset) AS assets,
             min(a.kind) FILTER (WHERE e.amount < 0) AS from_kind, min(a.kind) FILTER (WHERE e.amount > 0) AS to_kind
        FROM ledger.entries e
        LEFT JOIN ledger.accounts a ON a.id = e.account_id
       WHERE e.transaction_id = ANY (p_transactions)
       GROUP BY e.transaction_id, (e.line + 1) / 2
    ) leg
    LEFT JOIN ledger.transactions t ON t.id = leg.transaction_id
    LEFT JOIN ledger.posting_rules r ON (r.event, r.from_kind, r.to_kind) = (t.event, leg.from_kind, leg.to_kind)
   ORDER BY 1 NULLS LAST
   LIMIT 1;
  RAISE EXCEPTION '%', coalesce(v_fault, 'a transaction is written as a whole: nothing is added to it later')
    USING ERRCODE = 'PB101';
END
$$;

CREATE TRIGGER entries_guard AFTER INSERT ON ledger.entries
  REFERENCING NEW TABLE AS posted
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.guard_entries();
