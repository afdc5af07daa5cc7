-- Statements. An investor's accounts are chains of entries with versions 1, 2, 3 … A position in a statement is one
-- version for each account, a page is the newest entries below it, and the number of lines is a difference of versions.
-- So a page costs the same with a thousand entries as with a million; nothing is counted.

-- The number of an account's entries before a moment, by binary search: time never goes back along a chain (0011).
CREATE FUNCTION ledger.version_at(p_account bigint, p_at timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_low bigint := 0;
  v_high bigint;
  v_middle bigint;
BEGIN
  SELECT version INTO v_high FROM ledger.accounts WHERE id = p_account;
  WHILE v_low < v_high LOOP
    v_middle := (v_low + v_high + 1) / 2;
    IF (SELECT t.created_at
          FROM ledger.entries e JOIN ledger.transactions t ON t.id = e.transaction_id
         WHERE e.account_id = p_account AND e.version = v_middle) < p_at THEN
      v_low := v_middle;
    ELSE
      v_high := v_middle - 1;
    END IF;
  END LOOP;
  RETURN v_low;
END
$$;

-- The number of an account's entries before each moment, by the moment's place in the array (from 1).
CREATE FUNCTION ledger.versions_at(p_account bigint, p_moments timestamptz[])
RETURNS TABLE (ordinal bigint, version bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  v_last bigint := (SELECT coalesce(version, 0) FROM ledger.accounts WHERE id = p_account);
  v_stride bigint := v_last / 1024 + 1;
  v_times timestamptz[];
BEGIN
  SELECT coalesce(array_agg(t.created_at ORDER BY sample.version), '{}') INTO v_times
    FROM generate_series(v_stride, v_last, v_stride) AS sample (version)
    JOIN ledger.entries e ON e.account_id = p_account AND e.version = sample.version
    JOIN ledger.transactions t ON t.id = e.transaction_id;
  RETURN QUERY
  WITH RECURSIVE search (ordinal, at, low, high) AS (
    SELECT moment.ordinal, moment.at, sample.low, least(v_last, sample.low + v_stride - 1)
      FROM unnest(p_moments) WITH ORDINALITY AS moment (at, ordinal)
     CROSS JOIN LATERAL (
       -- The number of samples before the moment; width_bucket also counts one exactly at it.
       SELECT v_stride * width_bucket(moment.at - interval '1 microsecond', v_times) AS low
     ) sample
    UNION ALL
    SELECT s.ordinal, s.at,
           CASE WHEN t.created_at < s.at THEN e.version ELSE s.low END,
           CASE WHEN t.created_at < s.at THEN s.high ELSE e.version - 1 END
      FROM search s
      JOIN ledger.entries e ON e.account_id = p_account AND e.version = (s.low + s.high + 1) / 2
      JOIN ledger.transactions t ON t.id = e.transaction_id
     WHERE s.low < s.high
  )
  SELECT s.ordinal, s.low FROM search s WHERE s.low >= s.high;
END
$$;

-- The part of each USD account's chain in a period: versions above `after`, up to `upto`. NULL: no limit.
CREATE FUNCTION ledger.statement_bounds(
  p_owner uuid, p_kinds text[], p_from timestamptz, p_until timestamptz
) RETURNS TABLE (kind text, after bigint, upto bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT a.kind,
         CASE WHEN p_from IS NULL THEN 0 ELSE ledger.version_at(a.id, p_from) END,
         CASE WHEN p_until IS NULL THEN a.version ELSE ledger.version_at(a.id, p_until) END
    FROM ledger.accounts a
   WHERE a.owner = p_owner AND a.asset = 'USD' AND a.kind = ANY (p_kinds) AND a.floor IS NOT NULL;
END
$$;

-- Totals of a period. A background job folds a chain's full blocks of 64 entries: for each kind of line in a block, one
-- row with the sums up to the block's end. So the sums up to a version are one row for each kind plus at most 63
-- entries, and a period is a difference of two sums. What is not folded yet is read from the entries, which stay the
-- only truth.

-- Each entry with the kind of its record and its amounts for the sums. The other side of its leg is on the line before
-- or after.
CREATE VIEW ledger.statement_lines AS
SELECT e.account_id, e.version, t.reference_kind AS kind,
       greatest(e.amount, 0) AS credited, greatest(-e.amount, 0) AS debited,
       CASE WHEN other.owner <> own.owner THEN greatest(e.amount, 0) ELSE 0 END AS from_outside,
       CASE WHEN other.owner <> own.owner THEN greatest(-e.amount, 0) ELSE 0 END AS to_outside
  FROM ledger.entries e
  JOIN ledger.accounts own ON own.id = e.account_id
  JOIN ledger.transactions t ON t.id = e.transaction_id
  JOIN ledger.entries o ON o.transaction_id = e.transaction_id
                       AND o.line = e.line + CASE WHEN e.line % 2 = 1 THEN 1 ELSE -1 END
  JOIN ledger.accounts other ON other.id = o.account_id;
GRANT SELECT ON ledger.statement_lines TO probity_app;

-- An account's last folded block, `p_most` at most; 0 without one.
CREATE FUNCTION ledger.folded_block(p_account bigint, p_most bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN (
    SELECT coalesce(max(latest.block), 0)
      FROM unnest(ledger.statement_kinds()) AS k (kind)
     CROSS JOIN LATERAL (
       SELECT b.block FROM ledger.statement_blocks b
        WHERE b.account_id = p_account AND b.kind = k.kind AND b.block <= p_most
        ORDER BY b.block DESC LIMIT 1
     ) latest
  );
END
$$;

-- An account's sums from its first entry to a version, one row for each kind of line.
CREATE FUNCTION ledger.turnover_upto(p_account bigint, p_version bigint)
RETURNS TABLE (kind text, lines bigint, credited numeric, debited numeric, from_outside numeric, to_outside numeric)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  v_folded bigint := ledger.folded_block(p_account, p_version / 64);
BEGIN
  RETURN QUERY
  SELECT part.kind, sum(part.lines)::bigint, sum(part.credited), sum(part.debited), sum(part.from_outside),
         sum(part.to_outside)
    FROM (
      SELECT latest.*
        FROM unnest(ledger.statement_kinds()) AS k (kind)
       CROSS JOIN LATERAL (
         SELECT b.kind, b.lines, b.credited, b.debited, b.from_outside, b.to_outside
           FROM ledger.statement_blocks b
          WHERE b.account_id = p_account AND b.kind = k.kind AND b.block <= v_folded
          ORDER BY b.block DESC LIMIT 1
       ) latest
      UNION ALL
      SELECT l.kind, 1, l.credited, l.debited, l.from_outside, l.to_outside
        FROM ledger.statement_lines l
       WHERE l.account_id = p_account AND l.version > 64 * v_folded AND l.version <= p_version
    ) part
   GROUP BY part.kind;
END
$$;

-- A period of each of an investor's accounts, in one snapshot: the balances at both ends, and a row for each kind that
-- moved money (one row without a kind if none did). NULL: no limit.
CREATE FUNCTION ledger.statement_totals(p_owner uuid, p_from timestamptz, p_until timestamptz)
RETURNS TABLE (
  account text, opening bigint, closing bigint,
  kind text, lines bigint, credited numeric, debited numeric, from_outside numeric, to_outside numeric
)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT a.kind, coalesce(first.new_balance, 0), coalesce(last.new_balance, 0),
         moved.kind, moved.lines, moved.credited, moved.debited, moved.from_outside, moved.to_outside
    FROM ledger.statement_bounds(p_owner, ARRAY['available', 'held', 'invested'], p_from, p_until) part
    JOIN ledger.accounts a ON a.owner = p_owner AND a.kind = part.kind AND a.asset = 'USD'
    LEFT JOIN ledger.entries first ON first.account_id = a.id AND first.version = part.after
    LEFT JOIN ledger.entries last ON last.account_id = a.id AND last.version = part.upto
    LEFT JOIN LATERAL (
      SELECT upto.kind, upto.lines - coalesce(after.lines, 0) AS lines,
             upto.credited - coalesce(after.credited, 0) AS credited,
             upto.debited - coalesce(after.debited, 0) AS debited,
             upto.from_outside - coalesce(after.from_outside, 0) AS from_outside,
             upto.to_outside - coalesce(after.to_outside, 0) AS to_outside
        FROM ledger.turnover_upto(a.id, part.upto) upto
        LEFT JOIN ledger.turnover_upto(a.id, part.after) after ON after.kind = upto.kind
    ) moved ON moved.lines > 0;
END
$$;

-- The newest lines of one kind within these bounds; skips blocks without such a line.
CREATE FUNCTION ledger.lines_about(p_account bigint, p_about text, p_after bigint, p_upto bigint, p_limit integer)
RETURNS SETOF ledger.entries
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  v_last bigint := (p_upto + 63) / 64;
  v_folded bigint := ledger.folded_block(p_account, v_last);
  v_block bigint;
  v_found integer := 0;
  v_more integer;
BEGIN
  FOR v_block IN
    SELECT n FROM generate_series(v_last, greatest(v_folded, p_after / 64) + 1, -1) AS n
    UNION ALL
    (SELECT b.block FROM ledger.statement_blocks b
      WHERE b.account_id = p_account AND b.kind = p_about AND b.block > p_after / 64 AND b.block <= v_last
      ORDER BY b.block DESC)
  LOOP
    RETURN QUERY
    SELECT e.*
      FROM ledger.entries e JOIN ledger.transactions t ON t.id = e.transaction_id
     WHERE e.account_id = p_account AND t.reference_kind = p_about
       AND e.version > greatest(p_after, 64 * (v_block - 1)) AND e.version <= least(p_upto, 64 * v_block)
     ORDER BY e.version DESC
     LIMIT p_limit - v_found;
    GET DIAGNOSTICS v_more = ROW_COUNT;
    v_found := v_found + v_more;
    EXIT WHEN v_found >= p_limit;
  END LOOP;
END
$$;

CREATE FUNCTION ledger.statement_page(
  p_owner uuid, p_kinds text[], p_after bigint[], p_upto bigint[], p_limit integer, p_about text DEFAULT NULL
) RETURNS TABLE (
  id bigint, at timestamptz, event text, kind text, amount bigint, balance bigint, version bigint,
  transaction_id uuid, reference_kind text, reference_id uuid, memo text
)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT line.id, t.created_at, t.event, line.kind, line.amount, line.new_balance, line.version,
         t.id, t.reference_kind, t.reference_id, t.memo::text
    FROM (
      SELECT e.id, part.kind, e.amount, e.new_balance, e.version, e.transaction_id
        FROM unnest(p_kinds, p_after, p_upto) AS part (kind, after, upto)
        JOIN ledger.accounts a ON a.owner = p_owner AND a.kind = part.kind AND a.asset = 'USD'
        CROSS JOIN LATERAL (
          (SELECT * FROM ledger.entries
            WHERE p_about IS NULL
              AND account_id = a.id AND version IS NOT NULL AND version > part.after AND version <= part.upto
            ORDER BY version DESC
            LIMIT p_limit)
          UNION ALL
          SELECT * FROM ledger.lines_about(a.id, p_about, part.after, part.upto, p_limit) WHERE p_about IS NOT NULL
        ) e
       ORDER BY e.id DESC
       LIMIT p_limit
    ) line
    JOIN ledger.transactions t ON t.id = line.transaction_id
   ORDER BY line.id DESC;
END
$$;

-- Folds up to `p_most` full blocks of investors' accounts. Called every few minutes; returns how many it folded.
CREATE FUNCTION ledger.fold_statements(p_most bigint DEFAULT 500) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_account record;
  v_upto bigint;
  v_done bigint := 0;
BEGIN
  -- One at a time; a concurrent run does the same work.
  IF NOT pg_try_advisory_xact_lock(7762488) THEN
    RETURN 0;
  END IF;
  FOR v_account IN
    SELECT a.id, a.version / 64 AS full_blocks, ledger.folded_block(a.id, a.version / 64) AS folded
      FROM ledger.accounts a
     WHERE a.owner <> ledger.firm() AND a.version >= 64
  LOOP
    CONTINUE WHEN v_account.folded >= v_account.full_blocks;
    EXIT WHEN v_done >= p_most;
    v_upto := least(v_account.full_blocks, v_account.folded + p_most - v_done);
    INSERT INTO ledger.statement_blocks
    SELECT v_account.id, fresh.kind, fresh.block,
           coalesce(prior.lines, 0) + sum(fresh.lines) OVER upto,
           coalesce(prior.credited, 0) + sum(fresh.credited) OVER upto,
           coalesce(prior.debited, 0) + sum(fresh.debited) OVER upto,
           coalesce(prior.from_outside, 0) + sum(fresh.from_outside) OVER upto,
           coalesce(prior.to_outside, 0) + sum(fresh.to_outside) OVER upto
      FROM (
        SELECT l.kind, (l.version + 63) / 64 AS block, count(*) AS lines, sum(l.credited) AS credited,
               sum(l.debited) AS debited, sum(l.from_outside) AS from_outside, sum(l.to_outside) AS to_outside
          FROM ledger.statement_lines l
         WHERE l.account_id = v_account.id AND l.version > 64 * v_account.folded AND l.version <= 64 * v_upto
         GROUP BY 1, 2
      ) fresh
      LEFT JOIN ledger.turnover_upto(v_account.id, 64 * v_account.folded) prior ON prior.kind = fresh.kind
    WINDOW upto AS (PARTITION BY fresh.kind ORDER BY fresh.block);
    v_done := v_done + v_upto - v_account.folded;
  END LOOP;
  RETURN v_done;
END
$$;

-- The balance of each of an investor's accounts before each moment.
CREATE FUNCTION ledger.balances_at(p_owner uuid, p_moments timestamptz[])
RETURNS TABLE (kind text, ordinal bigint, balance bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT a.kind, found.ordinal, coalesce(e.new_balance, 0)
    FROM ledger.accounts a
   CROSS JOIN LATERAL ledger.versions_at(a.id, p_moments) found
    LEFT JOIN ledger.entries e ON e.account_id = a.id AND e.version = found.version
   WHERE a.owner = p_owner AND a.asset = 'USD' AND a.floor IS NOT NULL;
END
$$;

-- What an investor had earned, and had paid in, before each moment.
CREATE FUNCTION ledger.received_at(p_owner uuid, p_moments timestamptz[])
RETURNS TABLE (ordinal bigint, earned numeric, paid_in numeric)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT each.ordinal, coalesce(upto.earned, 0), coalesce(upto.paid_in, 0)
    FROM ledger.accounts a
   -- Once for all moments between the same two entries.
   CROSS JOIN LATERAL (
     SELECT version, array_agg(ordinal) AS ordinals FROM ledger.versions_at(a.id, p_moments) GROUP BY version
   ) found
   CROSS JOIN LATERAL (
     SELECT sum(t.credited) FILTER (WHERE t.kind = 'earning') AS earned,
            sum(t.from_outside) FILTER (WHERE t.kind IN ('deposit', 'investment')) AS paid_in
       FROM ledger.turnover_upto(a.id, found.version) t
   ) upto
   CROSS JOIN LATERAL unnest(found.ordinals) AS each (ordinal)
   WHERE a.owner = p_owner AND a.asset = 'USD' AND a.kind = 'available';
END
$$;

-- The time of an investor's first entry; NULL without one.
CREATE FUNCTION ledger.first_moved_at(p_owner uuid) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
  RETURN (
    SELECT min(t.created_at)
      FROM ledger.accounts a
      JOIN ledger.entries e ON e.account_id = a.id AND e.version = 1
      JOIN ledger.transactions t ON t.id = e.transaction_id
     WHERE a.owner = p_owner AND a.asset = 'USD' AND a.floor IS NOT NULL
  );
END
$$;

GRANT EXECUTE ON FUNCTION ledger.version_at, ledger.versions_at, ledger.statement_bounds, ledger.folded_block,
  ledger.turnover_upto, ledger.statement_totals, ledger.lines_about, ledger.statement_page, ledger.fold_statements,
  ledger.balances_at, ledger.received_at, ledger.first_moved_at TO probity_app;
