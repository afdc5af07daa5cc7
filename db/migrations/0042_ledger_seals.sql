-- Seals: every minute a job fixes what the journal and the audit log contain, so that a later change is found even if a
-- superuser makes it (decision 95): the leaves of the two logs (RFC 6962, 2.1), the seals, how far they go, the check.

-- A leaf is the whole transaction with its entries and their accounts' owners. record_send writes each value with its
-- type and length, so two contents never look alike. It writes text in the client's encoding, which is set for that.
CREATE FUNCTION ledger.transaction_leaves(p_ids uuid[], OUT ids uuid[], OUT hashes bytea)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET client_encoding = 'UTF8' AS $$
  SELECT coalesce(array_agg(t.id ORDER BY p.place), '{}'),
         coalesce(string_agg(sha256(decode('00', 'hex') || t.content || coalesce(lines.content, '')), '' ORDER BY p.place), '')
    FROM (SELECT id, record_send(ROW(id, event, reference_kind, reference_id, hold_id, actor, memo::text, created_at)) AS content
            FROM ledger.transactions WHERE id = ANY (p_ids)) t
    JOIN unnest(p_ids) WITH ORDINALITY AS p (id, place) ON p.id = t.id
    LEFT JOIN (SELECT e.transaction_id,
                      string_agg(record_send(ROW(e.id, e.line, a.content, e.amount, e.previous_balance, e.new_balance,
                                                 e.version)), '' ORDER BY e.line) AS content
                 FROM ledger.entries e
                 -- OFFSET 0 computes an account's part once for many entries.
                 LEFT JOIN LATERAL (SELECT record_send(ROW(owner, kind, asset)) AS content
                                      FROM ledger.accounts WHERE id = e.account_id OFFSET 0) a ON true
                WHERE e.transaction_id = ANY (p_ids)
                GROUP BY e.transaction_id) lines ON lines.transaction_id = t.id
$$;

CREATE FUNCTION ledger.audit_leaves(p_ids bigint[], OUT ids bigint[], OUT hashes bytea)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET client_encoding = 'UTF8'
-- Planning for each id takes longer than it saves.
SET plan_cache_mode = force_generic_plan AS $$
  SELECT coalesce(array_agg(id ORDER BY id), '{}'),
         coalesce(string_agg(sha256(decode('00', 'hex') || record_send(ROW(id, at, actor_id, action, subject_kind, subject_id,
                                                                           reason, ip, request_id, details))), '' ORDER BY id), '')
    FROM app.audit_log WHERE id = ANY (p_ids)
$$;

-- The leaves that each seal adds to the two logs: transactions in the order of their first entries, as along each account;
-- audit rows in that of their ids. Hashes of 32 bytes, one after the other.
CREATE TABLE ledger.seal_batches (
  number bigint PRIMARY KEY,
  transactions uuid[] NOT NULL,
  transaction_hashes bytea NOT NULL,
  audit_rows bigint[] NOT NULL,
  audit_hashes bytea NOT NULL,
  CHECK (32 * cardinality(transactions) = octet_length(transaction_hashes)),
  CHECK (32 * cardinality(audit_rows) = octet_length(audit_hashes)),
  CHECK (cardinality(transactions) + cardinality(audit_rows) > 0)
);
-- Compressing them takes a tenth of the time, for little.
ALTER TABLE ledger.seal_batches ALTER transactions SET STORAGE EXTERNAL, ALTER transaction_hashes SET STORAGE EXTERNAL,
  ALTER audit_rows SET STORAGE EXTERNAL, ALTER audit_hashes SET STORAGE EXTERNAL;

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

-- The rows of the two logs. A transaction is a leaf at its first entry.
CREATE VIEW ledger.log_rows AS
SELECT 'journal' AS log, e.id, e.line = 1 AS is_leaf, e.transaction_id FROM ledger.entries e
 UNION ALL
SELECT 'audit', l.id, true, NULL FROM app.audit_log l;

-- How far sealing is: every row up to `upto` is sealed. A gap has the ids up to there that were not visible yet, because
-- their transactions had not committed, or never will.
CREATE TABLE ledger.seal_progress (
  log text PRIMARY KEY CHECK (log IN ('journal', 'audit')),
  upto bigint NOT NULL DEFAULT 0,
  gaps int8multirange NOT NULL DEFAULT '{}',
  -- Gaps up to the mark stay empty once these transactions have ended, by their locks: a writer locks the table before it
  -- takes a number.
  mark bigint,
  writers text[]
);
INSERT INTO ledger.seal_progress (log) VALUES ('journal'), ('audit');

CREATE TRIGGER seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.seals
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('seals stay');
CREATE TRIGGER seal_batches_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.seal_batches
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('seals stay');
CREATE TRIGGER seal_progress_stays BEFORE DELETE OR TRUNCATE ON ledger.seal_progress
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('seals stay');

-- What is signed (textOf in server/ledger/seals.ts).
CREATE FUNCTION ledger.seal_text(p_seal ledger.seals) RETURNS bytea
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT convert_to(concat_ws(chr(10), 'probity-seal/v1',
    'seal ' || p_seal.number || to_char(p_seal.sealed_at AT TIME ZONE 'UTC', ' YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'journal ' || p_seal.journal_size || ' ' || encode(p_seal.journal_root, 'hex'),
    'audit ' || p_seal.audit_size || ' ' || encode(p_seal.audit_root, 'hex'),
    'previous ' || encode(p_seal.previous_hash, 'hex'),
    'key ' || encode(p_seal.public_key, 'hex'), ''), 'UTF8')
$$;

-- The root over complete subtrees, largest first (rootOf in server/ledger/merkle.ts); NULL if a log of this size has
-- others.
CREATE FUNCTION ledger.root_of(p_size bigint, p_subtrees bytea[]) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_root bytea := p_subtrees[cardinality(p_subtrees)];
BEGIN
  IF cardinality(p_subtrees) <> bit_count(int8send(p_size))
     OR EXISTS (SELECT FROM unnest(p_subtrees) AS root WHERE octet_length(root) IS DISTINCT FROM 32) THEN
    RETURN NULL;
  END IF;
  FOR i IN REVERSE cardinality(p_subtrees) - 1 .. 1 LOOP
    v_root := sha256(decode('01', 'hex') || p_subtrees[i] || v_root);
  END LOOP;
  RETURN CASE WHEN p_size = 0 THEN sha256('') ELSE v_root END;
END
$$;

-- Refuses a seal that no sealer could continue. The signature cannot be verified here.
CREATE FUNCTION ledger.guard_seal() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_last ledger.seals;
  v_batch ledger.seal_batches;
BEGIN
  SELECT * INTO v_last FROM ledger.seals ORDER BY number DESC LIMIT 1;
  SELECT * INTO v_batch FROM ledger.seal_batches WHERE number = NEW.number;
  -- After a changed seal, for which the operator vouches, the sizes are those of all leaves.
  IF NEW.number <> coalesce(v_last.number, 0) + 1
     OR NEW.previous_hash <> coalesce(v_last.hash, decode(repeat('00', 32), 'hex'))
     OR (NEW.journal_size <> coalesce(v_last.journal_size, 0) + cardinality(v_batch.transactions)
         OR NEW.audit_size <> coalesce(v_last.audit_size, 0) + cardinality(v_batch.audit_rows))
        AND (NEW.journal_size, NEW.audit_size) <> (
              SELECT sum(cardinality(transactions)), sum(cardinality(audit_rows)) FROM ledger.seal_batches) THEN
    RAISE EXCEPTION 'refused: seal % does not follow seal %', NEW.number, v_last.number USING ERRCODE = 'PB202';
  END IF;
  IF NEW.hash IS DISTINCT FROM sha256(ledger.seal_text(NEW) || NEW.signature)
     OR NEW.journal_root IS DISTINCT FROM ledger.root_of(NEW.journal_size, NEW.journal_subtrees)
     OR NEW.audit_root IS DISTINCT FROM ledger.root_of(NEW.audit_size, NEW.audit_subtrees) THEN
    RAISE EXCEPTION 'refused: the hash or a root of seal % is wrong', NEW.number USING ERRCODE = 'PB202';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER seals_follow BEFORE INSERT ON ledger.seals
  FOR EACH ROW EXECUTE FUNCTION ledger.guard_seal();

-- Passes over the next rows of a log, at most `p_most`; at the end of the log also over those that committed late.
-- `more` if there are further rows.
CREATE FUNCTION ledger.pass_over(p_log text, p_newest bigint, p_most bigint,
                                 OUT ids bigint[], OUT transactions uuid[], OUT more boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
-- The newest rows are found by their place; the bounds are known to the planner.
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off
AS $$
DECLARE
  v_old ledger.seal_progress;
  v_new ledger.seal_progress;
  v_from bigint;
  v_to bigint;
  v_seen bigint;
  v_unseen int8multirange;
  v_writers text[];
  v_rows bigint;
BEGIN
  SELECT * INTO v_old FROM ledger.seal_progress p WHERE p.log = p_log;
  v_new := v_old;
  v_from := v_old.upto;
  v_to := greatest(v_from, least(p_newest, v_from + p_most));
  IF v_to >= p_newest THEN
    v_from := coalesce(lower(v_old.gaps) - 1, v_from);
  END IF;

  SELECT coalesce(array_agg(r.id) FILTER (WHERE r.is_leaf), '{}'),
         coalesce(array_agg(r.transaction_id) FILTER (WHERE r.is_leaf), '{}'),
         coalesce(range_agg(int8range(r.previous, r.id, '()')) FILTER (WHERE r.id > r.previous + 1), '{}'),
         coalesce(max(r.id), v_from), count(*)
    INTO ids, transactions, v_unseen, v_seen, v_rows
    FROM (SELECT l.id, l.is_leaf, l.transaction_id, lag(l.id, 1, v_from) OVER (ORDER BY l.id) AS previous
            FROM ledger.log_rows l
           WHERE l.log = p_log AND l.id > v_from AND l.id <= v_to AND (l.id > v_old.upto OR l.id <@ v_old.gaps)
           ORDER BY l.id LIMIT p_most) r;
  IF v_rows = p_most THEN
    v_to := v_seen;
  END IF;
  more := v_to < p_newest;

  v_new.upto := greatest(v_old.upto, v_to);
  v_new.gaps := v_old.gaps + int8multirange(int8range(v_old.upto, v_new.upto, '(]'))
              - (int8multirange(int8range(v_from, v_seen, '(]')) - v_unseen);
  v_writers := ARRAY(
    SELECT l.virtualtransaction FROM pg_locks l
     WHERE l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND l.relation = CASE p_log WHEN 'journal' THEN 'ledger.entries'::regclass ELSE 'app.audit_log'::regclass END
       AND l.mode = 'RowExclusiveLock');
  -- They had ended before this snapshot, in which all gaps were read.
  IF NOT more AND v_old.writers = '{}' THEN
    v_new.gaps := v_new.gaps - int8multirange(int8range(NULL, v_old.mark, '(]'));
    v_new.mark := NULL;
    v_new.writers := NULL;
  END IF;
  IF v_new.mark IS NOT NULL THEN
    v_new.writers := ARRAY(SELECT unnest(v_old.writers) INTERSECT SELECT unnest(v_writers));
  ELSIF NOT isempty(v_new.gaps) THEN
    v_new.mark := v_new.upto;
    v_new.writers := v_writers;
  END IF;
  IF v_new IS DISTINCT FROM v_old THEN
    UPDATE ledger.seal_progress p
       SET upto = v_new.upto, gaps = v_new.gaps, mark = v_new.mark, writers = v_new.writers
     WHERE p.log = p_log;
  END IF;
END
$$;

-- Collects the leaves of the next seal, up to `p_most` of each log; without a seal, the batch waits for one. `number` is
-- NULL if there are none, or another session holds the lock; `more` if there may be further ones.
CREATE FUNCTION ledger.collect_leaves(p_most integer, OUT number bigint, OUT journal bytea, OUT audit bytea, OUT more boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- The ids are known to the planner.
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_number bigint;
  v_most bigint := greatest(p_most, 1);
  v_batch ledger.seal_batches;
  v_journal record;
  v_audit record;
BEGIN
  IF current_setting('transaction_isolation') <> 'repeatable read' THEN
    RAISE EXCEPTION 'leaves are collected in one snapshot: BEGIN ISOLATION LEVEL REPEATABLE READ' USING ERRCODE = 'PB200';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7762491) THEN
    more := false;
    RETURN;
  END IF;
  SELECT coalesce(max(s.number), 0) + 1 INTO v_number FROM ledger.seals s;
  SELECT * INTO v_batch FROM ledger.seal_batches b WHERE b.number = v_number;
  more := FOUND;
  IF NOT FOUND THEN
    -- A transaction has at least two entries.
    SELECT passed.* INTO v_journal
      FROM ledger.entries_id_seq s, ledger.pass_over('journal', CASE WHEN s.is_called THEN s.last_value ELSE 0 END, 2 * v_most) passed;
    SELECT passed.* INTO v_audit
      FROM app.audit_log_id_seq s, ledger.pass_over('audit', CASE WHEN s.is_called THEN s.last_value ELSE 0 END, v_most) passed;
    more := v_journal.more OR v_audit.more;
    SELECT v_number, j.ids, j.hashes, a.ids, a.hashes INTO v_batch
      FROM ledger.transaction_leaves(v_journal.transactions) j, ledger.audit_leaves(v_audit.ids) a;
    IF cardinality(v_batch.transactions) + cardinality(v_batch.audit_rows) = 0 THEN
      RETURN;
    END IF;
    INSERT INTO ledger.seal_batches SELECT v_batch.*;
  END IF;
  number := v_number;
  journal := v_batch.transaction_hashes;
  audit := v_batch.audit_hashes;
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
  v_since timestamptz;
BEGIN
  FOR v_progress IN SELECT * FROM ledger.seal_progress LOOP
    -- The first row in its place on disk is one of the oldest.
    v_since := least(v_since, (
      SELECT coalesce(t.created_at, a.at)
        FROM (SELECT l.id, l.transaction_id FROM ledger.log_rows l
               WHERE l.log = v_progress.log AND l.is_leaf AND l.id > coalesce(lower(v_progress.gaps) - 1, v_progress.upto)
                 AND (l.id > v_progress.upto OR l.id <@ v_progress.gaps) LIMIT 1) l
        LEFT JOIN ledger.transactions t ON t.id = l.transaction_id
        LEFT JOIN app.audit_log a ON a.id = l.id AND l.transaction_id IS NULL));
  END LOOP;
  RETURN v_since;
END
$$;

-- What differs between sealed leaves and those of now.
CREATE FUNCTION ledger.other_leaves(p_sealed text[], p_hashes bytea, p_now text[], p_now_hashes bytea)
RETURNS TABLE (id text, fault text)
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.id, CASE WHEN now.id IS NULL THEN 'deleted' ELSE 'changed' END
    FROM unnest(p_sealed) WITH ORDINALITY AS s (id, place)
    LEFT JOIN unnest(p_now) WITH ORDINALITY AS now (id, place) ON now.id = s.id
   WHERE substr(p_now_hashes, 32 * now.place::integer - 31, 32) IS DISTINCT FROM substr(p_hashes, 32 * s.place::integer - 31, 32)
$$;

-- Compares everything sealed with the rows; more invariants for check_books. A batch is taken apart only if it differs.
CREATE FUNCTION ledger.broken_seals(p_scope ledger.check_scope)
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('transaction', other.id, 'seal', b.number, 'fault', other.fault) AS example
      FROM ledger.seal_batches b
     CROSS JOIN LATERAL ledger.transaction_leaves(b.transactions) now
     CROSS JOIN LATERAL ledger.other_leaves(b.transactions::text[], b.transaction_hashes, now.ids::text[], now.hashes) other
     WHERE age(b.xmin) <= p_scope.age AND (now.ids, now.hashes) IS DISTINCT FROM (b.transactions, b.transaction_hashes)
    UNION ALL
    SELECT jsonb_build_object('transaction', e.transaction_id, 'fault', 'added behind the seals')
      FROM ledger.entries e, ledger.seal_progress sealed
     WHERE sealed.log = 'journal' AND e.line = 1 AND e.id <= sealed.upto AND NOT e.id <@ sealed.gaps
       AND (p_scope.everything OR e.transaction_id = ANY (p_scope.transactions))
       -- The batch of a new transaction is new, too.
       AND NOT EXISTS (SELECT FROM ledger.seal_batches b, unnest(b.transactions) AS s (id)
                        WHERE s.id = e.transaction_id AND age(b.xmin) <= p_scope.age)
  ) SELECT 'journal_as_sealed', 'Every sealed transaction is as it was sealed, and none is missing or added behind the seals',
           (SELECT coalesce(sum(cardinality(b.transactions)), 0) FROM ledger.seal_batches b WHERE age(b.xmin) <= p_scope.age),
           count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH fault AS (
    SELECT jsonb_build_object('audit_row', other.id::bigint, 'seal', b.number, 'fault', other.fault) AS example
      FROM ledger.seal_batches b
     CROSS JOIN LATERAL ledger.audit_leaves(b.audit_rows) now
     CROSS JOIN LATERAL ledger.other_leaves(b.audit_rows::text[], b.audit_hashes, now.ids::text[], now.hashes) other
     WHERE age(b.xmin) <= p_scope.age AND (now.ids, now.hashes) IS DISTINCT FROM (b.audit_rows, b.audit_hashes)
    UNION ALL
    SELECT jsonb_build_object('audit_row', l.id, 'fault', 'added behind the seals')
      FROM app.audit_log l, ledger.seal_progress sealed
     WHERE sealed.log = 'audit' AND l.id <= sealed.upto AND NOT l.id <@ sealed.gaps AND age(l.xmin) <= p_scope.age
       AND NOT EXISTS (SELECT FROM ledger.seal_batches b, unnest(b.audit_rows) AS s (id)
                        WHERE s.id = l.id AND age(b.xmin) <= p_scope.age)
  ) SELECT 'audit_as_sealed', 'Every sealed row of the audit log is as it was sealed, and none is missing or added behind the seals',
           (SELECT coalesce(sum(cardinality(b.audit_rows)), 0) FROM ledger.seal_batches b WHERE age(b.xmin) <= p_scope.age),
           count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

GRANT SELECT ON ledger.seals, ledger.seal_batches, ledger.seal_progress TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.collect_leaves, ledger.add_seal, ledger.unsealed_since TO probity_app;
