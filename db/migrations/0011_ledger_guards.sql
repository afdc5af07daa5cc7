-- What the books refuse from every role, even the owner of the tables. SQLSTATEs: PB1xx an invalid posting, PB900 a
-- change of existing rows.

CREATE FUNCTION ledger.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '% on ledger.% is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'PB900';
END
$$;

CREATE TRIGGER transactions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.transactions
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER idempotency_keys_stay BEFORE TRUNCATE ON ledger.idempotency_keys
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('an answer is given once');
CREATE TRIGGER snapshots_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.snapshots
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER statement_blocks_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.statement_blocks
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER invariant_runs_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.invariant_runs
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER verified_points_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.verified_points
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the books are append-only');
CREATE TRIGGER accounts_stay BEFORE DELETE OR TRUNCATE ON ledger.accounts
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('accounts stay');
CREATE TRIGGER holds_stay BEFORE DELETE OR TRUNCATE ON ledger.holds
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('holds stay');

-- How long we return the answer to a key (idempotencyKeyDays in shared/limits.ts).
CREATE FUNCTION ledger.key_life() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 days';

-- An answer never changes within its life. Afterwards the key of a refused request may be deleted, since a repetition
-- would be its first effect. A key with an effect is only marked as used up, so a repetition never acts twice.
CREATE FUNCTION ledger.guard_keys() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.created_at < now() - ledger.key_life() THEN
    IF TG_OP = 'DELETE' AND OLD.answer ?| '{refused,refusal}' THEN
      RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND (NEW.caller, NEW.key, NEW.created_at, NEW.request_hash, NEW.answer)
         = (OLD.caller, OLD.key, OLD.created_at, ''::bytea, 'null'::jsonb) THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% on ledger.idempotency_keys is refused: an answer is given once', TG_OP USING ERRCODE = 'PB900';
END
$$;
CREATE TRIGGER idempotency_keys_keep_answers BEFORE UPDATE OR DELETE ON ledger.idempotency_keys
  FOR EACH ROW EXECUTE FUNCTION ledger.guard_keys();

-- Balances and holds follow from entries, so only the guard on entries may write them. A trigger's own statements run
-- at depth 1 or more, a client's at depth 0.
CREATE TRIGGER accounts_follow_entries BEFORE UPDATE ON ledger.accounts
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION ledger.refuse_change('only an entry moves a balance');
CREATE TRIGGER holds_follow_entries BEFORE INSERT OR UPDATE ON ledger.holds
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION ledger.refuse_change('only an entry places or resolves a hold');

-- A new account is empty, and its kind and asset are in the chart of accounts.
CREATE FUNCTION ledger.open_account() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_kind ledger.account_kinds;
BEGIN
  SELECT * INTO v_kind FROM ledger.account_kinds WHERE kind = NEW.kind;
  IF v_kind.kind IS NULL OR NOT NEW.asset = ANY (v_kind.assets)
     OR (v_kind.holder = 'firm') <> (NEW.owner = ledger.firm()) THEN
    RAISE EXCEPTION 'the chart of accounts has no % account in % for %', NEW.kind, NEW.asset,
      CASE WHEN NEW.owner = ledger.firm() THEN 'the firm' ELSE 'an investor' END
      USING ERRCODE = 'PB103';
  END IF;
  NEW.floor := v_kind.floor;
  NEW.balance := CASE WHEN v_kind.floor IS NULL THEN NULL ELSE 0 END;
  NEW.version := NEW.balance;
  NEW.moved_at := NULL;
  RETURN NEW;
END
$$;
CREATE TRIGGER accounts_open_empty BEFORE INSERT ON ledger.accounts
  FOR EACH ROW EXECUTE FUNCTION ledger.open_account();

-- Lines of a transaction at most: its leaf of the public log, some 120 bytes for each, must stay below 65536 bytes (0043).
CREATE FUNCTION ledger.most_lines() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 400;

-- Runs once for each statement that inserts entries, and compares each with the one before it, in the statement (`d`) and of its
-- account (`was`):
--   1. a transaction's entries arrive together, as lines 1, 2, 3 …, at most 400; none can be added later;
--   2. each leg debits and credits one amount in one asset, permitted by posting_rules for the transaction's event, and
--     no leg leads from one investor to another;
--   3. each account with a floor continues from its latest entry: no gap, forward in time, never below the floor;
--   4. an entry into a held account places a hold; an entry out of one resolves the transaction's hold, in full and
--     once.
CREATE FUNCTION ledger.guard_entries() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
-- By index also in a session that planned it when the tables were small.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  -- The accounts' state after the last of their entries, ascending.
  a_id bigint[];
  a_balance bigint[];
  a_version bigint[];
  a_moved_at timestamptz[];
  -- Holds to place, and holds to resolve.
  p_id uuid[];
  p_account bigint[];
  p_amount bigint[];
  r_id uuid[];
  r_account bigint[];
  r_amount bigint[];
  r_resolution text[];
  r_by uuid[];
  v_fault text;
  v_unpaired bigint;
  v_count bigint;
BEGIN
  SELECT min(CASE
           WHEN e.event IS NULL OR e.kind IS NULL THEN 'PB101 names no transaction or no account'
           WHEN e.line <> CASE WHEN e.transaction_id = e.d_transaction THEN e.d_line + 1 ELSE 1 END
             THEN 'PB101 cannot come here: a transaction is written as a whole'
           WHEN e.line > ledger.most_lines()
             THEN 'PB101 is one too many, as a transaction has at most ' || ledger.most_lines() || ' lines'
           WHEN e.line % 2 = 0 AND (e.d_amount + e.amount <> 0 OR e.d_asset <> e.asset) THEN 'PB101 credits what was not debited'
           WHEN e.line % 2 = 0 AND r.event IS NULL THEN 'PB102 moves money from and to accounts between which its event may not'
           WHEN e.line % 2 = 0 AND e.d_owner <> e.owner AND e.d_owner <> ledger.firm() AND e.owner <> ledger.firm()
             THEN 'PB102 moves money from one investor to another'
           WHEN e.line % 2 = 0 AND (e.hold_id IS NULL) <> (r.hold IS NULL OR r.hold = 'placed')
             THEN 'PB104 needs a hold that its transaction does not name, or the reverse'
           WHEN e.floor IS NULL THEN CASE WHEN e.version IS NOT NULL OR e.new_balance IS NOT NULL
             THEN 'PB103 has a running balance, which its account does not keep' END
           WHEN e.previous_balance IS DISTINCT FROM e.was_balance OR e.version IS DISTINCT FROM e.was_version + 1
             THEN 'PB103 does not continue the latest entry of its account'
           WHEN e.new_balance IS NULL OR e.new_balance < e.floor OR e.created_at < e.was_moved_at
             THEN 'PB103 leads its account below the floor, or back in time'
         END || ': line ' || e.line || ' of transaction ' || e.transaction_id),
         sum(CASE WHEN e.line % 2 = 1 THEN 1 ELSE -1 END),
         array_agg(e.account_id ORDER BY e.account_id) FILTER (WHERE e.is_last),
         array_agg(e.new_balance ORDER BY e.account_id) FILTER (WHERE e.is_last),
         array_agg(e.version ORDER BY e.account_id) FILTER (WHERE e.is_last),
         array_agg(e.created_at ORDER BY e.account_id) FILTER (WHERE e.is_last),
         array_agg(e.transaction_id) FILTER (WHERE r.hold = 'placed'),
         array_agg(e.account_id) FILTER (WHERE r.hold = 'placed'),
         array_agg(e.amount) FILTER (WHERE r.hold = 'placed'),
         array_agg(e.hold_id) FILTER (WHERE r.hold <> 'placed'),
         array_agg(e.d_account) FILTER (WHERE r.hold <> 'placed'),
         array_agg(e.amount) FILTER (WHERE r.hold <> 'placed'),
         array_agg(r.hold) FILTER (WHERE r.hold <> 'placed'),
         array_agg(e.transaction_id) FILTER (WHERE r.hold <> 'placed')
    INTO v_fault, v_unpaired, a_id, a_balance, a_version, a_moved_at, p_id, p_account, p_amount, r_id, r_account, r_amount, r_resolution, r_by
    FROM (SELECT p.*, a.owner, a.kind, a.asset, a.floor, t.event, t.hold_id, t.created_at,
                 lag(p.transaction_id) OVER lines AS d_transaction, lag(p.line) OVER lines AS d_line,
                 lag(p.account_id) OVER lines AS d_account, lag(p.amount) OVER lines AS d_amount, lag(a.owner) OVER lines AS d_owner,
                 lag(a.kind) OVER lines AS d_kind, lag(a.asset) OVER lines AS d_asset,
                 coalesce(lag(p.new_balance) OVER chain, a.balance) AS was_balance,
                 coalesce(lag(p.version) OVER chain, a.version) AS was_version,
                 coalesce(lag(t.created_at) OVER chain, a.moved_at) AS was_moved_at,
                 a.floor IS NOT NULL AND lead(p.id) OVER chain IS NULL AS is_last
            FROM posted p
            LEFT JOIN ledger.accounts a ON a.id = p.account_id
            LEFT JOIN ledger.transactions t ON t.id = p.transaction_id
          WINDOW lines AS (ORDER BY p.id), chain AS (PARTITION BY p.account_id ORDER BY p.id)) e
    LEFT JOIN ledger.posting_rules r
      ON r.event = e.event AND r.from_kind = CASE WHEN e.line % 2 = 0 THEN e.d_kind END AND r.to_kind = e.kind;
  IF v_fault IS NOT NULL THEN
    RAISE EXCEPTION 'refused: an entry %', substr(v_fault, 7) USING ERRCODE = left(v_fault, 5);
  END IF;
  IF v_unpaired <> 0 THEN
    RAISE EXCEPTION 'refused: the last line of a transaction has no credit' USING ERRCODE = 'PB101';
  END IF;

  IF a_id IS NOT NULL THEN
    -- By index, also in a session that planned it when the table was small; the same below. The bucket is the place of an id.
    UPDATE ledger.accounts a
       SET (balance, version, moved_at) =
             (SELECT a_balance[slot], a_version[slot], a_moved_at[slot] FROM width_bucket(a.id, a_id) AS slot)
     WHERE a.id = ANY (a_id);
  END IF;
  IF p_id IS NOT NULL THEN
    INSERT INTO ledger.holds (id, account_id, amount) SELECT * FROM unnest(p_id, p_account, p_amount);
  END IF;
  IF r_id IS NOT NULL THEN
    UPDATE ledger.holds h
       SET (resolution, resolved_by) =
             (SELECT r_resolution[slot], r_by[slot] FROM array_position(r_id, h.id) AS slot)
     WHERE h.id = ANY (r_id) AND h.resolved_by IS NULL
       AND (h.account_id, h.amount) =
             (SELECT r_account[slot], r_amount[slot] FROM array_position(r_id, h.id) AS slot);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> cardinality(r_id) THEN
      RAISE EXCEPTION 'refused: the hold is not there, of another account or amount, or resolved already'
        USING ERRCODE = 'PB104';
    END IF;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER entries_guard AFTER INSERT ON ledger.entries
  REFERENCING NEW TABLE AS posted
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.guard_entries();
