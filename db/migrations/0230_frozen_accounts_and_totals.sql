-- Three things that the console's pages of one account and of the whole firm rest on: accounts that are frozen, notes that are
-- only ever added, and totals of the books by day.

-- A frozen account can be looked at and given back to, and nothing else: nothing is asked for, approved, credited, closed or
-- paid out (docs/decisions/0020-account-freeze.md).
ALTER TABLE app.users
  ADD COLUMN frozen_at timestamptz,
  ADD COLUMN frozen_by uuid REFERENCES app.users (id),
  -- For the firm's people only: its owner is told that it is frozen, and not why.
  ADD COLUMN freeze_reason text,
  ADD CONSTRAINT users_frozen_check CHECK (num_nonnulls(frozen_at, frozen_by, freeze_reason) IN (0, 3));

CREATE INDEX users_frozen ON app.users (id) WHERE frozen_at IS NOT NULL;

-- Whoever freezes an account takes its row FOR UPDATE. That waits for every act on it that is under way, since each holds the
-- row FOR KEY SHARE: what looks here after the freeze sees it, and what looked before has ended first.
CREATE FUNCTION app.require_unfrozen(p_users uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  v_frozen uuid[];
BEGIN
  SELECT array_agg(u.id) FILTER (WHERE u.frozen_at IS NOT NULL) INTO v_frozen
    FROM (SELECT id, frozen_at FROM app.users WHERE id = ANY (p_users) ORDER BY id FOR KEY SHARE) u;
  IF v_frozen IS NOT NULL THEN
    RAISE EXCEPTION 'account % is frozen', v_frozen[1] USING ERRCODE = 'PB911', DETAIL = v_frozen[1]::text;
  END IF;
END
$$;

-- Whatever the application does: every request and every decision about money is a row of these tables.
CREATE FUNCTION app.guard_frozen() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_users uuid[];
BEGIN
  SELECT array_agg(user_id) INTO v_users FROM added;
  PERFORM app.require_unfrozen(v_users);
  RETURN NULL;
END
$$;
CREATE FUNCTION app.guard_frozen_row() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM app.require_unfrozen(ARRAY[NEW.user_id]);
  RETURN NULL;
END
$$;
DO $$
DECLARE
  record text;
BEGIN
  FOREACH record IN ARRAY ARRAY['deposits', 'investments', 'withdrawals', 'earnings'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON app.%I REFERENCING NEW TABLE AS added
                    FOR EACH STATEMENT EXECUTE FUNCTION app.guard_frozen()', record || '_of_frozen_refused', record);
    -- What gives back stays possible: a request is declined, a payment that nobody made is given up.
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE OF status ON app.%I
                    FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status NOT IN (''declined'', ''unpaid''))
                    EXECUTE FUNCTION app.guard_frozen_row()', record || '_of_frozen_stay', record);
  END LOOP;
END
$$;
CREATE FUNCTION app.guard_frozen_approval() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM app.require_unfrozen(ARRAY(SELECT user_id FROM app.withdrawals WHERE id = NEW.withdrawal_id));
  RETURN NULL;
END
$$;
CREATE TRIGGER withdrawal_approvals_of_frozen_refused AFTER INSERT ON app.withdrawal_approvals
  FOR EACH ROW EXECUTE FUNCTION app.guard_frozen_approval();
GRANT EXECUTE ON FUNCTION app.require_unfrozen TO probity_app;

CREATE TRIGGER users_frozen_told AFTER UPDATE OF frozen_at ON app.users
  FOR EACH ROW WHEN (OLD.frozen_at IS DISTINCT FROM NEW.frozen_at) EXECUTE FUNCTION app.tell_user_changed();

-- What the firm's people write down about an account, for one another. Append-only for everybody.
CREATE TABLE app.account_notes (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  author_id uuid NOT NULL REFERENCES app.users (id),
  note text NOT NULL CHECK (note <> '' AND length(note) <= 4000),
  created_at timestamptz NOT NULL
);
CREATE INDEX account_notes_of_user ON app.account_notes (user_id, id DESC);
CREATE TRIGGER account_notes_append_only BEFORE UPDATE OR DELETE ON app.account_notes
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER account_notes_no_truncate BEFORE TRUNCATE ON app.account_notes
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
GRANT SELECT, INSERT ON app.account_notes TO probity_app;

-- Whom an account has brought: looked up by its page.
CREATE INDEX users_of_referrer ON app.users (referrer_id, id DESC) WHERE referrer_id IS NOT NULL;

-- Totals by day. Every leg moves an amount from one kind of account to another on one day (of UTC). Behind the writers the
-- legs are folded into one row a day, event and pair of kinds; what is not folded yet is read from the entries. So what all
-- investors have together, or what came in a month, costs some thousand rows at most, however many accounts there are. The
-- entries stay the only truth: check_books holds these sums against them.
CREATE TABLE ledger.daily_totals (
  day date NOT NULL,
  event text NOT NULL,
  from_kind text NOT NULL,
  to_kind text NOT NULL,
  asset text NOT NULL,
  legs bigint NOT NULL,
  amount numeric NOT NULL,
  PRIMARY KEY (day, event, from_kind, to_kind, asset)
);
-- Up to which entry they are folded, and up to which they may be next: once every transaction that ran when that mark was
-- made has ended, no entry below it can still appear.
CREATE TABLE ledger.daily_fold (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  folded_upto bigint NOT NULL DEFAULT 0,
  next_upto bigint,
  next_ended_by xid8
);
INSERT INTO ledger.daily_fold DEFAULT VALUES;
-- The newest entries are found by where they lie; it costs the writers next to nothing.
CREATE INDEX entries_in_order ON ledger.entries USING brin (id) WITH (pages_per_range = 32, autosummarize = on);

-- The legs whose credit is an entry above `p_after`, up to `p_upto`, summed up.
CREATE FUNCTION ledger.legs_by_day(p_after bigint, p_upto bigint)
RETURNS TABLE (day date, event text, from_kind text, to_kind text, asset text, legs bigint, amount numeric)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT (t.created_at AT TIME ZONE 'UTC')::date, t.event, da.kind, ca.kind, ca.asset, count(*), sum(c.amount)
    FROM ledger.entries c
    JOIN ledger.entries d ON d.transaction_id = c.transaction_id AND d.line = c.line - 1
    JOIN ledger.transactions t ON t.id = c.transaction_id
    JOIN ledger.accounts da ON da.id = d.account_id
    JOIN ledger.accounts ca ON ca.id = c.account_id
   WHERE c.id > p_after AND c.id <= p_upto AND c.line % 2 = 0
   GROUP BY 1, 2, 3, 4, 5;
END
$$;

-- Folds up to `p_most` entries that are safe by now, then sets the next mark; called every minute. Answers how many entries
-- are safe and not folded yet.
CREATE FUNCTION ledger.fold_days(p_most bigint DEFAULT 100000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_latest bigint;
  v_own xid8;
  v_fold ledger.daily_fold;
  v_safe bigint;
  v_upto bigint;
BEGIN
  -- First the latest entry, then an xid: a transaction that has numbered an entry by now has a smaller one.
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'days are folded in a transaction of their own' USING ERRCODE = 'PB201';
  END IF;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO v_latest FROM ledger.entries_id_seq;
  v_own := pg_current_xact_id();
  -- One at a time; another one that is at it now does the same.
  SELECT * INTO v_fold FROM ledger.daily_fold FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  v_safe := CASE WHEN v_fold.next_ended_by <= pg_snapshot_xmin(pg_current_snapshot()) THEN v_fold.next_upto
                 ELSE v_fold.folded_upto END;
  v_upto := least(coalesce(v_safe, v_fold.folded_upto), v_fold.folded_upto + p_most);
  IF v_upto > v_fold.folded_upto THEN
    INSERT INTO ledger.daily_totals AS kept
    SELECT * FROM ledger.legs_by_day(v_fold.folded_upto, v_upto)
    ON CONFLICT (day, event, from_kind, to_kind, asset)
    DO UPDATE SET legs = kept.legs + excluded.legs, amount = kept.amount + excluded.amount;
  END IF;
  -- A mark stays until all below it is folded.
  IF v_fold.next_upto IS NULL OR v_upto = v_fold.next_upto THEN
    UPDATE ledger.daily_fold SET folded_upto = v_upto, next_upto = v_latest, next_ended_by = v_own;
    RETURN 0;
  END IF;
  UPDATE ledger.daily_fold SET folded_upto = v_upto;
  RETURN coalesce(v_safe, v_upto) - v_upto;
END
$$;

-- What moved from kind to kind on each day, to this moment: the folded days, and the entries since.
CREATE FUNCTION ledger.moves_by_day()
RETURNS TABLE (day date, event text, from_kind text, to_kind text, asset text, legs bigint, amount numeric)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  -- In one snapshot: that of the statement that calls it.
  RETURN QUERY
  SELECT * FROM ledger.daily_totals
   UNION ALL
  SELECT legs.* FROM ledger.daily_fold fold, ledger.legs_by_day(fold.folded_upto, 9223372036854775807) legs;
END
$$;

-- Holds the folded days against the entries; another promise for check_books.
CREATE FUNCTION ledger.broken_days()
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY WITH expected AS (
    SELECT (t.created_at AT TIME ZONE 'UTC')::date AS day, t.event, da.kind AS from_kind, ca.kind AS to_kind, ca.asset,
           count(*) AS legs, sum(c.amount) AS amount
      FROM ledger.entries c
      JOIN ledger.entries d ON d.transaction_id = c.transaction_id AND d.line = c.line - 1
      JOIN ledger.transactions t ON t.id = c.transaction_id
      JOIN ledger.accounts da ON da.id = d.account_id
      JOIN ledger.accounts ca ON ca.id = c.account_id
     WHERE c.line % 2 = 0 AND c.id <= (SELECT folded_upto FROM ledger.daily_fold)
     GROUP BY 1, 2, 3, 4, 5
  ), fault AS (
    SELECT jsonb_build_object('day', day, 'event', event, 'from', from_kind, 'to', to_kind, 'asset', asset) AS example
      FROM ledger.daily_totals k
      FULL JOIN expected e USING (day, event, from_kind, to_kind, asset)
     WHERE (k.legs, k.amount) IS DISTINCT FROM (e.legs, e.amount)
  ) SELECT 'days_right', 'The totals kept by day are the sums of the entries',
           (SELECT count(*) FROM ledger.daily_totals), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

CREATE OR REPLACE FUNCTION ledger.check_books() RETURNS ledger.invariant_runs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_started timestamptz := clock_timestamp();
  v_checks jsonb;
  v_run ledger.invariant_runs;
BEGIN
  IF current_setting('transaction_isolation') NOT IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'the books are checked in one snapshot: BEGIN ISOLATION LEVEL REPEATABLE READ' USING ERRCODE = 'PB200';
  END IF;
  SELECT jsonb_agg(to_jsonb(c)) INTO v_checks
    FROM (SELECT * FROM ledger.broken_promises() UNION ALL SELECT * FROM ledger.broken_totals()
           UNION ALL SELECT * FROM ledger.broken_days()) c;
  INSERT INTO ledger.invariant_runs (started_at, finished_at, ok, checks)
  VALUES (v_started, clock_timestamp(), NOT jsonb_path_exists(v_checks, '$[*] ? (@.faults > 0)'), v_checks)
  RETURNING * INTO v_run;
  RETURN v_run;
END
$$;

GRANT SELECT ON ledger.daily_totals, ledger.daily_fold TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.legs_by_day, ledger.fold_days, ledger.moves_by_day TO probity_app;
