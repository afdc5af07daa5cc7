-- Runs beside the writers and never stops them: snapshots of the accounts without a running balance, and the check of
-- the books.

-- Writes the snapshots up to the latest safe mark, then sets the next mark; called every few minutes. Skips accounts
-- with few entries since their last snapshot. Returns how many snapshots it wrote.
CREATE FUNCTION ledger.take_snapshots(p_least_entries bigint DEFAULT 1000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_latest bigint;
  v_own xid8;
  v_upto bigint;
  v_written bigint := 0;
BEGIN
  -- The latest entry first, then an xid: every transaction that already wrote or numbered an entry has a smaller one.
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'snapshots are taken in a transaction of their own' USING ERRCODE = 'PB201';
  END IF;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO v_latest FROM ledger.entries_id_seq;
  v_own := pg_current_xact_id();
  -- One at a time; a concurrent run does the same work.
  IF NOT pg_try_advisory_xact_lock(7762486) THEN
    RETURN 0;
  END IF;
  SELECT max(entry_id) INTO v_upto
    FROM ledger.snapshot_marks
   WHERE ended_by <= pg_snapshot_xmin(pg_current_snapshot());
  IF v_upto IS NOT NULL THEN
    INSERT INTO ledger.snapshots (account_id, entry_id, balance)
    SELECT a.id, v_upto, coalesce(latest.balance, 0) + since.amount
      FROM ledger.accounts a
      LEFT JOIN LATERAL (
        SELECT entry_id, balance FROM ledger.snapshots WHERE account_id = a.id ORDER BY entry_id DESC LIMIT 1
      ) latest ON true
      CROSS JOIN LATERAL (
        SELECT count(*) AS entries, sum(amount) AS amount
          FROM ledger.entries
         WHERE account_id = a.id AND version IS NULL AND id > coalesce(latest.entry_id, 0) AND id <= v_upto
      ) since
     WHERE a.floor IS NULL AND since.entries >= p_least_entries;
    GET DIAGNOSTICS v_written = ROW_COUNT;
    DELETE FROM ledger.snapshot_marks WHERE entry_id <= v_upto;
  END IF;
  INSERT INTO ledger.snapshot_marks (entry_id, ended_by)
  VALUES (v_latest, v_own)
  ON CONFLICT (entry_id) DO NOTHING;
  RETURN v_written;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.take_snapshots TO probity_app;

CREATE FUNCTION ledger.examples(p_all jsonb[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(to_jsonb(p_all[:10]), '[]')
$$;

-- Every invariant of the books, with the number of rows examined and up to ten that break it. Needs one snapshot: see
-- check_books.
CREATE FUNCTION ledger.broken_promises()
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('transaction', e.transaction_id, 'asset', a.asset, 'sum', sum(e.amount)) AS example
      FROM ledger.entries e LEFT JOIN ledger.accounts a ON a.id = e.account_id
     GROUP BY e.transaction_id, a.asset HAVING sum(e.amount) <> 0
  ) SELECT 'transactions_balance', 'Every transaction sums to zero in each asset',
           (SELECT count(*) FROM ledger.transactions), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH leg AS (
    SELECT t.id, t.event, d.line, d.amount, c.amount AS credit, da.kind AS from_kind, ca.kind AS to_kind,
           da.owner <> ca.owner AND da.owner <> ledger.firm() AND ca.owner <> ledger.firm() AS between_investors
      FROM ledger.entries d
      LEFT JOIN ledger.transactions t ON t.id = d.transaction_id
      LEFT JOIN ledger.entries c ON c.transaction_id = d.transaction_id AND c.line = d.line + 1
      LEFT JOIN ledger.accounts da ON da.id = d.account_id
      LEFT JOIN ledger.accounts ca ON ca.id = c.account_id
     WHERE d.line % 2 = 1
  ), fault AS (
    SELECT to_jsonb(leg) AS example
      FROM leg LEFT JOIN ledger.posting_rules r
        ON (r.event, r.from_kind, r.to_kind) = (leg.event, leg.from_kind, leg.to_kind)
     WHERE r.event IS NULL OR leg.amount + leg.credit <> 0 OR leg.between_investors
    UNION ALL
    SELECT jsonb_build_object('transaction', e.transaction_id, 'line', e.line)
      FROM ledger.entries e LEFT JOIN ledger.entries d ON d.transaction_id = e.transaction_id AND d.line = e.line - 1
     WHERE e.line > 1 AND d.line IS NULL
    UNION ALL
    SELECT jsonb_build_object('transaction', t.id, 'entries', 0)
      FROM ledger.transactions t
     WHERE NOT EXISTS (SELECT FROM ledger.entries e WHERE e.transaction_id = t.id)
  ) SELECT 'legs_permitted', 'Every transaction has its legs, each one that posting_rules permit for its event, none between two investors',
           (SELECT count(*) FROM leg), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH link AS (
    SELECT e.id, e.account_id, e.version, e.previous_balance, e.new_balance, e.amount, a.floor, t.created_at,
           lag(e.version, 1, 0) OVER chain AS version_before, lag(e.new_balance, 1, 0) OVER chain AS balance_before,
           lag(e.id) OVER chain AS id_before, lag(t.created_at) OVER chain AS created_before
      FROM ledger.entries e
      JOIN ledger.accounts a ON a.id = e.account_id
      LEFT JOIN ledger.transactions t ON t.id = e.transaction_id
     WHERE a.floor IS NOT NULL
    WINDOW chain AS (PARTITION BY e.account_id ORDER BY e.version)
  ), fault AS (
    SELECT jsonb_build_object('entry', id, 'account', account_id, 'version', version) AS example
      FROM link
     WHERE (version = version_before + 1 AND previous_balance = balance_before
            AND new_balance = previous_balance + amount) IS NOT TRUE
        OR id < id_before OR created_at < created_before
  ) SELECT 'chains_unbroken', 'The entries of an account follow each other without a gap, each from the balance before it',
           (SELECT count(*) FROM link), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('account', a.id, 'balance', a.balance, 'entries', coalesce(sum(e.amount), 0)) AS example
      FROM ledger.accounts a LEFT JOIN ledger.entries e ON e.account_id = a.id
     WHERE a.floor IS NOT NULL
     GROUP BY a.id
    HAVING a.balance <> coalesce(sum(e.amount), 0) OR a.version <> count(e.id)
  ) SELECT 'balances_explained', 'Every balance is the sum of its entries',
           (SELECT count(*) FROM ledger.accounts WHERE floor IS NOT NULL), count(*), ledger.examples(array_agg(example))
      FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('account', a.id, 'kind', a.kind, 'lowest', min(e.new_balance)) AS example
      FROM ledger.accounts a
      JOIN ledger.account_kinds k ON k.kind = a.kind
      LEFT JOIN ledger.entries e ON e.account_id = a.id
     WHERE k.floor IS NOT NULL
     GROUP BY a.id, k.floor
    HAVING min(e.new_balance) < k.floor OR a.balance < k.floor OR a.floor IS DISTINCT FROM k.floor
  ) SELECT 'floors_held', 'No account with a floor was ever below it',
           (SELECT count(*) FROM ledger.accounts WHERE floor IS NOT NULL), count(*), ledger.examples(array_agg(example))
      FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('asset', asset, 'sum', sum(balance)) AS example
      FROM ledger.balances GROUP BY asset HAVING sum(balance) <> 0
  ) SELECT 'assets_conserved', 'All balances of an asset sum to zero: nothing is made, nothing is lost',
           (SELECT count(*) FROM ledger.assets), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('account', s.account_id, 'entry', s.entry_id, 'balance', s.balance, 'entries', total.amount) AS example
      FROM ledger.snapshots s
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount), 0) AS amount FROM ledger.entries WHERE account_id = s.account_id AND id <= s.entry_id
      ) total
     WHERE s.balance <> total.amount
       AND s.entry_id = (SELECT max(entry_id) FROM ledger.snapshots WHERE account_id = s.account_id)
  ) SELECT 'snapshots_right', 'The latest snapshot of each account is the sum of its entries up to there',
           (SELECT count(DISTINCT account_id) FROM ledger.snapshots), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH moved AS (
    SELECT CASE WHEN e.amount > 0 THEN e.transaction_id ELSE t.hold_id END AS hold, e.account_id, abs(e.amount) AS amount,
           count(*) FILTER (WHERE e.amount > 0) AS placed, count(*) FILTER (WHERE e.amount < 0) AS resolved
      FROM ledger.entries e
      JOIN ledger.accounts a ON a.id = e.account_id AND a.kind = 'held'
      LEFT JOIN ledger.transactions t ON t.id = e.transaction_id
     GROUP BY 1, 2, 3
  ), fault AS (
    SELECT jsonb_build_object('hold', coalesce(h.id, m.hold), 'placed', m.placed, 'resolved', m.resolved) AS example
      FROM ledger.holds h
      FULL JOIN moved m ON m.hold = h.id AND m.account_id = h.account_id AND m.amount = h.amount
     WHERE (m.placed = 1 AND m.resolved = CASE WHEN h.resolution IS NULL THEN 0 ELSE 1 END) IS NOT TRUE
        OR h.id IS NULL OR (h.resolution IS NULL) <> (h.resolved_by IS NULL)
    UNION ALL
    SELECT jsonb_build_object('account', a.id, 'held', a.balance, 'open', coalesce(sum(h.amount), 0))
      FROM ledger.accounts a LEFT JOIN ledger.holds h ON h.account_id = a.id AND h.resolution IS NULL
     WHERE a.kind = 'held'
     GROUP BY a.id HAVING a.balance <> coalesce(sum(h.amount), 0)
  ) SELECT 'holds_agree', 'Every hold was placed once and resolved at most once, and held balances are the open holds',
           (SELECT count(*) FROM ledger.holds), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH credit AS (
    SELECT c.transaction_id, c.line, c.amount, da.kind AS from_kind
      FROM ledger.entries c
      JOIN ledger.accounts ca ON ca.id = c.account_id AND ca.kind = 'recorded_returns'
      LEFT JOIN ledger.entries d ON d.transaction_id = c.transaction_id AND d.line = c.line - 1
      LEFT JOIN ledger.accounts da ON da.id = d.account_id
     WHERE c.amount > 0
  ), fault AS (
    SELECT to_jsonb(credit) AS example FROM credit WHERE from_kind IS DISTINCT FROM 'returns_received'
    UNION ALL
    SELECT jsonb_build_object('transaction', e.transaction_id, 'received_from', ca.kind)
      FROM ledger.entries e
      JOIN ledger.accounts a ON a.id = e.account_id AND a.kind = 'returns_received'
      LEFT JOIN ledger.entries c ON c.transaction_id = e.transaction_id AND c.line = e.line - sign(e.amount)::integer
      LEFT JOIN ledger.accounts ca ON ca.id = c.account_id
     WHERE ca.kind IS DISTINCT FROM 'recorded_returns'
  ) SELECT 'returns_from_outside', 'Recorded returns were funded by returns that the firm received, and by nothing else',
           (SELECT count(*) FROM credit), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

-- Compares every folded block with the entries; another invariant for check_books.
CREATE FUNCTION ledger.broken_totals()
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY WITH folded AS (
    SELECT account_id, max(block) AS blocks FROM ledger.statement_blocks GROUP BY account_id
  ), entries AS (
    SELECT l.account_id, l.kind, (l.version + 63) / 64 AS block, count(*) AS lines, sum(l.credited) AS credited,
           sum(l.debited) AS debited, sum(l.from_outside) AS from_outside, sum(l.to_outside) AS to_outside
      FROM ledger.statement_lines l
      JOIN folded f ON f.account_id = l.account_id AND l.version <= 64 * f.blocks
     GROUP BY 1, 2, 3
  ), expected AS (
    SELECT account_id, kind, block, sum(lines) OVER upto AS lines, sum(credited) OVER upto AS credited,
           sum(debited) OVER upto AS debited, sum(from_outside) OVER upto AS from_outside,
           sum(to_outside) OVER upto AS to_outside
      FROM entries
    WINDOW upto AS (PARTITION BY account_id, kind ORDER BY block)
  ), fault AS (
    SELECT jsonb_build_object('account', account_id, 'kind', kind, 'block', block) AS example
      FROM ledger.statement_blocks b
      FULL JOIN expected e USING (account_id, kind, block)
     WHERE (b.lines, b.credited, b.debited, b.from_outside, b.to_outside)
             IS DISTINCT FROM (e.lines, e.credited, e.debited, e.from_outside, e.to_outside)
  ) SELECT 'totals_right', 'The totals kept for statements are the sums of the entries',
           (SELECT count(*) FROM ledger.statement_blocks), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

-- Compares the folded days with the entries; another invariant for check_books.
CREATE FUNCTION ledger.broken_days()
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY WITH expected AS (
    SELECT (t.created_at AT TIME ZONE 'UTC')::date AS day, t.event, da.kind AS from_kind, ca.kind AS to_kind, ca.asset,
           count(*) AS legs, sum(c.amount) AS amount
      FROM ledger.entries c
      JOIN ledger.entries d ON d.transaction_id = c.transaction_id AND d.line = c.line - 1
      JOIN ledger.transactions t ON t.id = c.transaction_id
      JOIN ledger.accounts da ON da.id = d.account_id
      JOIN ledger.accounts ca ON ca.id = c.account_id
     WHERE c.line % 2 = 0 AND c.id <= (SELECT folded_upto FROM ledger.daily_fold)
     GROUP BY 1, 2, 3, 4, 5
  ), fault AS (
    SELECT jsonb_build_object('day', day, 'event', event, 'from', from_kind, 'to', to_kind, 'asset', asset) AS example
      FROM ledger.daily_totals k
      FULL JOIN expected e USING (day, event, from_kind, to_kind, asset)
     WHERE (k.legs, k.amount) IS DISTINCT FROM (e.legs, e.amount)
  ) SELECT 'days_right', 'The totals kept by day are the sums of the entries',
           (SELECT count(*) FROM ledger.daily_totals), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

-- Compares the records with the books, both ways (0041), and deposits with the transfers at their addresses; more
-- invariants for check_books.
CREATE FUNCTION ledger.broken_records()
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_deposits r)
  SELECT 'deposits_booked', 'Every deposit has the credits and reversals that were posted, and says whether it is paid and what is owed of it',
         (SELECT count(*) FROM app.deposits), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_investments r)
  SELECT 'investments_booked', 'Every investment has the postings of its state, of its owner and amount, and no others',
         (SELECT count(*) FROM app.investments), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_withdrawals r)
  SELECT 'withdrawals_booked', 'Every withdrawal has the postings of its state, of its owner and amount, and no others',
         (SELECT count(*) FROM app.withdrawals), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_earnings r)
  SELECT 'earnings_booked', 'Every paid earning was posted once, to its owner, and recorded returns add up to it',
         (SELECT count(*) FROM app.earnings), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_returns r)
  SELECT 'returns_booked', 'Every return has the postings of its state and amount, and no others',
         (SELECT count(*) FROM app.returns), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('return', r.id, 'spent', r.spent_cents, 'paid', coalesce(sum(s.amount_cents), 0)) AS example
      FROM app.returns r LEFT JOIN app.earning_sources s ON s.return_id = r.id
     GROUP BY r.id HAVING r.spent_cents <> coalesce(sum(s.amount_cents), 0)
  ) SELECT 'returns_spent', 'What is spent of a recorded return is what it paid of earnings',
           (SELECT count(*) FROM app.returns), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.postings_without_record r)
  SELECT 'postings_recorded', 'Every posting has its deposit, investment, withdrawal, earning or return',
         (SELECT count(*) FROM ledger.transactions), count(*), ledger.examples(array_agg(example)) FROM fault;

  -- The function that decides is called only for sums near a limit: some minutes more than a day, and the lowest limit.
  RETURN QUERY WITH day AS (
    SELECT w AS withdrawal, w.id, w.approvals_needed, least(w.single_approval_cents, lowest.cents) AS limit_cents,
           count(*) OVER requested AS requests, sum(w.amount_cents) FILTER (WHERE w.status <> 'declined') OVER requested AS cents
      FROM app.withdrawals w, (SELECT min(large_withdrawal_cents) AS cents FROM app.setting_versions) lowest
    WINDOW requested AS (PARTITION BY w.user_id ORDER BY w.created_at
                         RANGE BETWEEN interval '24 hours 2 minutes' PRECEDING AND interval '2 minutes' FOLLOWING)
  ), given AS (
    SELECT w.id, count(a.admin_id) AS given
      FROM app.withdrawals w
      LEFT JOIN app.withdrawal_approvals a ON a.withdrawal_id = w.id AND a.admin_id <> w.user_id
     WHERE w.status IN ('approved', 'paid')
     GROUP BY w.id
  ), counted AS (
    -- As if it were decided now: what was declined since only lowers the sums.
    SELECT g.id, g.given,
           greatest(d.approvals_needed, CASE WHEN g.given < 2 AND (d.cents > d.limit_cents OR d.requests >= 1000) THEN
             app.approvals_needed(jsonb_populate_record(d.withdrawal, '{ "status": "pending", "approvals_needed": 1 }')) END) AS needed
      FROM given g JOIN day d ON d.id = g.id
  ), fault AS (
    SELECT jsonb_build_object('withdrawal', id, 'needed', needed, 'given', given) AS example FROM counted WHERE given < needed
  ) SELECT 'withdrawals_approved', 'Every approved or paid withdrawal has the approvals that it needed, by its limit and its owner''s sums',
           (SELECT count(*) FROM given), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH alone AS (
    SELECT w AS withdrawal, w.id, least(w.single_approval_cents, lowest.cents) AS limit_cents, count(*) OVER (PARTITION BY w.id) AS given,
           sum(w.amount_cents) OVER (PARTITION BY a.admin_id, a.holder ORDER BY a.created_at
                                     RANGE BETWEEN interval '24 hours' - interval '1 microsecond' PRECEDING AND CURRENT ROW) AS cents
      FROM app.withdrawals w
      JOIN app.withdrawal_approvals a ON a.withdrawal_id = w.id
     CROSS JOIN (SELECT min(large_withdrawal_cents) AS cents FROM app.setting_versions) lowest
     WHERE w.status IN ('approved', 'paid') AND w.approvals_needed = 1
  ), fault AS (
    SELECT jsonb_build_object('withdrawal', id, 'alone', cents, 'limit', app.single_approval(withdrawal)) AS example
      FROM alone WHERE given = 1 AND CASE WHEN cents > limit_cents THEN cents > app.single_approval(withdrawal) END
  ) SELECT 'approvers_within_limit', 'Nobody approved more withdrawals alone in 24 hours than one person may',
           (SELECT count(*) FROM alone), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('withdrawal', w.id, 'by', w.paid_by) AS example
      FROM app.withdrawals w
     WHERE w.status = 'paid'
       AND (w.paid_by = w.user_id
            OR w.paid_by IS NULL AND NOT EXISTS (SELECT FROM app.payout_items p WHERE p.withdrawal_id = w.id AND p.state = 'paid')
            -- An account that changed hands since may have approved it as another person.
            OR EXISTS (SELECT FROM app.withdrawal_approvals a JOIN app.users u ON u.id = a.admin_id AND u.holder = a.holder
                        WHERE a.withdrawal_id = w.id AND a.admin_id = w.paid_by))
  ) SELECT 'withdrawals_paid_by_others', 'Every paid withdrawal was paid by a batch, or marked as paid by neither its owner nor an approver',
           (SELECT count(*) FROM app.withdrawals WHERE status = 'paid'), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('earning', e.id, 'added', e.created_by, 'approved', e.approved_by) AS example
      FROM app.earnings e
     WHERE e.status = 'paid'
       AND (e.user_id IN (e.created_by, e.approved_by) OR e.approved_by = e.created_by
            OR e.approved_by IS NULL AND (e.beyond_accrued_cents > 0 OR (
                 SELECT s.earnings_second_approval FROM app.setting_versions s
                  WHERE s.created_at <= e.created_at ORDER BY s.version DESC LIMIT 1)))
  ) SELECT 'earnings_approved', 'Every paid earning beyond what had accrued, or while all needed it, was approved by a second person',
           (SELECT count(*) FROM app.earnings WHERE status = 'paid'), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH alone AS (
    SELECT r.id, app.alone_limit(r) AS most,
           sum(r.amount_cents) OVER (PARTITION BY r.recorded_by ORDER BY r.created_at
                                     RANGE BETWEEN interval '24 hours' - interval '1 microsecond' PRECEDING AND CURRENT ROW) AS cents
      FROM app.returns r
     WHERE r.status IN ('recorded', 'void_proposed', 'voided') AND r.approved_by IS NULL
  ), fault AS (
    SELECT jsonb_build_object('return', id, 'alone', cents, 'limit', most) AS example FROM alone WHERE cents > most
  ) SELECT 'returns_approved', 'Every return beyond what one person may record alone in 24 hours was approved by a second person',
           (SELECT count(*) FROM alone), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH noted AS (
    SELECT user_id, sum(recovered_cents) AS cents
      FROM (SELECT user_id, recovered_cents FROM app.investments UNION ALL SELECT user_id, recovered_cents FROM app.withdrawals
             UNION ALL SELECT user_id, recovered_cents FROM app.earnings) freed
     GROUP BY user_id
  ), booked AS (
    SELECT da.owner AS user_id, sum(c.amount) AS cents
      FROM ledger.accounts ca
      JOIN ledger.entries c ON c.account_id = ca.id AND c.amount > 0
      JOIN ledger.entries d ON d.transaction_id = c.transaction_id AND d.line = c.line - 1
      JOIN ledger.accounts da ON da.id = d.account_id AND da.kind = 'available'
     WHERE ca.kind = 'receivable'
     GROUP BY da.owner
  ), fault AS (
    SELECT jsonb_build_object('user', user_id, 'noted', noted.cents, 'booked', booked.cents) AS example
      FROM noted FULL JOIN booked USING (user_id)
     WHERE coalesce(noted.cents, 0) <> coalesce(booked.cents, 0)
  ) SELECT 'debts_repaid', 'What investments, withdrawals and earnings say they repaid of their owner''s debt was posted',
           (SELECT count(*) FROM noted), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH covered AS (
    SELECT transfer_id, deposit_id, sum(units) AS units, count(*) FILTER (WHERE is_credit) AS credits
      FROM (SELECT transfer_id, deposit_id, units, true AS is_credit
              FROM app.deposit_credits WHERE transfer_id IS NOT NULL AND reversed_by IS NULL
             UNION ALL
            SELECT m.transfer_id, c.deposit_id, m.units, false
              FROM app.credit_matches m JOIN app.deposit_credits c ON c.id = m.credit_id) each
     GROUP BY transfer_id, deposit_id
  ), fault AS (
    SELECT jsonb_build_object('transfer', t.id, 'units', t.units, 'credited', t.credited_units, 'by', to_jsonb(c)) AS example
      FROM app.chain_transfers t
      LEFT JOIN covered c ON c.transfer_id = t.id
      LEFT JOIN app.payment_addresses a ON a.rail = t.rail AND app.address_key(a.address) = t.address
     WHERE (t.credited_units > 0 OR c.transfer_id IS NOT NULL)
       AND (t.credited_units <> coalesce(c.units, 0) OR c.units > t.units OR c.credits > 1
            OR a.deposit_id IS DISTINCT FROM c.deposit_id OR t.ignored_reason IS NOT NULL)
     UNION ALL
    SELECT jsonb_build_object('credit', c.id, 'units', c.units, 'matched', sum(m.units))
      FROM app.credit_matches m JOIN app.deposit_credits c ON c.id = m.credit_id
     GROUP BY c.id HAVING sum(m.units) > c.units
  ) SELECT 'transfers_credited_once', 'Every transfer is credited once at most, to the deposit of its address, and no manual credit covers more than itself',
           (SELECT count(*) FROM app.deposit_credits), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

-- Checks the books and stores the result, with the checks that the caller made in the same snapshot (`p_more`, an array
-- of the same form). Needs one snapshot (REPEATABLE READ): a posting between two checks would look like a fault.
CREATE FUNCTION ledger.check_books(p_more jsonb DEFAULT '[]') RETURNS ledger.invariant_runs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_started timestamptz := clock_timestamp();
  v_checks jsonb;
  v_run ledger.invariant_runs;
BEGIN
  IF current_setting('transaction_isolation') NOT IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'the books are checked in one snapshot: BEGIN ISOLATION LEVEL REPEATABLE READ' USING ERRCODE = 'PB200';
  END IF;
  SELECT jsonb_agg(to_jsonb(c)) INTO v_checks
    FROM (SELECT * FROM ledger.broken_promises() UNION ALL SELECT * FROM ledger.broken_totals()
           UNION ALL SELECT * FROM ledger.broken_days() UNION ALL SELECT * FROM ledger.broken_records()
           UNION ALL SELECT * FROM ledger.broken_seals()
           UNION ALL SELECT * FROM ledger.broken_log()) c;
  v_checks := v_checks || p_more;
  INSERT INTO ledger.invariant_runs (started_at, finished_at, ok, checks)
  VALUES (v_started, clock_timestamp(), NOT jsonb_path_exists(v_checks, '$[*] ? (@.faults > 0)'), v_checks)
  RETURNING * INTO v_run;
  RETURN v_run;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.check_books TO probity_app;
