-- How the books are written: the functions that the application may call. They run as the owner of the tables.

-- The time of a posting: now. Only a session of the owner may set another time (SET LOCAL ledger.at = '…'), for the
-- demonstration's history. Time still moves forward along each account.
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

-- One business event to post. A hold that it places has the same id.
CREATE TYPE ledger.posting AS (
  id uuid,
  event text,
  reference_kind text,
  reference_id uuid,
  -- The hold that it posts or voids.
  hold_id uuid,
  actor uuid,
  memo text
);
-- One leg of a posting: debits one account and credits another, in the asset's minor units.
CREATE TYPE ledger.leg AS (
  -- The posting's place in its list, from 1.
  posting integer,
  from_owner uuid,
  from_kind text,
  to_owner uuid,
  to_kind text,
  asset text,
  amount bigint
);

-- Posts a list of business events, each as a whole or not at all; a refused one does not affect the others. It first
-- locks all accounts with a floor, in one order, so that callers never deadlock. An unused account gets its zero row
-- first, so that it can be locked.
--
-- The legs are in the order of their postings. Returns one element per posting: NULL if it is posted, else its refusal:
--   { "code": "insufficient_funds", "owner", "kind", "asset", "balance", "needed" }  (amounts as text)
--   { "code": "hold_not_open", "hold", "resolution" }    resolution: posted, voided, or null for an unknown hold
-- A posting that the caller has already refused (`p_refused`, one element per posting) is returned unposted. An invalid
-- request (unknown account kind, a leg without a rule, an amount that is not positive) raises an error.
CREATE FUNCTION ledger.post_each(p_postings ledger.posting[], p_legs ledger.leg[], p_refused jsonb[] DEFAULT NULL)
RETURNS jsonb[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
-- One plan for every list: by index, also in a session that planned it when the tables were small.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_refusals jsonb[] := coalesce(p_refused, array_fill(NULL::jsonb, ARRAY[cardinality(p_postings)]));
  v_at timestamptz;
  -- The accounts by slot, with their state after the legs so far; NULL without a running balance.
  a_key text[];
  a_id bigint[];
  a_floor bigint[];
  a_balance bigint[];
  a_version bigint[];
  -- Each leg's two slots.
  v_from integer[];
  v_to integer[];
  -- The holds to resolve.
  h_id uuid[];
  h_resolution text[];
  v_posting ledger.posting;
  v_leg ledger.leg;
  v_slot integer;
  -- A posting's first leg, its next leg, and the last leg applied.
  v_first integer;
  v_next integer := 1;
  v_applied integer;
  -- Each leg's first line, and its two accounts' state before it.
  v_line integer[] := array_fill(NULL::integer, ARRAY[cardinality(p_legs)]);
  v_from_balance bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(p_legs)]);
  v_from_version bigint[] := v_from_balance;
  v_to_balance bigint[] := v_from_balance;
  v_to_version bigint[] := v_from_balance;
BEGIN
  -- 1. Locks: the holds to resolve, then the accounts with a floor, each in the order of their ids.
  SELECT array_agg(h.id), array_agg(h.resolution)
    INTO h_id, h_resolution
    FROM (SELECT id, resolution FROM ledger.holds
           WHERE id = ANY (ARRAY(SELECT hold_id FROM unnest(p_postings) WHERE hold_id IS NOT NULL))
           ORDER BY id FOR NO KEY UPDATE) h;
  LOOP
    WITH locked AS (
      SELECT a.*
        FROM ledger.accounts a
       WHERE a.id = ANY (ARRAY(
               SELECT (SELECT b.id FROM ledger.accounts b
                        WHERE (b.owner, b.kind, b.asset) = (side.owner, side.kind, l.asset) AND b.floor IS NOT NULL)
                 FROM unnest(p_legs) l,
                      LATERAL (VALUES (l.from_owner, l.from_kind), (l.to_owner, l.to_kind)) AS side (owner, kind)))
       ORDER BY a.id
         FOR NO KEY UPDATE
    )
    SELECT array_agg(a.owner || a.kind || a.asset), array_agg(a.id), array_agg(a.floor), array_agg(a.balance),
           array_agg(a.version), greatest(ledger.posting_time(), max(a.moved_at))
      INTO a_key, a_id, a_floor, a_balance, a_version, v_at
      FROM (SELECT * FROM locked
             UNION ALL
            -- Accounts without a floor keep no balance, so they need no lock.
            SELECT * FROM ledger.accounts WHERE owner = ledger.firm() AND floor IS NULL) a;
    SELECT array_agg(array_position(a_key, l.from_owner || l.from_kind || l.asset) ORDER BY l.ordinality),
           array_agg(array_position(a_key, l.to_owner || l.to_kind || l.asset) ORDER BY l.ordinality)
      INTO v_from, v_to
      FROM unnest(p_legs) WITH ORDINALITY l;
    EXIT WHEN array_position(v_from, NULL) IS NULL AND array_position(v_to, NULL) IS NULL;
    -- Opens the missing accounts.
    INSERT INTO ledger.accounts (owner, kind, asset)
    SELECT DISTINCT side.owner, side.kind, l.asset
      FROM unnest(p_legs) l,
           LATERAL (VALUES (l.from_owner, l.from_kind), (l.to_owner, l.to_kind)) AS side (owner, kind)
     ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING;
  END LOOP;

  -- 2. Each posting, on the balances after those before it.
  FOR v_n IN 1 .. cardinality(p_postings) LOOP
    v_posting := p_postings[v_n];
    IF v_refusals[v_n] IS NULL AND v_posting.hold_id IS NOT NULL THEN
      v_slot := array_position(h_id, v_posting.hold_id);
      IF v_slot IS NULL OR h_resolution[v_slot] IS NOT NULL THEN
        v_refusals[v_n] := jsonb_build_object('code', 'hold_not_open', 'hold', v_posting.hold_id,
          'resolution', h_resolution[v_slot]);
      ELSE
        h_resolution[v_slot] := 'posted';
      END IF;
    END IF;
    v_first := v_next;
    v_applied := v_first - 1;
    LOOP
      v_leg := p_legs[v_next];
      EXIT WHEN v_leg.posting IS DISTINCT FROM v_n;
      v_slot := v_from[v_next];
      IF v_refusals[v_n] IS NOT NULL THEN
        NULL;
      ELSIF a_balance[v_slot] - v_leg.amount < a_floor[v_slot] THEN
        v_refusals[v_n] := jsonb_build_object('code', 'insufficient_funds', 'owner', v_leg.from_owner,
          'kind', v_leg.from_kind, 'asset', v_leg.asset, 'balance', a_balance[v_slot]::text, 'needed', v_leg.amount::text);
      ELSE
        v_line[v_next] := 2 * (v_next - v_first) + 1;
        v_from_balance[v_next] := a_balance[v_slot];
        v_from_version[v_next] := a_version[v_slot];
        a_balance[v_slot] := a_balance[v_slot] - v_leg.amount;
        a_version[v_slot] := a_version[v_slot] + 1;
        v_slot := v_to[v_next];
        v_to_balance[v_next] := a_balance[v_slot];
        v_to_version[v_next] := a_version[v_slot];
        a_balance[v_slot] := a_balance[v_slot] + v_leg.amount;
        a_version[v_slot] := a_version[v_slot] + 1;
        v_applied := v_next;
      END IF;
      v_next := v_next + 1;
    END LOOP;
    IF v_next = v_first THEN
      RAISE EXCEPTION 'refused: posting % has no leg', v_n USING ERRCODE = 'PB101';
    END IF;
    IF v_refusals[v_n] IS NOT NULL THEN
      -- Undoes the legs already applied.
      FOR i IN REVERSE v_applied .. v_first LOOP
        a_balance[v_to[i]] := v_to_balance[i];
        a_version[v_to[i]] := v_to_version[i];
        a_balance[v_from[i]] := v_from_balance[i];
        a_version[v_from[i]] := v_from_version[i];
      END LOOP;
    END IF;
  END LOOP;

  -- 3. The books.
  IF array_position(v_refusals, NULL) IS NOT NULL THEN
    INSERT INTO ledger.transactions (id, event, reference_kind, reference_id, hold_id, actor, memo, created_at)
    SELECT p.id, p.event, p.reference_kind, p.reference_id, p.hold_id, p.actor, p.memo, v_at
      FROM unnest(p_postings, v_refusals) AS p (id, event, reference_kind, reference_id, hold_id, actor, memo, refusal)
     WHERE p.refusal IS NULL;
    INSERT INTO ledger.entries (transaction_id, line, account_id, amount, previous_balance, new_balance, version)
    SELECT (p_postings[l.posting]).id, e.line, a_id[e.slot], e.amount, e.balance, e.balance + e.amount, e.version + 1
      FROM unnest(p_legs, v_line, v_from, v_from_balance, v_from_version, v_to, v_to_balance, v_to_version)
             AS l (posting, from_owner, from_kind, to_owner, to_kind, asset, amount,
                   line, from_slot, from_balance, from_version, to_slot, to_balance, to_version),
           LATERAL (VALUES (l.line, l.from_slot, -l.amount, l.from_balance, l.from_version),
                           (l.line + 1, l.to_slot, l.amount, l.to_balance, l.to_version))
             AS e (line, slot, amount, balance, version)
     WHERE v_refusals[l.posting] IS NULL;
  END IF;
  RETURN v_refusals;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.post_each TO probity_app;

-- Posts one business event, or raises PB001 (insufficient funds) or PB002 (hold not open), with the refusal of
-- `post_each` as detail (JSON); PB101 and above for an invalid posting.
CREATE FUNCTION ledger.post(p_posting ledger.posting, p_legs ledger.leg[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_refusal jsonb := (ledger.post_each(ARRAY[p_posting], p_legs))[1];
BEGIN
  IF v_refusal IS NOT NULL THEN
    RAISE EXCEPTION '% is refused: %', p_posting.event, v_refusal ->> 'code'
      USING ERRCODE = CASE v_refusal ->> 'code' WHEN 'insufficient_funds' THEN 'PB001' ELSE 'PB002' END,
            DETAIL = v_refusal::text;
  END IF;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.post TO probity_app;

-- Posts many events of one kind, all or none, each with one leg in USD from one account of the firm with a floor to an account of
-- an investor: what `post_each` does, by statements over all of them. It locks the same accounts in the same order, and raises
-- PB001 with the refusal as detail, where `needed` is the sum of all.
CREATE FUNCTION ledger.post_alike(
  p_event text, p_from_kind text, p_to_kind text, p_actors uuid[],
  p_ids uuid[], p_references uuid[], p_owners uuid[], p_amounts bigint[], p_memos text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
-- By index and hash also in a session that planned it when the tables were small; never by comparing each with each.
SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off
AS $$
DECLARE
  v_accounts bigint[];
  v_needed bigint := (SELECT sum(amount) FROM unnest(p_amounts) AS amount);
  v_from ledger.accounts;
  v_at timestamptz;
  -- The investors' accounts, with their state before.
  a_id bigint[];
  a_owner uuid[];
  a_balance bigint[];
  a_version bigint[];
BEGIN
  LOOP
    SELECT array_agg(id) INTO v_accounts
      FROM (SELECT id FROM ledger.accounts WHERE owner = ledger.firm() AND kind = p_from_kind AND asset = 'USD'
             UNION ALL
            SELECT id FROM ledger.accounts WHERE owner = ANY (p_owners) AND kind = p_to_kind AND asset = 'USD') a;
    EXIT WHEN cardinality(v_accounts) = 1 + (SELECT count(DISTINCT owner) FROM unnest(p_owners) AS owner);
    INSERT INTO ledger.accounts (owner, kind, asset)
    SELECT ledger.firm(), p_from_kind, 'USD' UNION SELECT owner, p_to_kind, 'USD' FROM unnest(p_owners) AS owner
     ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING;
  END LOOP;
  SELECT array_agg(a.id), array_agg(a.owner), array_agg(a.balance), array_agg(a.version),
         greatest(ledger.posting_time(), max(a.moved_at))
    INTO a_id, a_owner, a_balance, a_version, v_at
    FROM (SELECT * FROM ledger.accounts WHERE id = ANY (v_accounts) ORDER BY id FOR NO KEY UPDATE) a;
  SELECT * INTO v_from FROM ledger.accounts WHERE owner = ledger.firm() AND kind = p_from_kind AND asset = 'USD';
  IF v_from.balance - v_needed < v_from.floor THEN
    RAISE EXCEPTION '% is refused: insufficient_funds', p_event USING ERRCODE = 'PB001', DETAIL = jsonb_build_object(
      'code', 'insufficient_funds', 'owner', v_from.owner, 'kind', v_from.kind, 'asset', v_from.asset,
      'balance', v_from.balance::text, 'needed', v_needed::text)::text;
  END IF;

  INSERT INTO ledger.transactions (id, event, reference_kind, reference_id, actor, memo, created_at)
  SELECT p.id, p_event, split_part(p_event, '.', 1), p.reference, p.actor, p.memo, v_at
    FROM unnest(p_ids, p_references, p_actors, p_memos) AS p (id, reference, actor, memo);
  INSERT INTO ledger.entries (transaction_id, line, account_id, amount, previous_balance, new_balance, version)
  SELECT p.id, e.line, e.account, e.amount, e.balance - e.amount, e.balance, e.version
    FROM (SELECT p.id, p.n, p.amount, a.id AS account,
                 v_from.balance - sum(p.amount) OVER (ORDER BY p.n ROWS UNBOUNDED PRECEDING)::bigint AS from_balance,
                 a.balance + sum(p.amount) OVER mine::bigint AS balance,
                 a.version + row_number() OVER mine AS version
            FROM unnest(p_ids, p_owners, p_amounts) WITH ORDINALITY AS p (id, owner, amount, n)
            JOIN unnest(a_id, a_owner, a_balance, a_version) AS a (id, owner, balance, version) ON a.owner = p.owner
          WINDOW mine AS (PARTITION BY p.owner ORDER BY p.n ROWS UNBOUNDED PRECEDING)) p
   CROSS JOIN LATERAL (VALUES (1, v_from.id, -p.amount, p.from_balance, v_from.version + p.n),
                              (2, p.account, p.amount, p.balance, p.version)) AS e (line, account, amount, balance, version)
   ORDER BY p.n, e.line;
END
$$;
GRANT EXECUTE ON FUNCTION ledger.post_alike TO probity_app;

-- Locks the key of a request that moves money, before anything else and until the transaction ends: a concurrent
-- request with the same key waits here and then finds the first answer. Two keys that share a lock only wait.
CREATE FUNCTION ledger.lock_key(p_caller uuid, p_key text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- As an expression, unlike PERFORM, it costs no query.
  IF pg_advisory_xact_lock(hashtextextended(p_caller || p_key, 0)) IS NULL THEN
    RETURN;
  END IF;
END
$$;

-- Locks a key and looks it up. NULL: unused. PB003: used for another request, or used up.
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
  IF v_known.answer IS NOT NULL THEN
    -- The first answer's session may have ended while its commit waited for a synchronous standby: visible, and on this server
    -- alone. A transaction that writes waits for the standby too; this message is read by nobody.
    PERFORM pg_logical_emit_message(true, 'probity', '');
  END IF;
  RETURN v_known.answer;
END
$$;

-- Stores the answers of claimed keys, committed together with their effects; skips elements without a key or an answer.
-- Returns the number stored.
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

-- Expires up to `p_most` of the oldest keys that are due (see ledger.guard_keys). Returns how many were due.
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

-- Every account's balance: kept with a floor; without one, summed since the latest snapshot.
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
