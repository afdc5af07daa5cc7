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

-- Runs once for each statement that inserts entries, and reads them in order:
--   1. a transaction's entries arrive together, as lines 1, 2, 3 …, at most 400; none can be added later;
--   2. each leg debits and credits one amount in one asset, permitted by posting_rules for the transaction's event, and
--     no leg leads from one investor to another;
--   3. each account with a floor continues from its latest entry: no gap, forward in time, never below the floor;
--   4. an entry into a held account places a hold; an entry out of one resolves the transaction's hold, in full and
--     once.
CREATE FUNCTION ledger.guard_entries() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  e record;
  -- The debit of the current leg, and the rule of the latest leg.
  d record;
  v_transaction uuid;
  v_line integer := 0;
  v_rule ledger.posting_rules;
  -- The accounts' state after the entries so far, by slot.
  a_id bigint[] := '{}';
  a_balance bigint[] := '{}';
  a_version bigint[] := '{}';
  a_moved_at timestamptz[] := '{}';
  v_slot integer;
  -- Holds to place, and holds to resolve.
  p_id uuid[] := '{}';
  p_account bigint[] := '{}';
  p_amount bigint[] := '{}';
  r_id uuid[] := '{}';
  r_account bigint[] := '{}';
  r_amount bigint[] := '{}';
  r_resolution text[] := '{}';
  r_by uuid[] := '{}';
  v_count bigint;
BEGIN
  FOR e IN
    SELECT p.transaction_id, p.line, p.account_id, p.amount, p.previous_balance, p.new_balance, p.version,
           a.owner, a.kind, a.asset, a.floor, a.balance AS account_balance, a.version AS account_version, a.moved_at,
           t.event, t.hold_id, t.created_at
      FROM posted p
      LEFT JOIN ledger.accounts a ON a.id = p.account_id
      LEFT JOIN ledger.transactions t ON t.id = p.transaction_id
     ORDER BY p.id
  LOOP
    IF e.event IS NULL OR e.kind IS NULL THEN
      RAISE EXCEPTION 'refused: there is no transaction % or no account %', e.transaction_id, e.account_id
        USING ERRCODE = 'PB101';
    END IF;
    IF e.transaction_id IS DISTINCT FROM v_transaction AND v_line % 2 = 0 THEN
      v_transaction := e.transaction_id;
      v_line := 0;
    END IF;
    v_line := v_line + 1;
    IF e.line <> v_line OR e.transaction_id <> v_transaction THEN
      RAISE EXCEPTION 'refused: a transaction is written as a whole, line % of % cannot come here', e.line, e.transaction_id
        USING ERRCODE = 'PB101';
    END IF;
    IF v_line > ledger.most_lines() THEN
      RAISE EXCEPTION 'refused: a transaction has at most % lines', ledger.most_lines() USING ERRCODE = 'PB101';
    END IF;

    IF v_line % 2 = 1 THEN
      d := e;
    ELSE
      IF d.amount + e.amount <> 0 OR d.asset <> e.asset THEN
        RAISE EXCEPTION 'refused: % debits % % and credits % %', e.event, -d.amount, d.asset, e.amount, e.asset
          USING ERRCODE = 'PB101';
      END IF;
      IF v_rule.event IS DISTINCT FROM e.event OR v_rule.from_kind <> d.kind OR v_rule.to_kind <> e.kind THEN
        SELECT * INTO v_rule FROM ledger.posting_rules r
         WHERE r.event = e.event AND r.from_kind = d.kind AND r.to_kind = e.kind;
        IF NOT FOUND THEN
          RAISE EXCEPTION 'refused: % may not move money from % to %', e.event, d.kind, e.kind USING ERRCODE = 'PB102';
        END IF;
      END IF;
      IF d.owner <> e.owner AND d.owner <> ledger.firm() AND e.owner <> ledger.firm() THEN
        RAISE EXCEPTION 'refused: % may not move money from one investor to another', e.event USING ERRCODE = 'PB102';
      END IF;
      IF (e.hold_id IS NULL) <> (v_rule.hold IS NULL OR v_rule.hold = 'placed') THEN
        RAISE EXCEPTION 'refused: % names %', e.event, CASE WHEN e.hold_id IS NULL THEN 'no hold' ELSE 'a hold' END
          USING ERRCODE = 'PB104';
      END IF;
      IF v_rule.hold = 'placed' THEN
        p_id := p_id || e.transaction_id;
        p_account := p_account || e.account_id;
        p_amount := p_amount || e.amount;
      ELSIF v_rule.hold IS NOT NULL THEN
        r_id := r_id || e.hold_id;
        r_account := r_account || d.account_id;
        r_amount := r_amount || e.amount;
        r_resolution := r_resolution || v_rule.hold;
        r_by := r_by || e.transaction_id;
      END IF;
    END IF;

    IF e.floor IS NULL THEN
      IF e.version IS NOT NULL OR e.new_balance IS NOT NULL THEN
        RAISE EXCEPTION 'refused: no running balance is kept on % accounts', e.kind USING ERRCODE = 'PB103';
      END IF;
    ELSE
      v_slot := array_position(a_id, e.account_id);
      IF v_slot IS NULL THEN
        v_slot := cardinality(a_id) + 1;
        a_id := a_id || e.account_id;
        a_balance := a_balance || e.account_balance;
        a_version := a_version || e.account_version;
        a_moved_at := a_moved_at || e.moved_at;
      END IF;
      IF e.previous_balance IS DISTINCT FROM a_balance[v_slot] OR e.version IS DISTINCT FROM a_version[v_slot] + 1 THEN
        RAISE EXCEPTION 'refused: the latest entry of account % is version % with balance %', e.account_id,
          a_version[v_slot], a_balance[v_slot] USING ERRCODE = 'PB103';
      END IF;
      IF e.new_balance IS NULL OR e.new_balance < e.floor OR e.created_at < a_moved_at[v_slot] THEN
        RAISE EXCEPTION 'refused: account % would have % below its floor, or go back in time', e.account_id, e.new_balance
          USING ERRCODE = 'PB103';
      END IF;
      a_balance[v_slot] := e.new_balance;
      a_version[v_slot] := e.version;
      a_moved_at[v_slot] := e.created_at;
    END IF;
  END LOOP;
  IF v_line % 2 = 1 THEN
    RAISE EXCEPTION 'refused: line % of transaction % has no credit', v_line, v_transaction USING ERRCODE = 'PB101';
  END IF;

  IF a_id <> '{}' THEN
    -- By index, also in a session that planned it when the table was small; the same below.
    UPDATE ledger.accounts a
       SET (balance, version, moved_at) =
             (SELECT a_balance[slot], a_version[slot], a_moved_at[slot] FROM array_position(a_id, a.id) AS slot)
     WHERE a.id = ANY (a_id);
  END IF;
  IF p_id <> '{}' THEN
    INSERT INTO ledger.holds (id, account_id, amount) SELECT * FROM unnest(p_id, p_account, p_amount);
  END IF;
  IF r_id <> '{}' THEN
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
