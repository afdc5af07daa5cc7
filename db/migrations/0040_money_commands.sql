-- The hot money commands: asking for a withdrawal, and for an investment paid from the balance. A list of them is one
-- statement with all that belongs to it: idempotency keys, checks, the books, the requests' rows, the audit log and
-- the jobs. Each is done as a whole or refused as a whole, without touching the others; a lone one is a list of one.

-- Flags of a job that the database itself queues, with the trace of the act behind it (server/platform/queue.ts); NULL outside of
-- traces.
CREATE FUNCTION app.trace_flags(p_traceparent text DEFAULT current_setting('app.traceparent', true)) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT CASE WHEN p_traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' THEN ARRAY['traceparent ' || p_traceparent] END
$$;
GRANT EXECUTE ON FUNCTION app.trace_flags TO probity_app;

CREATE TYPE app.money_command AS (
  -- 'withdrawal' or 'investment'.
  kind text,
  -- Whose money it is, and who asks.
  caller uuid,
  -- The idempotency key and its request's hash; NULL without one. A key may stand in a list once.
  key text,
  hash bytea,
  -- Ids of the request's row, and of the ledger's transaction with its hold.
  id uuid,
  hold uuid,
  amount bigint,
  at timestamptz,
  ip text,
  request_id text,
  -- Of the act behind it; NULL while tracing is off.
  traceparent text,
  -- An investment's: the plan version that it was offered, which must still be in force.
  plan_version uuid,
  -- A withdrawal's: where it goes, the least that may leave more behind, up to which sum one person may approve, and the
  -- id under which a new address enters the book; NULL: the address must be in the book.
  wallet text,
  address text,
  minimum bigint,
  single_approval bigint,
  new_address uuid,
  -- The request as its caller will see it; `invoiceId` and `userName` are added here.
  answer jsonb
);

-- Answers a JSON array with an element a command: { "result": the answer } or { "refusal": { "code", … } }; for a known key, the first one
-- again. Refusals beside those of ledger.post_each: email_not_verified, plan_changed, below_minimum (with the balance,
-- which may go as a whole), address_new, address_listed (with list, entry and name) and address_waiting (with its moment), which are
-- not kept with the key, and idempotency_key_reused.
CREATE FUNCTION app.execute_money(p_commands app.money_command[]) RETURNS jsonb
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_command app.money_command;
  v_count integer := cardinality(p_commands);
  v_name text[];
  v_known jsonb[];
  v_refusals jsonb[];
  -- The entries of the address book, and those of them that were never used.
  v_book uuid[];
  v_unused uuid[];
  v_postings ledger.posting[];
  v_legs ledger.leg[];
  -- The number of each command that was done; NULL of the others.
  v_invoice text[] := array_fill(NULL::text, ARRAY[v_count]);
  v_answers jsonb[] := array_fill(NULL::jsonb, ARRAY[v_count]);
  v_kept jsonb[] := array_fill(NULL::jsonb, ARRAY[v_count]);
  -- Whether there is something to insert: an INSERT of no row costs its triggers.
  v_withdrawals boolean := false;
  v_investments boolean := false;
BEGIN
  -- 1. Keys first. The list is in their order (server/ledger/batch.ts), so that lists wait for each other in no circle.
  FOREACH v_command IN ARRAY p_commands LOOP
    IF v_command.key IS NOT NULL AND ledger.lock_key(v_command.caller, v_command.key) IS NULL THEN
      NULL;
    END IF;
  END LOOP;

  -- 2. What is known, who asks, and what will be posted.
  SELECT array_agg(u.name ORDER BY c.ordinality),
         array_agg(CASE WHEN k.request_hash = c.hash THEN k.answer END ORDER BY c.ordinality),
         array_agg(CASE
           WHEN k.request_hash <> c.hash THEN '{"code": "idempotency_key_reused"}'::jsonb
           WHEN k.answer IS NOT NULL THEN '{"code": "known"}'
           WHEN u.email_verified_at IS NULL THEN '{"code": "email_not_verified"}'
           WHEN c.kind = 'investment' AND (p.current AND c.amount >= p.minimum_cents
                  AND c.amount <= coalesce(p.maximum_cents, c.amount)) IS NOT TRUE THEN '{"code": "plan_changed"}'
           WHEN c.amount < c.minimum AND c.amount < a.balance
             THEN jsonb_build_object('code', 'below_minimum', 'minimum', c.minimum::text, 'balance', a.balance::text)
           WHEN c.kind = 'withdrawal' AND b.id IS NULL AND c.new_address IS NULL THEN '{"code": "address_new"}'
           WHEN s.list IS NOT NULL
             THEN jsonb_build_object('code', 'address_listed', 'list', s.list, 'entry', s.entry, 'name', s.name)
           WHEN b.usable_from > c.at THEN jsonb_build_object('code', 'address_waiting', 'from', b.usable_from)
         END ORDER BY c.ordinality),
         array_agg(b.id ORDER BY c.ordinality), array_agg(b.id) FILTER (WHERE b.id IS NOT NULL AND b.first_used_at IS NULL),
         array_agg(ROW (c.hold, c.kind || '.requested', c.kind, c.id, NULL, c.caller, NULL)::ledger.posting ORDER BY c.ordinality),
         array_agg(ROW (c.ordinality, c.caller, 'available', c.caller, 'held', 'USD', c.amount)::ledger.leg ORDER BY c.ordinality)
    INTO v_name, v_known, v_refusals, v_book, v_unused, v_postings, v_legs
    FROM unnest(p_commands) WITH ORDINALITY c
    LEFT JOIN ledger.idempotency_keys k ON (k.caller, k.key) = (c.caller, c.key)
    LEFT JOIN app.users u ON u.id = c.caller
    LEFT JOIN app.plan_versions p ON p.id = c.plan_version
    -- The limit keeps it a look-up for each command, also in a session that planned it when the book was empty.
    LEFT JOIN LATERAL (
      SELECT e.id, e.usable_from, e.first_used_at FROM app.payout_addresses e
       WHERE e.user_id = c.caller AND e.wallet = c.wallet AND app.address_key(e.address) = app.address_key(c.address)
         AND e.removed_at IS NULL LIMIT 1) b ON true
    LEFT JOIN LATERAL (
      SELECT w.list, w.entry, w.name FROM app.sanctioned_wallets w
       WHERE w.address = app.address_key(c.address) AND w.removed_by IS NULL ORDER BY w.list, w.entry LIMIT 1) s ON true
    -- Only small withdrawals look their balance up.
    LEFT JOIN LATERAL (
      SELECT o.balance FROM ledger.accounts o
       WHERE c.amount < c.minimum AND (o.owner, o.kind, o.asset) = (c.caller, 'available', 'USD') LIMIT 1) a ON true;

  -- 3. The books.
  v_kept := v_refusals;
  v_refusals := ledger.post_each(v_postings, v_legs, v_refusals);

  -- 4. The answers. What was refused before the books is not kept with the key: it may be put right and sent again.
  FOR i IN 1 .. v_count LOOP
    v_command := p_commands[i];
    IF v_refusals[i] IS NULL THEN
      v_invoice[i] := app.next_invoice(CASE v_command.kind WHEN 'withdrawal' THEN 'WDR' ELSE 'INV' END, v_command.at);
      v_answers[i] := jsonb_build_object('result',
        v_command.answer || jsonb_build_object('invoiceId', v_invoice[i], 'userName', v_name[i]));
      v_kept[i] := v_answers[i];
      v_withdrawals := v_withdrawals OR v_command.kind = 'withdrawal';
      v_investments := v_investments OR v_command.kind = 'investment';
    ELSIF v_kept[i] IS NULL THEN
      v_answers[i] := jsonb_build_object('refusal', v_refusals[i]);
      v_kept[i] := v_answers[i];
    ELSE
      v_answers[i] := coalesce(v_known[i], jsonb_build_object('refusal', v_refusals[i]));
      v_kept[i] := NULL;
    END IF;
  END LOOP;

  -- 5. The requests and what goes with them.
  -- Jobs of the triggers are for all commands together: they belong to the trace of the first.
  IF p_commands[1].traceparent IS NOT NULL THEN
    PERFORM set_config('app.traceparent', p_commands[1].traceparent, true);
  END IF;
  IF v_unused IS NOT NULL THEN
    UPDATE app.payout_addresses b SET first_used_at = c.at
      FROM unnest(p_commands) WITH ORDINALITY c
     WHERE b.id = v_book[c.ordinality] AND v_invoice[c.ordinality] IS NOT NULL AND b.first_used_at IS NULL;
  END IF;
  IF v_withdrawals THEN
    INSERT INTO app.payout_addresses (id, user_id, wallet, address, created_at, first_used_at)
    SELECT c.new_address, c.caller, c.wallet, c.address, c.at, c.at
      FROM unnest(p_commands) WITH ORDINALITY c
     WHERE c.new_address IS NOT NULL AND v_book[c.ordinality] IS NULL AND v_invoice[c.ordinality] IS NOT NULL
    ON CONFLICT DO NOTHING;
    INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, hold_id, single_approval_cents,
                                 approvals_needed, created_at)
    SELECT c.id, v_invoice[c.ordinality], c.caller, c.amount, c.wallet, c.address, c.hold, c.single_approval,
           CASE WHEN c.amount > c.single_approval THEN 2 ELSE 1 END, c.at
      FROM unnest(p_commands) WITH ORDINALITY c
     WHERE c.kind = 'withdrawal' AND v_invoice[c.ordinality] IS NOT NULL;
    PERFORM graphile_worker.add_jobs(array_agg(
              ROW ('notify_security', json_build_object('notice', 'withdrawal.requested', 'id', c.id),
                   NULL, NULL, NULL, NULL, NULL, app.trace_flags(c.traceparent))::graphile_worker.job_spec))
       FROM unnest(p_commands) WITH ORDINALITY c
      WHERE c.kind = 'withdrawal' AND v_invoice[c.ordinality] IS NOT NULL;
  END IF;
  IF v_investments THEN
    INSERT INTO app.investments (id, invoice_id, user_id, plan_version_id, amount_cents, method, hold_id, created_at)
    SELECT c.id, v_invoice[c.ordinality], c.caller, c.plan_version, c.amount, 'balance', c.hold, c.at
      FROM unnest(p_commands) WITH ORDINALITY c
     WHERE c.kind = 'investment' AND v_invoice[c.ordinality] IS NOT NULL;
  END IF;
  INSERT INTO app.audit_log (at, actor_id, action, subject_kind, subject_id, ip, request_id)
  SELECT c.at, c.caller, c.kind || '.requested', c.kind, c.id, c.ip, c.request_id
    FROM unnest(p_commands) WITH ORDINALITY c
   WHERE v_invoice[c.ordinality] IS NOT NULL;
  PERFORM ledger.keep_answers(array_agg(c.caller ORDER BY c.ordinality), array_agg(c.key ORDER BY c.ordinality),
                              array_agg(c.hash ORDER BY c.ordinality), v_kept)
     FROM unnest(p_commands) WITH ORDINALITY c;
  RETURN to_jsonb(v_answers);
END
$$;
GRANT EXECUTE ON FUNCTION app.execute_money TO probity_app;
