-- The way into the books: what the application's role may call. All of it runs as the owner of the tables.

-- When a posting is made: now. Only the owner of the books himself, and never a session that acts as the application, may say
-- another time, so that the demonstration can have a history (SET LOCAL ledger.at = '…'). Along an account time goes forward all the same.
CREATE FUNCTION ledger.posting_time() RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF coalesce(current_setting('ledger.at', true), '') <> ''
     AND session_user = current_user AND current_setting('role') IN ('none', session_user) THEN
    RETURN current_setting('ledger.at')::timestamptz;
  END IF;
  RETURN clock_timestamp();
END
$$;

-- Posts a list of business events, each as a whole or not at all: a refused one leaves no trace and does not touch
-- the others. All accounts with a floor are locked first, in one order, so that callers wait for each other but never
-- in a circle; an account that was never used gets its zero row first, so that it locks too.
--
-- The first seven arrays have an element a transaction, the others an element a leg: `p_leg_of` is the ordinal
-- (from 1) of the leg's transaction, ascending; a leg debits `p_from` and credits `p_to`, amounts in minor units.
-- Answers an element a transaction: NULL where it is posted, else its refusal:
--   { "code": "insufficient_funds", "owner", "kind", "asset", "balance", "needed" }  (amounts as text)
--   { "code": "hold_not_open", "hold", "resolution" }    resolution: posted, voided, or null where there is no such hold
-- What the caller has refused already (`p_refused`, an element a transaction) is not posted and answered as it is.
-- A faulty request (no such account kind, a leg that no rule permits, an amount that is not positive) is an error.
CREATE FUNCTION ledger.post_each(
  p_id uuid[], p_event text[], p_reference_kind text[], p_reference_id uuid[], p_hold_id uuid[], p_actor uuid[],
  p_memo text[],
  p_leg_of integer[], p_from_owner uuid[], p_from_kind text[], p_to_owner uuid[], p_to_kind text[], p_asset text[],
  p_amount bigint[], p_refused jsonb[] DEFAULT NULL
) RETURNS jsonb[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
-- One plan for every list: by index, whatever the tables' sizes were when a session first planned it.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_refusals jsonb[] := coalesce(p_refused, array_fill(NULL::jsonb, ARRAY[cardinality(p_id)]));
  v_legs integer := cardinality(p_leg_of);
  -- The locked accounts, by slot, and where they stand after the legs so far.
  a_key text[];
  a_id bigint[];
  a_floor bigint[];
  a_balance bigint[];
  a_version bigint[];
  v_at timestamptz;
  -- The accounts without a floor.
  f_key text[];
  f_id bigint[];
  -- Each leg's accounts; their slots where they have a floor.
  v_from_id bigint[];
  v_from_slot integer[];
  v_to_id bigint[];
  v_to_slot integer[];
  v_known boolean;
  v_key text;
  -- The holds to resolve.
  h_id uuid[];
  h_resolution text[];
  -- What each leg finds on its accounts; null on those without a floor.
  v_from_balance bigint[] := array_fill(NULL::bigint, ARRAY[v_legs]);
  v_from_version bigint[] := array_fill(NULL::bigint, ARRAY[v_legs]);
  v_to_balance bigint[] := array_fill(NULL::bigint, ARRAY[v_legs]);
  v_to_version bigint[] := array_fill(NULL::bigint, ARRAY[v_legs]);
  v_amount bigint;
  v_slot integer;
  v_leg integer := 1;
  v_first integer;
  v_posted boolean := false;
BEGIN
  -- 1. Locks: the holds to resolve, then the accounts with a floor, each in the order of their ids.
  IF array_remove(p_hold_id, NULL) <> '{}' THEN
    SELECT array_agg(h.id), array_agg(h.resolution)
      INTO h_id, h_resolution
      FROM (SELECT id, resolution FROM ledger.holds WHERE id = ANY (p_hold_id) ORDER BY id FOR NO KEY UPDATE) h;
  END IF;
  LOOP
    SELECT array_agg(a.owner || a.kind || a.asset), array_agg(a.id), array_agg(a.floor), array_agg(a.balance),
           array_agg(a.version), greatest(ledger.posting_time(), max(a.moved_at))
      INTO a_key, a_id, a_floor, a_balance, a_version, v_at
      FROM (
        SELECT a.*
          FROM ledger.accounts a
         WHERE a.id = ANY (ARRAY(
                 SELECT (SELECT b.id FROM ledger.accounts b
                          WHERE (b.owner, b.kind, b.asset) = (k.owner, k.kind, k.asset) AND b.floor IS NOT NULL)
                   FROM unnest(p_from_owner || p_to_owner, p_from_kind || p_to_kind, p_asset || p_asset)
                          AS k (owner, kind, asset)))
         ORDER BY a.id
           FOR NO KEY UPDATE
      ) a;
    v_known := true;
    FOR i IN 1 .. v_legs LOOP
      v_slot := array_position(a_key, p_from_owner[i] || p_from_kind[i] || p_asset[i]);
      v_from_slot[i] := v_slot;
      v_from_id[i] := a_id[v_slot];
      v_known := v_known AND v_slot IS NOT NULL;
      v_slot := array_position(a_key, p_to_owner[i] || p_to_kind[i] || p_asset[i]);
      v_to_slot[i] := v_slot;
      v_to_id[i] := a_id[v_slot];
      v_known := v_known AND v_slot IS NOT NULL;
    END LOOP;
    EXIT WHEN v_known;

    -- The others have no floor, or are used for the first time.
    SELECT array_agg(a.owner || a.kind || a.asset), array_agg(a.id)
      INTO f_key, f_id
      FROM ledger.accounts a
     WHERE a.owner = ledger.firm() AND a.floor IS NULL;
    FOR i IN 1 .. v_legs LOOP
      v_from_id[i] := coalesce(v_from_id[i], f_id[array_position(f_key, p_from_owner[i] || p_from_kind[i] || p_asset[i])]);
      v_to_id[i] := coalesce(v_to_id[i], f_id[array_position(f_key, p_to_owner[i] || p_to_kind[i] || p_asset[i])]);
    END LOOP;
    EXIT WHEN array_position(v_from_id, NULL) IS NULL AND array_position(v_to_id, NULL) IS NULL;
    INSERT INTO ledger.accounts (owner, kind, asset)
    SELECT DISTINCT * FROM unnest(p_from_owner || p_to_owner, p_from_kind || p_to_kind, p_asset || p_asset)
     ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING;
  END LOOP;

  -- 2. Each transaction on the balances that those before it left.
  FOR v_n IN 1 .. cardinality(p_id) LOOP
    IF v_refusals[v_n] IS NULL AND p_hold_id[v_n] IS NOT NULL THEN
      v_slot := array_position(h_id, p_hold_id[v_n]);
      IF v_slot IS NULL OR h_resolution[v_slot] IS NOT NULL THEN
        v_refusals[v_n] := jsonb_build_object('code', 'hold_not_open', 'hold', p_hold_id[v_n],
          'resolution', h_resolution[v_slot]);
      ELSE
        h_resolution[v_slot] := 'posted';
      END IF;
    END IF;
    v_first := v_leg;
    WHILE p_leg_of[v_leg] = v_n LOOP
      IF v_refusals[v_n] IS NULL THEN
        v_amount := p_amount[v_leg];
        v_slot := v_from_slot[v_leg];
        IF v_slot IS NOT NULL THEN
          v_from_balance[v_leg] := a_balance[v_slot];
          v_from_version[v_leg] := a_version[v_slot];
          a_balance[v_slot] := a_balance[v_slot] - v_amount;
          a_version[v_slot] := a_version[v_slot] + 1;
          IF a_balance[v_slot] < a_floor[v_slot] THEN
            v_refusals[v_n] := jsonb_build_object('code', 'insufficient_funds', 'owner', p_from_owner[v_leg],
              'kind', p_from_kind[v_leg], 'asset', p_asset[v_leg], 'balance', v_from_balance[v_leg]::text,
              'needed', v_amount::text);
          END IF;
        END IF;
        v_slot := v_to_slot[v_leg];
        IF v_slot IS NOT NULL AND v_refusals[v_n] IS NULL THEN
          v_to_balance[v_leg] := a_balance[v_slot];
          v_to_version[v_leg] := a_version[v_slot];
          a_balance[v_slot] := a_balance[v_slot] + v_amount;
          a_version[v_slot] := a_version[v_slot] + 1;
        END IF;
      END IF;
      v_leg := v_leg + 1;
    END LOOP;
    IF v_refusals[v_n] IS NULL THEN
      v_posted := true;
    ELSE
      -- Back to what its first legs found.
      FOR i IN REVERSE v_leg - 1 .. v_first LOOP
        IF v_to_version[i] IS NOT NULL THEN
          a_balance[v_to_slot[i]] := v_to_balance[i];
          a_version[v_to_slot[i]] := v_to_version[i];
        END IF;
        IF v_from_version[i] IS NOT NULL THEN
          a_balance[v_from_slot[i]] := v_from_balance[i];
          a_version[v_from_slot[i]] := v_from_version[i];
        END IF;
      END LOOP;
    END IF;
  END LOOP;

  -- 3. The books.
  IF v_posted THEN
    INSERT INTO ledger.transactions (id, event, reference_kind, reference_id, hold_id, actor, memo, created_at)
    SELECT t.id, t.event, t.reference_kind, t.reference_id, t.hold_id, t.actor, t.memo, v_at
      FROM unnest(p_id, p_event, p_reference_kind, p_reference_id, p_hold_id, p_actor, p_memo, v_refusals)
             AS t (id, event, reference_kind, reference_id, hold_id, actor, memo, refusal)
     WHERE t.refusal IS NULL;
    INSERT INTO ledger.entries (transaction_id, line, account_id, amount, previous_balance, new_balance, version)
    SELECT p_id[l.n], e.line, e.account_id, e.amount, e.balance, e.balance + e.amount, e.version + 1
      FROM unnest(p_leg_of, p_amount, v_from_id, v_from_balance, v_from_version, v_to_id, v_to_balance, v_to_version)
             WITH ORDINALITY AS l (n, amount, from_id, from_balance, from_version, to_id, to_balance, to_version, leg),
           -- Its place among the legs of its transaction gives a leg its two lines.
           LATERAL (VALUES
             (2 * (l.leg - array_position(p_leg_of, l.n)) + 1, l.from_id, -l.amount, l.from_balance, l.from_version),
             (2 * (l.leg - array_position(p_leg_of, l.n)) + 2, l.to_id, l.amount, l.to_balance, l.to_version)
           ) AS e (line, account_id, amount, balance, version)
     WHERE v_refusals[l.n] IS NULL;
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

-- The key of a request that moves money is locked until the transaction ends, before anything else is: whoever sends the
-- same one at the same time waits here, and then finds the first answer. (Two keys that share a lock only wait.)
CREATE FUNCTION ledger.lock_key(p_caller uuid, p_key text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- In an expression, and not by PERFORM, it costs no query.
  IF pg_advisory_xact_lock(hashtextextended(p_caller || p_key, 0)) IS NULL THEN
    RETURN;
  END IF;
END
$$;

-- Locks a key and looks it up. NULL: not used yet. PB003: used for another request, or used up.
CREATE FUNCTION ledger.claim_key(p_caller uuid, p_key text, p_request_hash bytea) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_known ledger.idempotency_keys;
BEGIN
  PERFORM ledger.lock_key(p_caller, p_key);
  SELECT * INTO v_known FROM ledger.idempotency_keys WHERE caller = p_caller AND key = p_key;
  IF v_known.request_hash <> p_request_hash THEN
    RAISE EXCEPTION 'the idempotency key was used for another request' USING ERRCODE = 'PB003';
  END IF;
  RETURN v_known.answer;
END
$$;

-- Keeps the answers of claimed keys, committed together with their effects or not at all; an element without a key or
-- an answer is passed over. Answers how many it was given.
CREATE FUNCTION ledger.keep_answers(p_caller uuid[], p_key text[], p_request_hash bytea[], p_answer jsonb[])
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ledger.idempotency_keys (caller, key, request_hash, answer)
  SELECT k.caller, k.key, k.request_hash, k.answer
    FROM unnest(p_caller, p_key, p_request_hash, p_answer) AS k (caller, key, request_hash, answer)
   WHERE k.key IS NOT NULL AND k.answer IS NOT NULL;
  RETURN cardinality(p_key);
END
$$;

-- Ends the life of the oldest keys that are past it, `p_most` at most: see ledger.guard_keys. Answers how many there were.
CREATE FUNCTION ledger.retire_keys(p_most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_key record;
  v_retired integer := 0;
BEGIN
  FOR v_key IN
    SELECT ctid, answer ?| '{refused,refusal}' AS refused FROM ledger.idempotency_keys
     WHERE request_hash <> '' AND created_at < now() - ledger.key_life()
     ORDER BY created_at
     LIMIT p_most
       FOR UPDATE SKIP LOCKED
  LOOP
    IF v_key.refused THEN
      DELETE FROM ledger.idempotency_keys WHERE ctid = v_key.ctid;
    ELSE
      UPDATE ledger.idempotency_keys SET request_hash = '', answer = 'null' WHERE ctid = v_key.ctid;
    END IF;
    v_retired := v_retired + 1;
  END LOOP;
  RETURN v_retired;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.lock_key, ledger.claim_key, ledger.keep_answers, ledger.retire_keys TO probity_app;

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
