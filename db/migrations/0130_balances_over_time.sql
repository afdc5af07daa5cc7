-- Balances and sums at many moments at once, for pictures of them over time.
--
-- A chain's times ascend with its versions, so a moment's version is found by halving (ledger.version_at). For hundreds of
-- moments that would walk the chain from its ends each time: here the times of at most 1024 versions are read once, each
-- moment is placed between two of them, and only what lies between is halved, for all moments together. The cost is that of
-- the moments, not of the chain.

-- How many entries of an account were made before each moment, by the moment's place in the array (from 1).
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
       -- As many samples as lie before the moment; width_bucket also counts one that is at it.
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

-- What had come to an investor as earnings before each moment.
CREATE FUNCTION ledger.earned_at(p_owner uuid, p_moments timestamptz[]) RETURNS TABLE (ordinal bigint, earned numeric)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT found.ordinal, coalesce(upto.credited, 0)
    FROM ledger.accounts a
   CROSS JOIN LATERAL ledger.versions_at(a.id, p_moments) found
    LEFT JOIN LATERAL ledger.turnover_upto(a.id, found.version) upto ON upto.kind = 'earning'
   WHERE a.owner = p_owner AND a.asset = 'USD' AND a.kind = 'available';
END
$$;

-- When an investor's first entry was made; NULL where there is none.
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

GRANT EXECUTE ON FUNCTION ledger.versions_at, ledger.balances_at, ledger.earned_at, ledger.first_moved_at TO probity_app;
