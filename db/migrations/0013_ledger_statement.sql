-- Statements. An investor's accounts are chains of entries with versions 1, 2, 3 …: a position in a statement is one version
-- for each account, a page is the newest entries below it, and how many lines there are is a difference of versions.
-- So a page costs the same at a thousand entries and at a million, and nothing is ever counted.

-- How many entries of an account were made before a moment. Time never goes back along a chain (the guard on entries), so
-- halving finds it.
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

-- The part of each USD account's chain that lies in a period: versions above `after`, up to `upto`. NULL: no limit.
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

-- The newest `p_limit` lines within these bounds, the newest first.
CREATE FUNCTION ledger.statement_page(
  p_owner uuid, p_kinds text[], p_after bigint[], p_upto bigint[], p_limit integer
) RETURNS TABLE (
  id bigint, at timestamptz, event text, kind text, amount bigint, balance bigint, version bigint,
  transaction_id uuid, reference_kind text, reference_id uuid
)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT line.id, t.created_at, t.event, line.kind, line.amount, line.new_balance, line.version,
         t.id, t.reference_kind, t.reference_id
    FROM (
      SELECT e.id, part.kind, e.amount, e.new_balance, e.version, e.transaction_id
        FROM unnest(p_kinds, p_after, p_upto) AS part (kind, after, upto)
        JOIN ledger.accounts a ON a.owner = p_owner AND a.kind = part.kind AND a.asset = 'USD'
        CROSS JOIN LATERAL (
          SELECT * FROM ledger.entries
           WHERE account_id = a.id AND version IS NOT NULL AND version > part.after AND version <= part.upto
           ORDER BY version DESC
           LIMIT p_limit
        ) e
       ORDER BY e.id DESC
       LIMIT p_limit
    ) line
    JOIN ledger.transactions t ON t.id = line.transaction_id
   ORDER BY line.id DESC;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.version_at, ledger.statement_bounds, ledger.statement_page TO probity_app;
