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

-- What a check examines: everything, or what is new since a verified point. A row is new if its xmin, the transaction
-- that wrote this version of it, had not ended there: so PostgreSQL itself marks what was written, by any role.
CREATE TYPE ledger.check_scope AS (
  everything boolean,
  -- A row is new if age(xmin) is at most this.
  age integer,
  -- New ones, and those whose entries, credits, approvals or sources are new.
  transactions uuid[],
  accounts bigint[],
  holds uuid[],
  deposits uuid[],
  investments uuid[],
  withdrawals uuid[],
  earnings uuid[],
  returns uuid[],
  transfers bigint[],
  -- The investors with these withdrawals, and the time from which sums over 24 hours include a new row.
  withdrawers uuid[],
  approvals_from timestamptz,
  returns_from timestamptz
);

-- The scope of what is new since a transaction; NULL: everything, as if more than `p_most` transactions are new.
CREATE FUNCTION ledger.scope_since(p_since xid8, p_most bigint DEFAULT 1000000) RETURNS ledger.check_scope
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  s ledger.check_scope;
BEGIN
  s.age := age(p_since::xid);
  s.transactions := ARRAY(
    SELECT id FROM ledger.transactions t WHERE age(t.xmin) <= s.age
     UNION
    SELECT transaction_id FROM ledger.entries e WHERE age(e.xmin) <= s.age
     LIMIT p_most + 1);
  IF p_since IS NULL OR cardinality(s.transactions) > p_most THEN
    s.everything := true;
    s.age := 2147483647;
    RETURN s;
  END IF;
  s.everything := false;
  s.accounts := ARRAY(
    SELECT id FROM ledger.accounts a WHERE age(a.xmin) <= s.age
     UNION
    SELECT account_id FROM ledger.entries WHERE transaction_id = ANY (s.transactions));
  s.holds := ARRAY(
    SELECT id FROM ledger.holds h WHERE age(h.xmin) <= s.age
     UNION
    SELECT unnest(ARRAY[id, hold_id]) FROM ledger.transactions WHERE id = ANY (s.transactions));
  s.investments := ARRAY(
    SELECT id FROM app.investments i WHERE age(i.xmin) <= s.age
     UNION
    SELECT reference_id FROM ledger.transactions WHERE id = ANY (s.transactions) AND reference_kind = 'investment');
  s.deposits := ARRAY(
    SELECT id FROM app.deposits d WHERE age(d.xmin) <= s.age OR investment_id = ANY (s.investments)
     UNION
    SELECT deposit_id FROM app.deposit_credits c WHERE age(c.xmin) <= s.age
     UNION
    SELECT reference_id FROM ledger.transactions WHERE id = ANY (s.transactions) AND reference_kind = 'deposit');
  s.withdrawals := ARRAY(
    SELECT id FROM app.withdrawals w WHERE age(w.xmin) <= s.age
     UNION
    SELECT withdrawal_id FROM app.withdrawal_approvals a WHERE age(a.xmin) <= s.age
     UNION
    SELECT withdrawal_id FROM app.payout_items p WHERE age(p.xmin) <= s.age AND withdrawal_id IS NOT NULL
     UNION
    SELECT reference_id FROM ledger.transactions WHERE id = ANY (s.transactions) AND reference_kind = 'withdrawal');
  s.earnings := ARRAY(
    SELECT id FROM app.earnings g WHERE age(g.xmin) <= s.age
     UNION
    SELECT earning_id FROM app.earning_sources o WHERE age(o.xmin) <= s.age
     UNION
    SELECT reference_id FROM ledger.transactions WHERE id = ANY (s.transactions) AND reference_kind = 'earning');
  s.returns := ARRAY(
    SELECT id FROM app.returns r WHERE age(r.xmin) <= s.age
     UNION
    SELECT return_id FROM app.earning_sources o WHERE age(o.xmin) <= s.age
     UNION
    SELECT reference_id FROM ledger.transactions WHERE id = ANY (s.transactions) AND reference_kind = 'return');
  s.transfers := ARRAY(
    SELECT id FROM app.chain_transfers t WHERE age(t.xmin) <= s.age
     UNION
    SELECT transfer_id FROM app.deposit_credits WHERE deposit_id = ANY (s.deposits) AND transfer_id IS NOT NULL
     UNION
    SELECT transfer_id FROM app.credit_matches m WHERE age(m.xmin) <= s.age);
  s.withdrawers := ARRAY(SELECT DISTINCT user_id FROM app.withdrawals WHERE id = ANY (s.withdrawals));
  s.approvals_from := (SELECT min(created_at) FROM app.withdrawal_approvals WHERE withdrawal_id = ANY (s.withdrawals)) - interval '24 hours';
  s.returns_from := (SELECT min(created_at) FROM app.returns WHERE id = ANY (s.returns)) - interval '24 hours';
  RETURN s;
END
$$;

-- What must stay as it is of everything written before a transaction: the rows of each append-only table, and whose
-- accounts they are about. While it does, none of those rows was changed, deleted or moved to somebody else. Returns it
-- for two transactions, as an array for each table, so that both need one pass.
CREATE FUNCTION ledger.written_before(p_then xid8, p_now xid8) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_then integer := age(p_then::xid);
  v_now integer := age(p_now::xid);
BEGIN
  RETURN jsonb_build_object(
    -- Numbers of transactions mean nothing in another cluster.
    'cluster', (SELECT jsonb_build_array(system_identifier::text, system_identifier::text) FROM pg_control_system()),
    -- The limits by which everything is judged, and the keys of the public log: none is new or changed.
    'setting_versions', (SELECT jsonb_build_array(v, v) FROM (SELECT jsonb_agg(xmin::text ORDER BY version) AS v FROM app.setting_versions) t),
    'proof_keys', (SELECT jsonb_build_array(k, k)
       FROM (SELECT jsonb_agg(jsonb_build_array(purpose, since_epoch, name, public_key) ORDER BY purpose, since_epoch) AS k
               FROM app.proof_keys) t),
    'accounts', (
      SELECT jsonb_build_array(encode(sha256(string_agg(a.hash, '' ORDER BY a.id) FILTER (WHERE first.age > v_then)), 'hex'),
                               encode(sha256(string_agg(a.hash, '' ORDER BY a.id) FILTER (WHERE first.age > v_now)), 'hex'))
        FROM (SELECT account_id, age(e.xmin) AS age FROM ledger.entries e WHERE e.version = 1
               UNION ALL
              SELECT f.id, (SELECT age(e.xmin) FROM ledger.entries e WHERE e.account_id = f.id AND e.version IS NULL ORDER BY e.id LIMIT 1)
                FROM ledger.accounts f WHERE f.floor IS NULL) first
        JOIN (SELECT id, sha256(convert_to(concat_ws(' ', id, owner, kind, asset), 'UTF8')) AS hash FROM ledger.accounts) a
          ON a.id = first.account_id),
    'transactions', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM ledger.transactions t),
    'entries', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM ledger.entries t),
    'snapshots', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM ledger.snapshots t),
    'statement_blocks', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM ledger.statement_blocks t),
    'seal_batches', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM ledger.seal_batches t),
    'seals', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM ledger.seals t),
    'log', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM ledger.log t),
    'epochs', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM ledger.epochs t),
    'cosignatures', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM ledger.cosignatures t),
    'audit_log', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM app.audit_log t),
    'withdrawal_approvals', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM app.withdrawal_approvals t),
    'earning_sources', (SELECT jsonb_build_array(count(*) FILTER (WHERE age(t.xmin) > v_then), count(*) FILTER (WHERE age(t.xmin) > v_now))
       FROM app.earning_sources t));
END
$$;

-- The balances of each kind of account: those of investors are kept, the few of the firm may have to be summed.
CREATE VIEW ledger.kind_balances AS
SELECT kind, asset, sum(balance) AS balance
  FROM (SELECT kind, asset, balance FROM ledger.accounts WHERE owner <> ledger.firm()
         UNION ALL
        SELECT kind, asset, balance FROM ledger.balances WHERE owner = ledger.firm()) each
 GROUP BY kind, asset;

-- Every invariant of the books, with the number of rows examined and up to ten that break it. Needs one snapshot: see
-- check_books. Where a whole pass is cheap, it examines everything whatever the scope.
CREATE FUNCTION ledger.broken_promises(p_scope ledger.check_scope)
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('transaction', e.transaction_id, 'asset', a.asset, 'sum', sum(e.amount)) AS example
      FROM ledger.entries e LEFT JOIN ledger.accounts a ON a.id = e.account_id
     WHERE p_scope.everything OR e.transaction_id = ANY (p_scope.transactions)
     GROUP BY e.transaction_id, a.asset HAVING sum(e.amount) <> 0
  ) SELECT 'transactions_balance', 'Every transaction sums to zero in each asset',
           (SELECT count(*) FROM ledger.transactions t WHERE p_scope.everything OR t.id = ANY (p_scope.transactions)), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH leg AS (
    SELECT t.id, t.event, d.line, d.amount, c.amount AS credit, da.kind AS from_kind, ca.kind AS to_kind,
           da.owner <> ca.owner AND da.owner <> ledger.firm() AND ca.owner <> ledger.firm() AS between_investors
      FROM ledger.entries d
      LEFT JOIN ledger.transactions t ON t.id = d.transaction_id
      LEFT JOIN ledger.entries c ON c.transaction_id = d.transaction_id AND c.line = d.line + 1
      LEFT JOIN ledger.accounts da ON da.id = d.account_id
      LEFT JOIN ledger.accounts ca ON ca.id = c.account_id
     WHERE d.line % 2 = 1 AND (p_scope.everything OR d.transaction_id = ANY (p_scope.transactions))
  ), fault AS (
    SELECT to_jsonb(leg) AS example
      FROM leg LEFT JOIN ledger.posting_rules r
        ON (r.event, r.from_kind, r.to_kind) = (leg.event, leg.from_kind, leg.to_kind)
     WHERE r.event IS NULL OR leg.amount + leg.credit <> 0 OR leg.between_investors
    UNION ALL
    SELECT jsonb_build_object('transaction', e.transaction_id, 'line', e.line)
      FROM ledger.entries e LEFT JOIN ledger.entries d ON d.transaction_id = e.transaction_id AND d.line = e.line - 1
     WHERE e.line > 1 AND d.line IS NULL AND (p_scope.everything OR e.transaction_id = ANY (p_scope.transactions))
    UNION ALL
    SELECT jsonb_build_object('transaction', t.id, 'entries', 0)
      FROM ledger.transactions t
     WHERE (p_scope.everything OR t.id = ANY (p_scope.transactions))
       AND NOT EXISTS (SELECT FROM ledger.entries e WHERE e.transaction_id = t.id)
  ) SELECT 'legs_permitted', 'Every transaction has its legs, each one that posting_rules permit for its event, none between two investors',
           (SELECT count(*) FROM leg), count(*), ledger.examples(array_agg(example)) FROM fault;

  -- A new entry follows the one of the version before it, found by index; so by induction the whole chain is unbroken.
  RETURN QUERY WITH link AS (
    SELECT e.id, e.account_id, e.version, e.previous_balance, e.new_balance, e.amount, t.created_at,
           CASE WHEN e.version = 1 THEN 0 ELSE b.new_balance END AS balance_before, b.id AS id_before, bt.created_at AS created_before
      FROM ledger.entries e
      JOIN ledger.accounts a ON a.id = e.account_id
      LEFT JOIN ledger.transactions t ON t.id = e.transaction_id
      LEFT JOIN ledger.entries b ON b.account_id = e.account_id AND b.version = e.version - 1
      LEFT JOIN ledger.transactions bt ON bt.id = b.transaction_id
     WHERE a.floor IS NOT NULL AND (p_scope.everything OR e.transaction_id = ANY (p_scope.transactions))
  ), fault AS (
    SELECT jsonb_build_object('entry', id, 'account', account_id, 'version', version) AS example
      FROM link
     WHERE (version >= 1 AND previous_balance = balance_before AND new_balance = previous_balance + amount) IS NOT TRUE
        OR id < id_before OR created_at < created_before
  ) SELECT 'chains_unbroken', 'The entries of an account follow each other without a gap, each from the balance before it',
           (SELECT count(*) FROM link), count(*), ledger.examples(array_agg(example)) FROM fault;

  -- With its chain unbroken, an account's latest entry has the sum and the number of all of them.
  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('account', a.id, 'balance', a.balance, 'entries', coalesce(latest.new_balance, 0)) AS example
      FROM ledger.accounts a
      LEFT JOIN LATERAL (SELECT new_balance, version FROM ledger.entries WHERE account_id = a.id AND version IS NOT NULL
                          ORDER BY version DESC LIMIT 1) latest ON true
     WHERE a.floor IS NOT NULL AND (p_scope.everything OR a.id = ANY (p_scope.accounts))
       AND (a.balance, a.version) IS DISTINCT FROM (coalesce(latest.new_balance, 0), coalesce(latest.version, 0))
  ) SELECT 'balances_explained', 'Every balance is the sum of its entries',
           (SELECT count(*) FROM ledger.accounts a WHERE a.floor IS NOT NULL AND (p_scope.everything OR a.id = ANY (p_scope.accounts))),
           count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH low AS (
    SELECT e.account_id, min(e.new_balance) AS balance
      FROM ledger.entries e
      JOIN ledger.accounts a ON a.id = e.account_id
      JOIN ledger.account_kinds k ON k.kind = a.kind
     WHERE e.new_balance < k.floor AND (p_scope.everything OR e.transaction_id = ANY (p_scope.transactions))
     GROUP BY e.account_id
  ), fault AS (
    SELECT jsonb_build_object('account', a.id, 'kind', a.kind, 'lowest', least(low.balance, a.balance)) AS example
      FROM ledger.accounts a
      JOIN ledger.account_kinds k ON k.kind = a.kind
      LEFT JOIN low ON low.account_id = a.id
     WHERE k.floor IS NOT NULL AND (p_scope.everything OR a.id = ANY (p_scope.accounts))
       AND (low.balance IS NOT NULL OR a.balance < k.floor OR a.floor IS DISTINCT FROM k.floor)
  ) SELECT 'floors_held', 'No account with a floor was ever below it',
           (SELECT count(*) FROM ledger.accounts a WHERE a.floor IS NOT NULL AND (p_scope.everything OR a.id = ANY (p_scope.accounts))), count(*), ledger.examples(array_agg(example))
      FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('asset', asset, 'sum', sum(balance)) AS example
      FROM ledger.kind_balances GROUP BY asset HAVING sum(balance) <> 0
  ) SELECT 'assets_conserved', 'All balances of an asset sum to zero: nothing is made, nothing is lost',
           (SELECT count(*) FROM ledger.assets), count(*), ledger.examples(array_agg(example)) FROM fault;

  -- From the latest verified snapshot before it, or from the first entry.
  RETURN QUERY WITH latest AS (
    SELECT DISTINCT ON (s.account_id) s.account_id, s.entry_id, s.balance, age(s.xmin) <= p_scope.age AS is_new
      FROM ledger.snapshots s ORDER BY s.account_id, s.entry_id DESC
  ), fault AS (
    SELECT jsonb_build_object('account', l.account_id, 'entry', l.entry_id, 'balance', l.balance, 'entries', total.amount) AS example
      FROM latest l
      LEFT JOIN LATERAL (
        SELECT v.entry_id, v.balance FROM ledger.snapshots v
         WHERE v.account_id = l.account_id AND v.entry_id < l.entry_id AND age(v.xmin) > p_scope.age
         ORDER BY v.entry_id DESC LIMIT 1
      ) before ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(before.balance, 0) + coalesce(sum(amount), 0) AS amount FROM ledger.entries
         WHERE account_id = l.account_id AND version IS NULL AND id > coalesce(before.entry_id, 0) AND id <= l.entry_id
      ) total
     WHERE l.is_new AND l.balance <> total.amount
  ) SELECT 'snapshots_right', 'The latest snapshot of each account is the sum of its entries up to there',
           (SELECT count(*) FROM latest WHERE is_new), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH moved AS (
    SELECT CASE WHEN e.amount > 0 THEN e.transaction_id ELSE t.hold_id END AS hold, e.account_id, abs(e.amount) AS amount,
           count(*) FILTER (WHERE e.amount > 0) AS placed, count(*) FILTER (WHERE e.amount < 0) AS resolved
      FROM ledger.entries e
      JOIN ledger.accounts a ON a.id = e.account_id AND a.kind = 'held'
      LEFT JOIN ledger.transactions t ON t.id = e.transaction_id
     WHERE p_scope.everything OR e.transaction_id = ANY (p_scope.transactions || p_scope.holds || ARRAY(
             SELECT resolved_by FROM ledger.holds WHERE id = ANY (p_scope.holds) AND resolved_by IS NOT NULL))
     GROUP BY 1, 2, 3
  ), fault AS (
    SELECT jsonb_build_object('hold', coalesce(h.id, m.hold), 'placed', m.placed, 'resolved', m.resolved) AS example
      FROM (SELECT * FROM ledger.holds WHERE p_scope.everything OR id = ANY (p_scope.holds)) h
      FULL JOIN moved m ON m.hold = h.id AND m.account_id = h.account_id AND m.amount = h.amount
     WHERE (m.placed = 1 AND m.resolved = CASE WHEN h.resolution IS NULL THEN 0 ELSE 1 END) IS NOT TRUE
        OR h.id IS NULL OR (h.resolution IS NULL) <> (h.resolved_by IS NULL)
    UNION ALL
    SELECT jsonb_build_object('account', a.id, 'held', a.balance, 'open', coalesce(sum(h.amount), 0))
      FROM ledger.accounts a LEFT JOIN ledger.holds h ON h.account_id = a.id AND h.resolution IS NULL
     WHERE a.kind = 'held'
     GROUP BY a.id HAVING a.balance <> coalesce(sum(h.amount), 0)
  ) SELECT 'holds_agree', 'Every hold was placed once and resolved at most once, and held balances are the open holds',
           (SELECT count(*) FROM ledger.holds WHERE p_scope.everything OR id = ANY (p_scope.holds)), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH credit AS (
    SELECT c.transaction_id, c.line, c.amount, da.kind AS from_kind
      FROM ledger.entries c
      JOIN ledger.accounts ca ON ca.id = c.account_id AND ca.kind = 'recorded_returns'
      LEFT JOIN ledger.entries d ON d.transaction_id = c.transaction_id AND d.line = c.line - 1
      LEFT JOIN ledger.accounts da ON da.id = d.account_id
     WHERE c.amount > 0 AND (p_scope.everything OR c.transaction_id = ANY (p_scope.transactions))
  ), fault AS (
    SELECT to_jsonb(credit) AS example FROM credit WHERE from_kind IS DISTINCT FROM 'returns_received'
    UNION ALL
    SELECT jsonb_build_object('transaction', e.transaction_id, 'received_from', ca.kind)
      FROM ledger.entries e
      JOIN ledger.accounts a ON a.id = e.account_id AND a.kind = 'returns_received'
      LEFT JOIN ledger.entries c ON c.transaction_id = e.transaction_id AND c.line = e.line - sign(e.amount)::integer
      LEFT JOIN ledger.accounts ca ON ca.id = c.account_id
     WHERE ca.kind IS DISTINCT FROM 'recorded_returns' AND (p_scope.everything OR e.transaction_id = ANY (p_scope.transactions))
  ) SELECT 'returns_from_outside', 'Recorded returns were funded by returns that the firm received, and by nothing else',
           (SELECT count(*) FROM credit), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

-- Compares every folded block with the entries; another invariant for check_books.
CREATE FUNCTION ledger.broken_totals(p_scope ledger.check_scope)
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  -- All blocks of the accounts that have a new one.
  RETURN QUERY WITH folded AS (
    SELECT account_id, max(block) AS blocks FROM ledger.statement_blocks b GROUP BY account_id
    HAVING p_scope.everything OR bool_or(age(b.xmin) <= p_scope.age)
  ), entries AS (
    SELECT l.account_id, l.kind, (l.version + 63) / 64 AS block, count(*) AS lines, sum(l.credited) AS credited,
           sum(l.debited) AS debited, sum(l.from_outside) AS from_outside, sum(l.to_outside) AS to_outside
      FROM ledger.statement_lines l
      JOIN folded f ON f.account_id = l.account_id AND l.version <= 64 * f.blocks
     WHERE p_scope.everything OR l.account_id = ANY (ARRAY(SELECT account_id FROM folded))
     GROUP BY 1, 2, 3
  ), expected AS (
    SELECT account_id, kind, block, sum(lines) OVER upto AS lines, sum(credited) OVER upto AS credited,
           sum(debited) OVER upto AS debited, sum(from_outside) OVER upto AS from_outside,
           sum(to_outside) OVER upto AS to_outside
      FROM entries
    WINDOW upto AS (PARTITION BY account_id, kind ORDER BY block)
  ), fault AS (
    SELECT jsonb_build_object('account', account_id, 'kind', kind, 'block', block) AS example
      FROM (SELECT * FROM ledger.statement_blocks WHERE account_id IN (SELECT account_id FROM folded)) b
      FULL JOIN expected e USING (account_id, kind, block)
     WHERE (b.lines, b.credited, b.debited, b.from_outside, b.to_outside)
             IS DISTINCT FROM (e.lines, e.credited, e.debited, e.from_outside, e.to_outside)
  ) SELECT 'totals_right', 'The totals kept for statements are the sums of the entries',
           (SELECT count(*) FROM expected), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

-- Compares the folded days with the entries; another invariant for check_books.
CREATE FUNCTION ledger.broken_days(p_scope ledger.check_scope)
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  -- Without the entries of each day, the sums over all days: each kind of account has what they moved to it.
  IF NOT p_scope.everything THEN
    RETURN QUERY WITH moved AS (
      SELECT m.kind, d.asset, sum(m.amount) AS amount
        FROM ledger.moves_by_day() d
       CROSS JOIN LATERAL (VALUES (d.to_kind, d.amount), (d.from_kind, -d.amount)) m (kind, amount)
       GROUP BY 1, 2
    ), fault AS (
      SELECT jsonb_build_object('kind', kind, 'asset', asset, 'days', moved.amount, 'balance', b.balance) AS example
        FROM moved
        FULL JOIN ledger.kind_balances b USING (kind, asset)
       WHERE coalesce(moved.amount, 0) <> coalesce(b.balance, 0)
    ) SELECT 'days_right', 'The totals kept by day are the sums of the entries',
             (SELECT count(*) FROM ledger.daily_totals), count(*), ledger.examples(array_agg(example)) FROM fault;
    RETURN;
  END IF;

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
CREATE FUNCTION ledger.broken_records(p_scope ledger.check_scope)
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_deposits r
                                WHERE p_scope.everything OR r.id = ANY (p_scope.deposits))
  SELECT 'deposits_booked', 'Every deposit has the credits and reversals that were posted, and says whether it is paid and what is owed of it',
         (SELECT count(*) FROM app.deposits r WHERE p_scope.everything OR r.id = ANY (p_scope.deposits)), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_investments r
                                WHERE p_scope.everything OR r.id = ANY (p_scope.investments))
  SELECT 'investments_booked', 'Every investment has the postings of its state, of its owner and amount, and no others',
         (SELECT count(*) FROM app.investments r WHERE p_scope.everything OR r.id = ANY (p_scope.investments)), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_withdrawals r
                                WHERE p_scope.everything OR r.id = ANY (p_scope.withdrawals))
  SELECT 'withdrawals_booked', 'Every withdrawal has the postings of its state, of its owner and amount, and no others',
         (SELECT count(*) FROM app.withdrawals r WHERE p_scope.everything OR r.id = ANY (p_scope.withdrawals)), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_earnings r
                                WHERE p_scope.everything OR r.id = ANY (p_scope.earnings))
  SELECT 'earnings_booked', 'Every paid earning was posted once, to its owner, and recorded returns add up to it',
         (SELECT count(*) FROM app.earnings r WHERE p_scope.everything OR r.id = ANY (p_scope.earnings)), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.disagreeing_returns r
                                WHERE p_scope.everything OR r.id = ANY (p_scope.returns))
  SELECT 'returns_booked', 'Every return has the postings of its state and amount, and no others',
         (SELECT count(*) FROM app.returns r WHERE p_scope.everything OR r.id = ANY (p_scope.returns)), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('return', r.id, 'spent', r.spent_cents, 'paid', coalesce(sum(s.amount_cents), 0)) AS example
      FROM app.returns r LEFT JOIN app.earning_sources s ON s.return_id = r.id
     WHERE p_scope.everything OR r.id = ANY (p_scope.returns)
     GROUP BY r.id HAVING r.spent_cents <> coalesce(sum(s.amount_cents), 0)
  ) SELECT 'returns_spent', 'What is spent of a recorded return is what it paid of earnings',
           (SELECT count(*) FROM app.returns r WHERE p_scope.everything OR r.id = ANY (p_scope.returns)), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (SELECT to_jsonb(r) AS example FROM ledger.postings_without_record r)
  SELECT 'postings_recorded', 'Every posting has its deposit, investment, withdrawal, earning or return',
         (SELECT count(*) FROM ledger.transactions), count(*), ledger.examples(array_agg(example)) FROM fault;

  -- The function that decides is called only for sums near a limit: some minutes more than a day, and the lowest limit.
  RETURN QUERY WITH day AS (
    SELECT w AS withdrawal, w.id, w.approvals_needed, least(w.single_approval_cents, lowest.cents) AS limit_cents,
           count(*) OVER requested AS requests, sum(w.amount_cents) FILTER (WHERE w.status <> 'declined') OVER requested AS cents
      FROM app.withdrawals w, (SELECT min(large_withdrawal_cents) AS cents FROM app.setting_versions) lowest
     WHERE p_scope.everything OR w.user_id = ANY (p_scope.withdrawers)
    WINDOW requested AS (PARTITION BY w.user_id ORDER BY w.created_at
                         RANGE BETWEEN interval '24 hours 2 minutes' PRECEDING AND interval '2 minutes' FOLLOWING)
  ), given AS (
    SELECT w.id, count(a.admin_id) AS given
      FROM app.withdrawals w
      LEFT JOIN app.withdrawal_approvals a ON a.withdrawal_id = w.id AND a.admin_id <> w.user_id
     WHERE w.status IN ('approved', 'paid') AND (p_scope.everything OR w.user_id = ANY (p_scope.withdrawers))
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
    SELECT w AS withdrawal, w.id, least(w.single_approval_cents, lowest.cents) AS limit_cents,
           sum(w.amount_cents) OVER (PARTITION BY a.admin_id, a.holder ORDER BY a.created_at
                                     RANGE BETWEEN interval '24 hours' - interval '1 microsecond' PRECEDING AND CURRENT ROW) AS cents
      FROM app.withdrawals w
      JOIN app.withdrawal_approvals a ON a.withdrawal_id = w.id
     CROSS JOIN (SELECT min(large_withdrawal_cents) AS cents FROM app.setting_versions) lowest
     WHERE w.status IN ('approved', 'paid') AND w.approvals_needed = 1
       AND (p_scope.everything OR a.created_at >= p_scope.approvals_from)
  ), fault AS (
    SELECT jsonb_build_object('withdrawal', id, 'alone', cents, 'limit', app.single_approval(withdrawal)) AS example
      FROM alone
     WHERE CASE WHEN cents > limit_cents THEN
             cents > app.single_approval(withdrawal)
             AND (SELECT count(*) FROM app.withdrawal_approvals a WHERE a.withdrawal_id = alone.id) = 1
           END
  ) SELECT 'approvers_within_limit', 'Nobody approved more withdrawals alone in 24 hours than one person may',
           (SELECT count(*) FROM alone), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('withdrawal', w.id, 'by', w.paid_by) AS example
      FROM app.withdrawals w
     WHERE w.status = 'paid' AND (p_scope.everything OR w.id = ANY (p_scope.withdrawals))
       AND (w.paid_by = w.user_id
            OR w.paid_by IS NULL AND NOT EXISTS (SELECT FROM app.payout_items p WHERE p.withdrawal_id = w.id AND p.state = 'paid')
            -- An account that changed hands since may have approved it as another person.
            OR EXISTS (SELECT FROM app.withdrawal_approvals a JOIN app.users u ON u.id = a.admin_id AND u.holder = a.holder
                        WHERE a.withdrawal_id = w.id AND a.admin_id = w.paid_by))
  ) SELECT 'withdrawals_paid_by_others', 'Every paid withdrawal was paid by a batch, or marked as paid by neither its owner nor an approver',
           (SELECT count(*) FROM app.withdrawals w WHERE w.status = 'paid' AND (p_scope.everything OR w.id = ANY (p_scope.withdrawals))), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('earning', e.id, 'added', e.created_by, 'approved', e.approved_by) AS example
      FROM app.earnings e
     WHERE e.status = 'paid' AND (p_scope.everything OR e.id = ANY (p_scope.earnings))
       AND (e.user_id IN (e.created_by, e.approved_by) OR e.approved_by = e.created_by
            OR e.approved_by IS NULL AND (e.beyond_accrued_cents > 0 OR (
                 SELECT s.earnings_second_approval FROM app.setting_versions s
                  WHERE s.created_at <= e.created_at ORDER BY s.version DESC LIMIT 1)))
  ) SELECT 'earnings_approved', 'Every paid earning beyond what had accrued, or while all needed it, was approved by a second person',
           (SELECT count(*) FROM app.earnings e WHERE e.status = 'paid' AND (p_scope.everything OR e.id = ANY (p_scope.earnings))), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH alone AS (
    SELECT r.id, app.alone_limit(r) AS most,
           sum(r.amount_cents) OVER (PARTITION BY r.recorded_by ORDER BY r.created_at
                                     RANGE BETWEEN interval '24 hours' - interval '1 microsecond' PRECEDING AND CURRENT ROW) AS cents
      FROM app.returns r
     WHERE r.status IN ('recorded', 'void_proposed', 'voided') AND r.approved_by IS NULL
       AND (p_scope.everything OR r.created_at >= p_scope.returns_from)
  ), fault AS (
    SELECT jsonb_build_object('return', id, 'alone', cents, 'limit', most) AS example FROM alone WHERE cents > most
  ) SELECT 'returns_approved', 'Every return beyond what one person may record alone in 24 hours was approved by a second person',
           (SELECT count(*) FROM alone), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH noted AS (
    SELECT user_id, sum(recovered_cents) AS cents
      FROM (SELECT user_id, recovered_cents FROM app.investments UNION ALL SELECT user_id, recovered_cents FROM app.withdrawals
             UNION ALL SELECT user_id, recovered_cents FROM app.earnings) freed
     WHERE recovered_cents <> 0
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
     WHERE p_scope.everything OR transfer_id = ANY (p_scope.transfers)
     GROUP BY transfer_id, deposit_id
  ), fault AS (
    SELECT jsonb_build_object('transfer', t.id, 'units', t.units, 'credited', t.credited_units, 'by', to_jsonb(c)) AS example
      FROM app.chain_transfers t
      LEFT JOIN covered c ON c.transfer_id = t.id
      LEFT JOIN app.payment_addresses a ON a.rail = t.rail AND app.address_key(a.address) = t.address
     WHERE (p_scope.everything OR t.id = ANY (p_scope.transfers)) AND (t.credited_units > 0 OR c.transfer_id IS NOT NULL)
       AND (t.credited_units <> coalesce(c.units, 0) OR c.units > t.units OR c.credits > 1
            OR a.deposit_id IS DISTINCT FROM c.deposit_id OR t.ignored_reason IS NOT NULL)
     UNION ALL
    SELECT jsonb_build_object('credit', c.id, 'units', c.units, 'matched', sum(m.units))
      FROM app.credit_matches m JOIN app.deposit_credits c ON c.id = m.credit_id
     WHERE p_scope.everything OR c.id IN (SELECT credit_id FROM app.credit_matches WHERE transfer_id = ANY (p_scope.transfers))
     GROUP BY c.id HAVING sum(m.units) > c.units
  ) SELECT 'transfers_credited_once', 'Every transfer is credited once at most, to the deposit of its address, and no manual credit covers more than itself',
           (SELECT count(*) FROM app.deposit_credits c WHERE p_scope.everything OR c.transfer_id = ANY (p_scope.transfers)), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

-- Checks the books and stores the result, with the checks that the caller made in the same snapshot (`p_more`, an array
-- of the same form). With `p_point`, a verified point, it checks what is new since then. Needs one snapshot (REPEATABLE
-- READ): a posting between two checks would look like a fault.
CREATE FUNCTION ledger.check_books(p_more jsonb DEFAULT '[]', p_point bigint DEFAULT NULL) RETURNS ledger.invariant_runs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_started timestamptz := clock_timestamp();
  v_point ledger.verified_points;
  v_scope ledger.check_scope;
  v_checks jsonb;
  v_run ledger.invariant_runs;
BEGIN
  IF current_setting('transaction_isolation') NOT IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'the books are checked in one snapshot: BEGIN ISOLATION LEVEL REPEATABLE READ' USING ERRCODE = 'PB200';
  END IF;
  -- Only the latest run's point, which it has only if it found no fault: a check after a fault examines everything.
  SELECT * INTO v_point
    FROM ledger.verified_points
   WHERE run_id = p_point AND run_id = (SELECT max(id) FROM ledger.invariant_runs);
  v_scope := ledger.scope_since(v_point.xid);
  SELECT jsonb_agg(to_jsonb(c)) INTO v_checks
    FROM (SELECT * FROM ledger.broken_promises(v_scope) UNION ALL SELECT * FROM ledger.broken_totals(v_scope)
           UNION ALL SELECT * FROM ledger.broken_days(v_scope) UNION ALL SELECT * FROM ledger.broken_records(v_scope)
           UNION ALL SELECT * FROM ledger.broken_seals(v_scope)
           UNION ALL SELECT * FROM ledger.broken_log(v_scope)) c;
  v_checks := v_checks || p_more;
  INSERT INTO ledger.invariant_runs (started_at, finished_at, ok, checks, since)
  VALUES (v_started, clock_timestamp(), NOT jsonb_path_exists(v_checks, '$[*] ? (@.faults > 0)'), v_checks, v_point.run_id)
  RETURNING * INTO v_run;
  RETURN v_run;
END
$$;

-- Keeps the point up to which a run has verified the books, for the next one: in the run's own transaction, if the run has
-- no fault and its snapshot contains the run before it, which may have found one. Only a process can sign a point, and it
-- verifies the signature before it goes on from there.
CREATE FUNCTION ledger.keep_verified_point(p_run bigint, p_xid xid8, p_whole_on date, p_before text, p_signature bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO ledger.verified_points (run_id, xid, whole_on, before, signature)
  SELECT id, p_xid, p_whole_on, p_before, p_signature
    FROM ledger.invariant_runs
   WHERE id = p_run AND ok AND xmin = pg_current_xact_id()::xid
     AND id = 1 + coalesce((SELECT max(id) FROM ledger.invariant_runs WHERE id < p_run), 0)
$$;
GRANT EXECUTE ON FUNCTION ledger.check_books, ledger.written_before, ledger.keep_verified_point TO probity_app;
