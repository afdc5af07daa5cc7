-- Totals by day. Each leg moves an amount between two kinds of accounts on one UTC day. A background job folds the legs
-- into one row for each day, event and pair of kinds. What is not folded yet is read from the entries, which stay the
-- only truth: check_books compares these sums with them.

-- Sums of the legs whose credit is an entry above `p_after`, up to `p_upto`.
CREATE FUNCTION ledger.legs_by_day(p_after bigint, p_upto bigint)
RETURNS TABLE (day date, event text, from_kind text, to_kind text, asset text, legs bigint, amount numeric)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT (t.created_at AT TIME ZONE 'UTC')::date, t.event, da.kind, ca.kind, ca.asset, count(*), sum(c.amount)
    FROM ledger.entries c
    JOIN ledger.entries d ON d.transaction_id = c.transaction_id AND d.line = c.line - 1
    JOIN ledger.transactions t ON t.id = c.transaction_id
    JOIN ledger.accounts da ON da.id = d.account_id
    JOIN ledger.accounts ca ON ca.id = c.account_id
   WHERE c.id > p_after AND c.id <= p_upto AND c.line % 2 = 0
   GROUP BY 1, 2, 3, 4, 5;
END
$$;

-- Folds up to `p_most` safe entries, then sets the next mark. Called every minute; returns how many safe entries are
-- left.
CREATE FUNCTION ledger.fold_days(p_most bigint DEFAULT 100000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_latest bigint;
  v_own xid8;
  v_fold ledger.daily_fold;
  v_safe bigint;
  v_upto bigint;
BEGIN
  -- The latest entry first, then an xid: every transaction that already numbered an entry has a smaller one.
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'days are folded in a transaction of their own' USING ERRCODE = 'PB201';
  END IF;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO v_latest FROM ledger.entries_id_seq;
  v_own := pg_current_xact_id();
  -- One at a time; a concurrent run does the same work.
  SELECT * INTO v_fold FROM ledger.daily_fold FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  v_safe := CASE WHEN v_fold.next_ended_by <= pg_snapshot_xmin(pg_current_snapshot()) THEN v_fold.next_upto
                 ELSE v_fold.folded_upto END;
  v_upto := least(coalesce(v_safe, v_fold.folded_upto), v_fold.folded_upto + p_most);
  IF v_upto > v_fold.folded_upto THEN
    INSERT INTO ledger.daily_totals AS kept
    SELECT * FROM ledger.legs_by_day(v_fold.folded_upto, v_upto)
    ON CONFLICT (day, event, from_kind, to_kind, asset)
    DO UPDATE SET legs = kept.legs + excluded.legs, amount = kept.amount + excluded.amount;
  END IF;
  -- A mark stays until everything below it is folded.
  IF v_fold.next_upto IS NULL OR v_upto = v_fold.next_upto THEN
    UPDATE ledger.daily_fold SET folded_upto = v_upto, next_upto = v_latest, next_ended_by = v_own;
    RETURN 0;
  END IF;
  UPDATE ledger.daily_fold SET folded_upto = v_upto;
  RETURN coalesce(v_safe, v_upto) - v_upto;
END
$$;

-- Amounts moved between kinds on each day up to now: the folded days, plus the entries since.
CREATE FUNCTION ledger.moves_by_day()
RETURNS TABLE (day date, event text, from_kind text, to_kind text, asset text, legs bigint, amount numeric)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  -- In the snapshot of the calling statement.
  RETURN QUERY
  SELECT * FROM ledger.daily_totals
   UNION ALL
  SELECT legs.* FROM ledger.daily_fold fold, ledger.legs_by_day(fold.folded_upto, 9223372036854775807) legs;
END
$$;

GRANT EXECUTE ON FUNCTION ledger.legs_by_day, ledger.fold_days, ledger.moves_by_day TO probity_app;
