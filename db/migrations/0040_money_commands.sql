-- The hot money commands: asking for a withdrawal, and for an investment paid from the balance. A list of them is one
-- statement with all that belongs to it: idempotency keys, checks, the books, the requests' rows, the audit log and
-- the jobs. Each is done as a whole or refused as a whole, without touching the others; a lone one is a list of one.

-- One element of each array a command:
--   p_kind          'withdrawal' or 'investment'
--   p_caller        whose money it is, and who asks
--   p_key, p_hash   the idempotency key and its request's hash; NULL without one. A key may stand in a list once.
--   p_id, p_hold    ids of the request's row, and of the ledger's transaction with its hold
--   p_plan_version  an investment's: the plan version it was offered, which must still be in force
--   p_approvals     a withdrawal's: how many admins must approve it
--   p_new_address   a withdrawal's: the id under which its address is put into the book where it is not there; NULL: it must be there
--   p_answers       (a JSON array) the request as its caller will see it; `invoiceId` and `userName` are added here
-- Answers a JSON array with an element a command: { "result": the answer } or { "refusal": { "code", … } }; for a known key, the first one
-- again. Refusals beside those of ledger.post_each: email_not_verified, plan_changed, address_new and address_waiting (with its
-- moment), which are not kept with the key, and idempotency_key_reused.
CREATE FUNCTION app.execute_money(
  p_kind text[], p_caller uuid[], p_key text[], p_hash bytea[], p_id uuid[], p_hold uuid[], p_amount bigint[],
  p_at timestamptz[], p_ip text[], p_request_id text[], p_plan_version uuid[], p_wallet text[], p_address text[],
  p_approvals smallint[], p_new_address uuid[], p_answers jsonb
) RETURNS jsonb
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_count integer := cardinality(p_kind);
  v_ordinals integer[];
  v_none uuid[] := array_fill(NULL::uuid, ARRAY[v_count]);
  v_event text[];
  v_name text[];
  v_known jsonb[];
  v_refusals jsonb[];
  v_book uuid[];
  v_unused uuid[];
  v_invoice text[] := array_fill(NULL::text, ARRAY[v_count]);
  v_answers jsonb[] := array_fill(NULL::jsonb, ARRAY[v_count]);
  v_kept jsonb[] := array_fill(NULL::jsonb, ARRAY[v_count]);
BEGIN
  -- 1. Keys first. The list is in their order (server/ledger/batch.ts), so that lists wait for each other in no circle.
  FOR i IN 1 .. v_count LOOP
    IF p_key[i] IS NOT NULL AND ledger.lock_key(p_caller[i], p_key[i]) IS NULL THEN
      NULL;
    END IF;
  END LOOP;

  -- 2. What is known and who asks.
  SELECT array_agg(c.n::integer ORDER BY c.n), array_agg(c.kind || '.requested' ORDER BY c.n), array_agg(u.name ORDER BY c.n),
         array_agg(CASE WHEN k.request_hash = c.hash THEN k.answer END ORDER BY c.n),
         array_agg(CASE
           WHEN k.request_hash <> c.hash THEN '{"code": "idempotency_key_reused"}'::jsonb
           WHEN k.answer IS NOT NULL THEN '{"code": "known"}'
           WHEN u.email_verified_at IS NULL THEN '{"code": "email_not_verified"}'
           WHEN c.kind = 'investment' AND (p.current AND c.amount >= p.minimum_cents
                  AND c.amount <= coalesce(p.maximum_cents, c.amount)) IS NOT TRUE THEN '{"code": "plan_changed"}'
           WHEN c.kind = 'withdrawal' AND b.id IS NULL AND c.new_address IS NULL THEN '{"code": "address_new"}'
           WHEN b.usable_from > c.at THEN jsonb_build_object('code', 'address_waiting', 'from', b.usable_from)
         END ORDER BY c.n),
         array_agg(b.id ORDER BY c.n), array_agg(b.id) FILTER (WHERE b.id IS NOT NULL AND b.first_used_at IS NULL)
    INTO v_ordinals, v_event, v_name, v_known, v_refusals, v_book, v_unused
    FROM unnest(p_kind, p_caller, p_key, p_hash, p_plan_version, p_amount, p_wallet, p_address, p_new_address, p_at)
           WITH ORDINALITY AS c (kind, caller, key, hash, plan_version, amount, wallet, address, new_address, at, n)
    LEFT JOIN ledger.idempotency_keys k ON (k.caller, k.key) = (c.caller, c.key)
    LEFT JOIN app.users u ON u.id = c.caller
    LEFT JOIN app.plan_versions p ON p.id = c.plan_version
    -- The limit keeps it a look-up for each command, also in a session that planned it when the book was empty.
    LEFT JOIN LATERAL (
      SELECT e.id, e.usable_from, e.first_used_at FROM app.payout_addresses e
       WHERE e.user_id = c.caller AND e.wallet = c.wallet AND app.address_key(e.address) = app.address_key(c.address)
         AND e.removed_at IS NULL LIMIT 1) b ON true;

  -- 3. The books.
  v_kept := v_refusals;
  v_refusals := ledger.post_each(
    p_hold, v_event, p_kind, p_id, v_none, p_caller, array_fill(NULL::text, ARRAY[v_count]),
    v_ordinals, p_caller, array_fill('available'::text, ARRAY[v_count]), p_caller, array_fill('held'::text, ARRAY[v_count]),
    array_fill('USD'::text, ARRAY[v_count]), p_amount, v_refusals);

  -- 4. The answers. What was refused before the books is not kept with the key: it may be put right and sent again.
  FOR i IN 1 .. v_count LOOP
    IF v_refusals[i] IS NULL THEN
      v_invoice[i] := app.next_invoice(CASE p_kind[i] WHEN 'withdrawal' THEN 'WDR' ELSE 'INV' END, p_at[i]);
      v_answers[i] := jsonb_build_object('result',
        (p_answers -> (i - 1)) || jsonb_build_object('invoiceId', v_invoice[i], 'userName', v_name[i]));
      v_kept[i] := v_answers[i];
    ELSIF v_kept[i] IS NULL THEN
      v_answers[i] := jsonb_build_object('refusal', v_refusals[i]);
      v_kept[i] := v_answers[i];
    ELSE
      v_answers[i] := coalesce(v_known[i], jsonb_build_object('refusal', v_refusals[i]));
      v_kept[i] := NULL;
    END IF;
  END LOOP;

  -- 5. The requests and what goes with them.
  IF 'withdrawal' = ANY (p_kind) THEN
    IF num_nonnulls(VARIADIC p_new_address) > 0 THEN
      INSERT INTO app.payout_addresses (id, user_id, wallet, address, created_at, first_used_at)
      SELECT c.new_address, c.caller, c.wallet, c.address, c.at, c.at
        FROM unnest(p_new_address, v_book, p_caller, p_wallet, p_address, p_at, v_invoice)
               AS c (new_address, book, caller, wallet, address, at, invoice)
       WHERE c.new_address IS NOT NULL AND c.book IS NULL AND c.invoice IS NOT NULL
      ON CONFLICT DO NOTHING;
    END IF;
    IF v_unused IS NOT NULL THEN
      UPDATE app.payout_addresses b SET first_used_at = c.at
        FROM unnest(v_book, p_at, v_invoice) AS c (book, at, invoice)
       WHERE b.id = c.book AND c.invoice IS NOT NULL AND b.first_used_at IS NULL;
    END IF;
    INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, hold_id, approvals_needed, created_at)
    SELECT c.id, c.invoice, c.caller, c.amount, c.wallet, c.address, c.hold, c.approvals, c.at
      FROM unnest(p_kind, p_id, v_invoice, p_caller, p_amount, p_wallet, p_address, p_hold, p_approvals, p_at)
             AS c (kind, id, invoice, caller, amount, wallet, address, hold, approvals, at)
     WHERE c.kind = 'withdrawal' AND c.invoice IS NOT NULL;
    PERFORM graphile_worker.add_jobs(array_agg(
              ROW ('notify', json_build_object('notice', 'withdrawal.requested', 'id', c.id),
                   NULL, NULL, NULL, NULL, NULL, NULL)::graphile_worker.job_spec))
       FROM unnest(p_kind, p_id, v_invoice) AS c (kind, id, invoice)
      WHERE c.kind = 'withdrawal' AND c.invoice IS NOT NULL
     HAVING count(*) > 0;
  END IF;
  IF 'investment' = ANY (p_kind) THEN
    INSERT INTO app.investments (id, invoice_id, user_id, plan_version_id, amount_cents, method, hold_id, created_at)
    SELECT c.id, c.invoice, c.caller, c.plan_version, c.amount, 'balance', c.hold, c.at
      FROM unnest(p_kind, p_id, v_invoice, p_caller, p_plan_version, p_amount, p_hold, p_at)
             AS c (kind, id, invoice, caller, plan_version, amount, hold, at)
     WHERE c.kind = 'investment' AND c.invoice IS NOT NULL;
  END IF;
  INSERT INTO app.audit_log (at, actor_id, action, subject_kind, subject_id, ip, request_id)
  SELECT c.at, c.caller, c.kind || '.requested', c.kind, c.id, c.ip, c.request_id
    FROM unnest(p_kind, p_at, p_caller, p_id, p_ip, p_request_id, v_invoice)
           AS c (kind, at, caller, id, ip, request_id, invoice)
   WHERE c.invoice IS NOT NULL;
  v_count := ledger.keep_answers(p_caller, p_key, p_hash, v_kept);
  RETURN to_jsonb(v_answers);
END
$$;
GRANT EXECUTE ON FUNCTION app.execute_money TO probity_app;
