-- Seals: every minute a job fixes what the journal and the audit log contain, so that a later change is found even if a
-- superuser makes it. Two logs (RFC 6962, section 2.1) have a leaf for each transaction and each audit row. Each seal
-- has both logs' sizes and roots, the hash of the seal before it, and a signature with a key that is not in the database
-- (server/ledger/seals.ts, decision 95). Posting waits for none of it.

-- What a leaf covers: the whole transaction with its entries, and their accounts' owners. record_send writes each
-- value with its type and length, so two contents never look alike.
CREATE VIEW ledger.transaction_leaves AS
SELECT t.id, sha256('\x00'::bytea || record_send(ROW(t.id, t.event, t.reference_kind, t.reference_id, t.hold_id, t.actor,
                                                     t.memo::text, t.created_at)) || lines.content) AS hash
  FROM ledger.transactions t
 CROSS JOIN LATERAL (
   SELECT coalesce(string_agg(record_send(ROW(e.id, e.line, a.owner, a.kind, a.asset, e.amount, e.previous_balance,
                                              e.new_balance, e.version)), '' ORDER BY e.line), '') AS content
     FROM ledger.entries e LEFT JOIN ledger.accounts a ON a.id = e.account_id
    WHERE e.transaction_id = t.id
 ) lines;

CREATE VIEW ledger.audit_leaves AS
SELECT l.id, sha256('\x00'::bytea || record_send(ROW(l.id, l.at, l.actor_id, l.action, l.subject_kind, l.subject_id, l.reason,
                                                     l.ip, l.request_id, l.details))) AS hash
  FROM app.audit_log l;

-- The leaves that each seal adds to the two logs, in their order.
CREATE TABLE ledger.seal_batches (
  number bigint PRIMARY KEY,
  transactions uuid[] NOT NULL,
  transaction_hashes bytea[] NOT NULL,
  audit_rows bigint[] NOT NULL,
  audit_hashes bytea[] NOT NULL,
  CHECK (cardinality(transactions) = cardinality(transaction_hashes)),
  CHECK (cardinality(audit_rows) = cardinality(audit_hashes)),
  CHECK (cardinality(transactions) + cardinality(audit_rows) > 0)
);
-- Hashes do not compress.
ALTER TABLE ledger.seal_batches ALTER transaction_hashes SET STORAGE EXTERNAL, ALTER audit_hashes SET STORAGE EXTERNAL;

CREATE TABLE ledger.seals (
  number bigint PRIMARY KEY REFERENCES ledger.seal_batches,
  sealed_at timestamptz(3) NOT NULL,
  -- Leaves of each log up to here, and the root over all of them.
  journal_size bigint NOT NULL,
  journal_root bytea NOT NULL,
  audit_size bigint NOT NULL,
  audit_root bytea NOT NULL,
  -- Hash of the seal before it; 32 zero bytes for the first.
  previous_hash bytea NOT NULL,
  -- Ed25519 (RFC 8032).
  public_key bytea NOT NULL,
  signature bytea NOT NULL,
  -- SHA-256 of everything above.
  hash bytea NOT NULL,
  -- Roots of the complete subtrees, largest first: enough to append leaves.
  journal_subtrees bytea[] NOT NULL,
  audit_subtrees bytea[] NOT NULL
);

-- How far sealing is. Every row up to `…_upto` is sealed; a row above it may be in a batch after `since`. A transaction
-- that commits late can have a lower id than a sealed one. So `…_mark` becomes the new `…_upto` once every transaction
-- has ended that ran when the mark was a pass old: a number is taken a moment before the writer's transaction id.
CREATE TABLE ledger.seal_progress (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  journal_upto bigint NOT NULL DEFAULT 0,
  audit_upto bigint NOT NULL DEFAULT 0,
  since bigint NOT NULL DEFAULT 0,
  journal_mark bigint,
  audit_mark bigint,
  mark_since bigint,
  mark_ended_by xid8
);
INSERT INTO ledger.seal_progress DEFAULT VALUES;

CREATE TRIGGER seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.seals
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('seals stay');
CREATE TRIGGER seal_batches_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.seal_batches
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('seals stay');
CREATE TRIGGER seal_progress_stays BEFORE DELETE OR TRUNCATE ON ledger.seal_progress
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('seals stay');

CREATE FUNCTION ledger.guard_seal() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_last ledger.seals;
  v_batch ledger.seal_batches;
BEGIN
  SELECT * INTO v_last FROM ledger.seals ORDER BY number DESC LIMIT 1;
  SELECT * INTO v_batch FROM ledger.seal_batches WHERE number = NEW.number;
  IF NEW.number <> coalesce(v_last.number, 0) + 1
     OR NEW.previous_hash <> coalesce(v_last.hash, decode(repeat('00', 32), 'hex'))
     OR NEW.journal_size <> coalesce(v_last.journal_size, 0) + cardinality(v_batch.transactions)
     OR NEW.audit_size <> coalesce(v_last.audit_size, 0) + cardinality(v_batch.audit_rows) THEN
    RAISE EXCEPTION 'refused: seal % does not follow seal %', NEW.number, v_last.number USING ERRCODE = 'PB202';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER seals_follow BEFORE INSERT ON ledger.seals
  FOR EACH ROW EXECUTE FUNCTION ledger.guard_seal();

-- Collects the leaves of the next seal: committed transactions that are not sealed yet, up to `p_most`, in the order of
-- their first entries, and audit rows likewise, in the order of their ids. NULL if there are none, or another session
-- holds the lock. Without a seal, the batch waits for one.
CREATE FUNCTION ledger.collect_leaves(p_most integer) RETURNS ledger.seal_batches
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- The arrays are known to the planner, which hashes them; and the newest rows are read by their place.
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off
AS $$
DECLARE
  v_batch ledger.seal_batches;
  v_progress ledger.seal_progress;
  v_number bigint;
  v_latest_entry bigint;
  v_latest_row bigint;
  v_sealed_transactions uuid[];
  v_sealed_rows bigint[];
  v_settled boolean;
  v_is_complete boolean;
BEGIN
  IF current_setting('transaction_isolation') <> 'repeatable read' THEN
    RAISE EXCEPTION 'leaves are collected in one snapshot: BEGIN ISOLATION LEVEL REPEATABLE READ' USING ERRCODE = 'PB200';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7762491) THEN
    RETURN NULL;
  END IF;
  SELECT coalesce(max(number), 0) + 1 INTO v_number FROM ledger.seals;
  SELECT * INTO v_batch FROM ledger.seal_batches WHERE number = v_number;
  IF FOUND THEN
    RETURN v_batch;
  END IF;

  SELECT * INTO v_progress FROM ledger.seal_progress;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO v_latest_entry FROM ledger.entries_id_seq;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO v_latest_row FROM app.audit_log_id_seq;
  -- Restored into another server, the mark may name a transaction id of its future: nothing from before is running.
  v_settled := v_progress.mark_ended_by <= pg_snapshot_xmin(pg_current_snapshot())
            OR v_progress.mark_ended_by > pg_snapshot_xmax(pg_current_snapshot());

  SELECT coalesce(array_agg(id), '{}') INTO v_sealed_transactions
    FROM ledger.seal_batches b, unnest(b.transactions) AS id WHERE b.number > v_progress.since;
  SELECT coalesce(array_agg(id), '{}') INTO v_sealed_rows
    FROM ledger.seal_batches b, unnest(b.audit_rows) AS id WHERE b.number > v_progress.since;
  SELECT coalesce(array_agg(fresh.id ORDER BY fresh.first_entry), '{}'),
         coalesce(array_agg(leaf.hash ORDER BY fresh.first_entry), '{}')
    INTO v_batch.transactions, v_batch.transaction_hashes
    FROM (SELECT e.transaction_id AS id, e.id AS first_entry
            FROM ledger.entries e
           WHERE e.id > v_progress.journal_upto AND e.line = 1 AND e.transaction_id <> ALL (v_sealed_transactions)
           ORDER BY e.id LIMIT p_most) fresh
    JOIN ledger.transaction_leaves leaf ON leaf.id = fresh.id;
  SELECT coalesce(array_agg(fresh.id ORDER BY fresh.id), '{}'), coalesce(array_agg(leaf.hash ORDER BY fresh.id), '{}')
    INTO v_batch.audit_rows, v_batch.audit_hashes
    FROM (SELECT l.id FROM app.audit_log l
           WHERE l.id > v_progress.audit_upto AND l.id <> ALL (v_sealed_rows)
           ORDER BY l.id LIMIT p_most) fresh
    JOIN ledger.audit_leaves leaf ON leaf.id = fresh.id;
  IF cardinality(v_batch.transactions) + cardinality(v_batch.audit_rows) = 0 THEN
    v_number := v_number - 1;
  ELSE
    v_batch.number := v_number;
    INSERT INTO ledger.seal_batches SELECT v_batch.*;
  END IF;

  v_is_complete := cardinality(v_batch.transactions) < p_most AND cardinality(v_batch.audit_rows) < p_most;
  IF v_is_complete AND v_settled THEN
    UPDATE ledger.seal_progress
       SET journal_upto = journal_mark, audit_upto = audit_mark, since = mark_since, mark_ended_by = NULL,
           journal_mark = NULL, audit_mark = NULL, mark_since = NULL
    RETURNING * INTO v_progress;
  END IF;
  IF v_progress.journal_mark IS NOT NULL AND v_progress.mark_ended_by IS NULL THEN
    UPDATE ledger.seal_progress SET mark_ended_by = pg_current_xact_id();
  ELSIF v_is_complete AND v_progress.journal_mark IS NULL
        AND (v_latest_entry > v_progress.journal_upto OR v_latest_row > v_progress.audit_upto) THEN
    UPDATE ledger.seal_progress SET journal_mark = v_latest_entry, audit_mark = v_latest_row, mark_since = v_number;
  END IF;
  RETURN v_batch;
END
$$;

-- Adds the seal of the collected leaves. The key is not here, so the check verifies the signature.
CREATE FUNCTION ledger.add_seal(p_seal ledger.seals) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ledger.seals SELECT p_seal.*;
END
$$;

-- Since when something waits for its seal; NULL if nothing does.
CREATE FUNCTION ledger.unsealed_since() RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off
AS $$
DECLARE
  v_progress ledger.seal_progress;
  v_sealed_transactions uuid[];
  v_sealed_rows bigint[];
BEGIN
  SELECT * INTO v_progress FROM ledger.seal_progress;
  SELECT coalesce(array_agg(id), '{}') INTO v_sealed_transactions
    FROM ledger.seal_batches b, unnest(b.transactions) AS id WHERE b.number > v_progress.since;
  SELECT coalesce(array_agg(id), '{}') INTO v_sealed_rows
    FROM ledger.seal_batches b, unnest(b.audit_rows) AS id WHERE b.number > v_progress.since;
  -- The first row in its place on disk is one of the oldest.
  RETURN least(
    (SELECT t.created_at FROM ledger.entries e JOIN ledger.transactions t ON t.id = e.transaction_id
      WHERE e.id > v_progress.journal_upto AND e.line = 1 AND e.transaction_id <> ALL (v_sealed_transactions) LIMIT 1),
    (SELECT l.at FROM app.audit_log l
      WHERE l.id > v_progress.audit_upto AND l.id <> ALL (v_sealed_rows) ORDER BY l.id LIMIT 1));
END
$$;

-- Compares everything sealed with the rows; more invariants for check_books.
CREATE FUNCTION ledger.broken_seals()
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY WITH sealed AS (
    SELECT b.number, leaf.id, leaf.hash
      FROM ledger.seal_batches b, unnest(b.transactions, b.transaction_hashes) AS leaf (id, hash)
  ), fault AS (
    SELECT jsonb_build_object('transaction', s.id, 'seal', s.number,
                              'fault', CASE WHEN now.id IS NULL THEN 'deleted' ELSE 'changed' END) AS example
      FROM sealed s LEFT JOIN ledger.transaction_leaves now ON now.id = s.id
     WHERE now.hash IS DISTINCT FROM s.hash
    UNION ALL
    SELECT jsonb_build_object('transaction', e.transaction_id, 'fault', 'added behind the seals')
      FROM ledger.entries e
     WHERE e.line = 1 AND e.id <= (SELECT journal_upto FROM ledger.seal_progress)
       AND NOT EXISTS (SELECT FROM sealed s WHERE s.id = e.transaction_id)
  ) SELECT 'journal_as_sealed', 'Every sealed transaction is as it was sealed, and none is missing or added behind the seals',
           (SELECT count(*) FROM sealed), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH sealed AS (
    SELECT b.number, leaf.id, leaf.hash
      FROM ledger.seal_batches b, unnest(b.audit_rows, b.audit_hashes) AS leaf (id, hash)
  ), fault AS (
    SELECT jsonb_build_object('audit_row', s.id, 'seal', s.number,
                              'fault', CASE WHEN now.id IS NULL THEN 'deleted' ELSE 'changed' END) AS example
      FROM sealed s LEFT JOIN ledger.audit_leaves now ON now.id = s.id
     WHERE now.hash IS DISTINCT FROM s.hash
    UNION ALL
    SELECT jsonb_build_object('audit_row', l.id, 'fault', 'added behind the seals')
      FROM app.audit_log l
     WHERE l.id <= (SELECT audit_upto FROM ledger.seal_progress)
       AND NOT EXISTS (SELECT FROM sealed s WHERE s.id = l.id)
  ) SELECT 'audit_as_sealed', 'Every sealed row of the audit log is as it was sealed, and none is missing or added behind the seals',
           (SELECT count(*) FROM sealed), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

GRANT SELECT ON ledger.seals, ledger.seal_batches, ledger.seal_progress TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.collect_leaves, ledger.add_seal, ledger.unsealed_since TO probity_app;
