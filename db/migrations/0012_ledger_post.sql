-- The way into the books: what the application's role may call. All of it runs as the owner of the tables.

-- Posts a list of business events, each as a whole or not at all: a refused one leaves no trace and does not touch
-- the others. All accounts with a floor are locked first, in one order, so that callers wait for each other but never
-- in a circle; an account that was never used gets its zero row first, so that it locks too.
--
-- The first seven arrays have an element a transaction, the others an element a leg: `p_leg_of` is the ordinal
-- (from 1) of the leg's transaction, ascending; a leg debits `p_from` and credits `p_to`, amounts in minor units.
-- Answers an element a transaction: NULL where it is posted, else its refusal:
--   { "code": "insufficient_funds", "owner", "kind", "asset", "balance", "needed" }  (amounts as text)
--   { "code": "hold_not_open", "hold", "resolution" }    resolution: posted, voided, or null where there is no such hold
-- A faulty request (no such account kind, a leg that no rule permits, an amount that is not positive) is an error.
CREATE FUNCTION ledger.post_each(
  p_id uuid[], p_event text[], p_reference_kind text[], p_reference_id uuid[], p_hold_id uuid[], p_actor uuid[],
  p_memo text[],
  p_leg_of integer[], p_from_owner uuid[], p_from_kind text[], p_to_owner uuid[], p_to_kind text[], p_asset text[],
  p_amount bigint[]
) RETURNS jsonb[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_refusals jsonb[] := array_fill(NULL::jsonb, ARRAY[cardinality(p_id)]);
  -- Account ids of the legs.
  v_from bigint[];
  v_to bigint[];
  -- The locked accounts, by slot.
  v_account bigint[];
  v_floor bigint[];
  v_balance bigint[];
  v_version bigint[];
  v_at timestamptz;
  -- The entries to write.
  e_transaction uuid[] := '{}';
  e_line smallint[] := '{}';
  e_account bigint[] := '{}';
  e_amount bigint[] := '{}';
  e_previous bigint[] := '{}';
  e_new bigint[] := '{}';
  e_version bigint[] := '{}';
  v_entries integer := 0;
  v_before integer;
  v_leg integer := 1;
  v_legs integer := cardinality(p_leg_of);
  v_posted integer := 0;
  v_slot integer;
  v_line smallint;
  v_id bigint;
  v_amount bigint;
BEGIN
  -- 1. The accounts of the legs; missing ones are opened.
  FOR v_try IN 1..2 LOOP
    SELECT array_agg(f.id ORDER BY l.n), array_agg(t.id ORDER BY l.n)
      INTO v_from, v_to
      FROM unnest(p_from_owner, p_from_kind, p_to_owner, p_to_kind, p_asset) WITH ORDINALITY
             AS l (from_owner, from_kind, to_owner, to_kind, asset, n)
      LEFT JOIN ledger.accounts f ON (f.owner, f.kind, f.asset) = (l.from_owner, l.from_kind, l.asset)
      LEFT JOIN ledger.accounts t ON (t.owner, t.kind, t.asset) = (l.to_owner, l.to_kind, l.asset);
    EXIT WHEN array_position(v_from, NULL) IS NULL AND array_position(v_to, NULL) IS NULL;
    INSERT INTO ledger.accounts (owner, kind, asset)
    SELECT DISTINCT l.owner, l.kind, l.asset
      FROM unnest(p_from_owner || p_to_owner, p_from_kind || p_to_kind, p_asset || p_asset) AS l (owner, kind, asset)
     ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING;
  END LOOP;

  -- 2. Locks: those with a floor, in the order of their ids.
  SELECT array_agg(a.id), array_agg(a.floor), array_agg(a.balance), array_agg(a.version),
         greatest(clock_timestamp(), max(a.moved_at))
    INTO v_account, v_floor, v_balance, v_version, v_at
    FROM (
      SELECT id, floor, balance, version, moved_at
        FROM ledger.accounts
       WHERE id = ANY (v_from || v_to) AND floor IS NOT NULL
       ORDER BY id
         FOR NO KEY UPDATE
    ) a;

  -- 3. Each transaction on the balances that those before it left.
  FOR v_n IN 1 .. cardinality(p_id) LOOP
    v_before := v_entries;
    v_line := 0;
    WHILE p_leg_of[v_leg] = v_n LOOP
      IF v_refusals[v_n] IS NULL THEN
        FOR v_side IN 0..1 LOOP
          v_id := CASE v_side WHEN 0 THEN v_from[v_leg] ELSE v_to[v_leg] END;
          v_amount := CASE v_side WHEN 0 THEN -p_amount[v_leg] ELSE p_amount[v_leg] END;
          v_slot := array_position(v_account, v_id);
          v_entries := v_entries + 1;
          v_line := v_line + 1;
          e_transaction[v_entries] := p_id[v_n];
          e_line[v_entries] := v_line;
          e_account[v_entries] := v_id;
          e_amount[v_entries] := v_amount;
          IF v_slot IS NULL THEN
            e_previous[v_entries] := NULL;
            e_new[v_entries] := NULL;
            e_version[v_entries] := NULL;
          ELSE
            e_previous[v_entries] := v_balance[v_slot];
            v_balance[v_slot] := v_balance[v_slot] + v_amount;
            v_version[v_slot] := v_version[v_slot] + 1;
            e_new[v_entries] := v_balance[v_slot];
            e_version[v_entries] := v_version[v_slot];
            IF v_balance[v_slot] < v_floor[v_slot] THEN
              v_refusals[v_n] := jsonb_build_object('code', 'insufficient_funds', 'owner', p_from_owner[v_leg],
                'kind', p_from_kind[v_leg], 'asset', p_asset[v_leg], 'balance', (v_balance[v_slot] - v_amount)::text,
                'needed', (-v_amount)::text);
              EXIT;
            END IF;
          END IF;
        END LOOP;
      END IF;
      v_leg := v_leg + 1;
    END LOOP;
    IF v_refusals[v_n] IS NULL THEN
      v_posted := v_posted + 1;
    ELSE
      WHILE v_entries > v_before LOOP
        v_slot := array_position(v_account, e_account[v_entries]);
        IF v_slot IS NOT NULL THEN
          v_balance[v_slot] := e_previous[v_entries];
          v_version[v_slot] := e_version[v_entries] - 1;
        END IF;
        v_entries := v_entries - 1;
      END LOOP;
    END IF;
  END LOOP;

  -- 4. The books.
  IF v_posted > 0 THEN
    INSERT INTO ledger.transactions (id, event, reference_kind, reference_id, hold_id, actor, memo, created_at)
    SELECT t.id, t.event, t.reference_kind, t.reference_id, t.hold_id, t.actor, t.memo, v_at
      FROM unnest(p_id, p_event, p_reference_kind, p_reference_id, p_hold_id, p_actor, p_memo, v_refusals)
             AS t (id, event, reference_kind, reference_id, hold_id, actor, memo, refusal)
     WHERE t.refusal IS NULL;
    INSERT INTO ledger.entries (transaction_id, line, account_id, amount, previous_balance, new_balance, version)
    SELECT e.transaction_id, e.line, e.account_id, e.amount, e.previous_balance, e.new_balance, e.version
      FROM unnest(e_transaction, e_line, e_account, e_amount, e_previous, e_new, e_version) WITH ORDINALITY
             AS e (transaction_id, line, account_id, amount, previous_balance, new_balance, version, n)
     WHERE e.n <= v_entries;
  END IF;
  RETURN v_refusals;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.post_each TO probity_app;

-- Posts one business event, or raises: PB001 insufficient funds, PB002 hold not open, each with the refusal of
-- `post_each` as its detail (JSON); PB101 and on for a posting that is at fault itself. A leg debits and credits
-- the accounts at the same place of the arrays.
CREATE FUNCTION ledger.post(
  p_id uuid, p_event text, p_reference_kind text, p_reference_id uuid, p_hold_id uuid, p_actor uuid, p_memo text,
  p_from_owner uuid[], p_from_kind text[], p_to_owner uuid[], p_to_kind text[], p_asset text[], p_amount bigint[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_refusal jsonb;
BEGIN
  v_refusal := (ledger.post_each(ARRAY[p_id], ARRAY[p_event], ARRAY[p_reference_kind], ARRAY[p_reference_id],
    ARRAY[p_hold_id], ARRAY[p_actor], ARRAY[p_memo], array_fill(1, ARRAY[cardinality(p_amount)]),
    p_from_owner, p_from_kind, p_to_owner, p_to_kind, p_asset, p_amount))[1];
  IF v_refusal IS NOT NULL THEN
    RAISE EXCEPTION '% is refused: %', p_event, v_refusal ->> 'code'
      USING ERRCODE = CASE v_refusal ->> 'code' WHEN 'insufficient_funds' THEN 'PB001' ELSE 'PB002' END,
            DETAIL = v_refusal::text;
  END IF;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.post TO probity_app;

-- A key of a request that moves money is locked until the transaction ends, then looked up: whoever sends the same one at the
-- same time waits here and finds the first answer. NULL: not used yet. PB003: used for another request.
CREATE FUNCTION ledger.claim_key(p_caller uuid, p_key text, p_request_hash bytea) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_found ledger.idempotency_keys;
BEGIN
  PERFORM pg_advisory_xact_lock(ledger.key_lock(p_caller, p_key));
  SELECT * INTO v_found FROM ledger.idempotency_keys WHERE caller = p_caller AND key = p_key;
  IF v_found.request_hash <> p_request_hash THEN
    RAISE EXCEPTION 'the idempotency key was used for another request' USING ERRCODE = 'PB003';
  END IF;
  RETURN v_found.answer;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.claim_key TO probity_app;

-- Keeps the answer of a claimed key; committed together with the effect, or not at all.
CREATE FUNCTION ledger.keep_answer(p_caller uuid, p_key text, p_request_hash bytea, p_answer jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO ledger.idempotency_keys (caller, key, request_hash, answer)
  VALUES (p_caller, p_key, p_request_hash, p_answer)
$$;
GRANT EXECUTE ON FUNCTION ledger.keep_answer TO probity_app;

-- The advisory lock of a key. Two keys that share one only wait for each other.
CREATE FUNCTION ledger.key_lock(p_caller uuid, p_key text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT hashtextextended(p_caller::text || ' ' || p_key, 0)
$$;
GRANT EXECUTE ON FUNCTION ledger.key_lock TO probity_app;

-- Every account with its balance: kept where there is a floor, summed since the latest snapshot where there is none.
CREATE VIEW ledger.balances AS
SELECT a.id AS account_id, a.owner, a.kind, a.asset, coalesce(a.balance::numeric, since.balance) AS balance
  FROM ledger.accounts a
  LEFT JOIN LATERAL (
    SELECT coalesce(max(s.balance), 0) + coalesce(sum(e.amount), 0) AS balance
      FROM (SELECT max(entry_id) AS entry_id FROM ledger.snapshots WHERE account_id = a.id) latest
      LEFT JOIN ledger.snapshots s ON s.account_id = a.id AND s.entry_id = latest.entry_id
      LEFT JOIN ledger.entries e
        ON e.account_id = a.id AND e.version IS NULL AND e.id > coalesce(latest.entry_id, 0)
  ) since ON a.floor IS NULL;
GRANT SELECT ON ledger.balances TO probity_app;
