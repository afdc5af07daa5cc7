-- What no role, the owner included, may do to the rows that say why money moves (docs/decisions/0110-record-guards.md).
-- PB912 a changed fact, PB913 a status that does not follow, PB914 a missing or invalid approval, PB900 a removed row.

-- The application changes only what can change.
GRANT
  INSERT (id, invoice_id, user_id, amount_cents, wallet, address, hold_id, single_approval_cents, approvals_needed, created_at),
  UPDATE (status, approvals_needed, second_approval, approved_at, paid_at, paid_by, transaction_id, decline_reason, cancelled_by,
          recovered_cents, payout_asset, payout_units, payout_rate_e8, payout_rate_at, payout_rate_source)
  ON app.withdrawals TO probity_app;
GRANT
  INSERT (id, invoice_id, user_id, plan_version_id, amount_cents, method, hold_id, created_at),
  UPDATE (status, hold_id, approved_at, ending_at, closed_at, close_reason, declined_at, decline_reason, cancelled_by, recovered_cents,
          covered_until, maturity_notified_at, reinvestment, reinvested_as)
  ON app.investments TO probity_app;
GRANT
  INSERT (id, user_id, investment_id, amount_cents, beyond_accrued_cents, note, status, created_by, created_at, paid_at),
  UPDATE (status, approved_by, paid_at, decline_reason, recovered_cents)
  ON app.earnings TO probity_app;
GRANT
  INSERT (id, amount_cents, status, alone_limit_cents, source, realised_on, evidence, evidence_kind, evidence_file, recorded_by, created_at),
  UPDATE (status, approved_by, decline_reason, void_reason, void_proposed_by, voided_by)
  ON app.returns TO probity_app;
GRANT
  INSERT (id, invoice_id, user_id, investment_id, amount_cents, method, status, asset, network, address, crypto_units, rate_e8, rate_at,
          rate_source, payment_uri, expires_at, watch_until, created_at, flags, needs_review),
  UPDATE (status, watch_until, settled_at, decline_reason, cancelled_by, assess_after, reversed_units, debt_cents, flags, needs_review, reviewed_cents)
  ON app.deposits TO probity_app;

-- Staff who may decide, as shared/roles.ts says (test/hostile/rules.test.ts compares them).
CREATE VIEW app.deciders AS
SELECT id, holder FROM app.users WHERE type = 'admin' AND role IN ('admin', 'finance') AND access_ended_at IS NULL;
GRANT SELECT ON app.deciders TO probity_app;
CREATE FUNCTION app.may_decide(p_user uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM app.deciders WHERE id = p_user)
$$;
GRANT EXECUTE ON FUNCTION app.may_decide TO probity_app;

CREATE FUNCTION app.refuse_fact() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'PB912';
END
$$;

CREATE FUNCTION app.refuse_status() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    RAISE EXCEPTION 'a new row of app.% cannot be %', TG_TABLE_NAME, NEW.status USING ERRCODE = 'PB913';
  END IF;
  RAISE EXCEPTION 'a row of app.% cannot go from % to %', TG_TABLE_NAME, OLD.status, NEW.status USING ERRCODE = 'PB913';
END
$$;

DO $$
DECLARE
  record text;
BEGIN
  FOREACH record IN ARRAY ARRAY['deposits', 'investments', 'withdrawals', 'approval_hours', 'earnings', 'returns', 'earning_runs'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE DELETE ON app.%I FOR EACH ROW EXECUTE FUNCTION app.refuse_change()',
                   record || '_stay', record);
    EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON app.%I FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change()',
                   record || '_no_truncate', record);
  END LOOP;
  FOREACH record IN ARRAY ARRAY['withdrawal_approvals', 'earning_sources', 'earning_run_shares', 'earning_run_skips'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE ON app.%I FOR EACH ROW EXECUTE FUNCTION app.refuse_change()',
                   record || '_append_only', record);
    EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON app.%I FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change()',
                   record || '_no_truncate', record);
  END LOOP;
END
$$;

-- Withdrawals. Their insertion is guarded with the address book (0024): one statement inserts many.
CREATE TRIGGER withdrawals_keep_facts BEFORE UPDATE ON app.withdrawals
  FOR EACH ROW WHEN (
    (OLD.id, OLD.invoice_id, OLD.user_id, OLD.amount_cents, OLD.wallet, OLD.address, OLD.hold_id, OLD.created_at)
      IS DISTINCT FROM
    (NEW.id, NEW.invoice_id, NEW.user_id, NEW.amount_cents, NEW.wallet, NEW.address, NEW.hold_id, NEW.created_at)
    OR OLD.single_approval_cents <> NEW.single_approval_cents
    OR OLD.status <> 'pending' AND OLD.approved_at IS DISTINCT FROM NEW.approved_at
    OR OLD.status IN ('paid', 'declined')
       AND (OLD.paid_at, OLD.paid_by, OLD.decline_reason) IS DISTINCT FROM (NEW.paid_at, NEW.paid_by, NEW.decline_reason))
  EXECUTE FUNCTION app.refuse_fact('whose a withdrawal is, its amount, where it goes and when never change');
CREATE TRIGGER withdrawals_keep_approvals_needed BEFORE UPDATE ON app.withdrawals
  FOR EACH ROW WHEN (OLD.approvals_needed <> NEW.approvals_needed
    AND (NEW.approvals_needed < OLD.approvals_needed OR OLD.status <> 'pending'))
  EXECUTE FUNCTION app.refuse_fact('a withdrawal never needs fewer approvals than before');
CREATE TRIGGER withdrawals_follow_steps BEFORE UPDATE ON app.withdrawals
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('pending', 'approved'), ('approved', 'paid'), ('pending', 'declined'), ('approved', 'declined')))
  EXECUTE FUNCTION app.refuse_status();

-- An approval is given by a person who may decide now, and not about their own money.
CREATE FUNCTION app.guard_approval() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  w app.withdrawals;
BEGIN
  IF NOT EXISTS (SELECT FROM app.deciders WHERE id = NEW.admin_id AND holder = NEW.holder) THEN
    RAISE EXCEPTION '% may not approve withdrawals', NEW.admin_id USING ERRCODE = 'PB914';
  END IF;
  SELECT * INTO w FROM app.withdrawals WHERE id = NEW.withdrawal_id;
  IF w.user_id = NEW.admin_id OR w.status <> 'pending' THEN
    RAISE EXCEPTION 'a withdrawal is approved while it is pending, and not by its owner' USING ERRCODE = 'PB914';
  END IF;
  NEW.alone_cents := CASE WHEN w.approvals_needed = 1 THEN w.amount_cents ELSE 0 END;
  RETURN NEW;
END
$$;
CREATE TRIGGER withdrawal_approvals_count BEFORE INSERT ON app.withdrawal_approvals
  FOR EACH ROW EXECUTE FUNCTION app.guard_approval();

-- For each row, since the events of a statement may follow those of another one around it, which already reads the sum.
CREATE FUNCTION app.count_approval_hour() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO app.approval_hours AS h (admin_id, holder, hour, alone_cents)
  VALUES (NEW.admin_id, NEW.holder, date_trunc('hour', NEW.created_at, 'UTC'), NEW.alone_cents)
      ON CONFLICT (admin_id, holder, hour) DO UPDATE SET alone_cents = h.alone_cents + excluded.alone_cents;
  RETURN NULL;
END
$$;
CREATE TRIGGER withdrawal_approvals_by_hour AFTER INSERT ON app.withdrawal_approvals
  FOR EACH ROW WHEN (NEW.alone_cents > 0) EXECUTE FUNCTION app.count_approval_hour();
CREATE TRIGGER approval_hours_are_of_approvals BEFORE INSERT OR UPDATE ON app.approval_hours
  FOR EACH ROW WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION app.refuse_fact('only approvals change what a person approved alone in an hour');

-- The approvals of a withdrawal that count now: an account that has changed hands or lost the right counts no more.
CREATE FUNCTION app.approvals_of(p_withdrawal uuid) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(*) FROM app.withdrawal_approvals a JOIN app.deciders d ON d.id = a.admin_id AND d.holder = a.holder
   WHERE a.withdrawal_id = p_withdrawal
$$;
GRANT EXECUTE ON FUNCTION app.approvals_of TO probity_app;

-- The smallest UUIDv7 of a moment: ids of a period are a range of an index.
CREATE FUNCTION app.first_id(p_at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (lpad(to_hex(floor(extract(epoch FROM p_at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid;
GRANT EXECUTE ON FUNCTION app.first_id TO probity_app;

-- Up to which sum one person may approve. Once two admins have decided a limit, the database reads it itself; before, it
-- takes the request's word.
CREATE FUNCTION app.single_approval(p app.withdrawals) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT least(p.single_approval_cents, (SELECT s.large_withdrawal_cents FROM app.setting_versions s
                                          WHERE s.created_at <= p.created_at ORDER BY s.version DESC LIMIT 1))
$$;
GRANT EXECUTE ON FUNCTION app.single_approval TO probity_app;

-- The approvals that a withdrawal needs by what its owner has requested in the 24 hours up to it, declined requests
-- aside. A flood of small requests counts as too much.
CREATE FUNCTION app.approvals_needed(p app.withdrawals) RETURNS smallint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN p.approvals_needed > 1 OR p.status <> 'pending' THEN p.approvals_needed
              WHEN (SELECT count(*) = 1000 OR sum(o.amount_cents) > app.single_approval(p)
                      FROM (SELECT w.amount_cents FROM app.withdrawals w
                             WHERE w.user_id = p.user_id AND w.id <= p.id
                               AND w.id >= app.first_id(p.created_at - interval '24 hours') AND w.status <> 'declined'
                             ORDER BY w.id DESC LIMIT 1000) o) THEN 2
              ELSE 1 END::smallint
$$;
GRANT EXECUTE ON FUNCTION app.approvals_needed TO probity_app;

-- What a person has approved as the only one in the 24 hours up to a moment, whatever became of it.
CREATE FUNCTION app.approved_alone(p_admin uuid, p_at timestamptz) RETURNS numeric
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((SELECT sum(h.alone_cents) FROM app.approval_hours h
                    WHERE h.admin_id = u.id AND h.holder = u.holder AND h.hour > p_at - interval '24 hours'), 0)
       + coalesce((SELECT sum(a.alone_cents) FROM app.withdrawal_approvals a
                    WHERE a.admin_id = u.id AND a.holder = u.holder AND a.created_at > p_at - interval '24 hours'
                      AND a.created_at < date_trunc('hour', p_at - interval '24 hours', 'UTC') + interval '1 hour'), 0)
    FROM app.users u WHERE u.id = p_admin
$$;
GRANT EXECUTE ON FUNCTION app.approved_alone TO probity_app;

-- One snapshot for a whole transaction would hide what the same person did in another one meanwhile. PB200 with one.
CREATE FUNCTION app.require_new_snapshots() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'what a person does alone is added up in READ COMMITTED' USING ERRCODE = 'PB200';
  END IF;
END
$$;
GRANT EXECUTE ON FUNCTION app.require_new_snapshots TO probity_app;

CREATE FUNCTION app.guard_approved() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_lacking uuid[];
  v_listed uuid[];
  v_matched uuid[];
  v_unproved uuid[];
  v_beyond uuid;
  -- Of withdrawals with one approval that counts: by whom, when, and up to which sum.
  v_alone uuid[];
  v_at timestamptz[];
  v_limit bigint[];
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows WHERE status = 'approved') THEN
    RETURN NULL;
  END IF;
  SELECT array_agg(r.id) FILTER (WHERE r.approved_at IS NULL OR cardinality(r.approvers) < r.needed),
         array_agg(r.id) FILTER (WHERE r.listed),
         array_agg(r.id) FILTER (WHERE r.matched),
         array_agg(r.id) FILTER (WHERE r.lacks IS NOT NULL),
         array_agg(r.approvers[1]) FILTER (WHERE cardinality(r.approvers) = 1),
         array_agg(r.approved_at) FILTER (WHERE cardinality(r.approvers) = 1),
         array_agg(r.limit_cents) FILTER (WHERE cardinality(r.approvers) = 1)
    INTO v_lacking, v_listed, v_matched, v_unproved, v_alone, v_at, v_limit
    FROM (SELECT n.id, n.approved_at, 
                 EXISTS (SELECT FROM app.sanctioned_wallets s
                          WHERE s.address = app.address_key(n.address) AND s.removed_by IS NULL) AS listed,
                 EXISTS (SELECT FROM app.stopping_matches m WHERE m.user_id = n.user_id)
                 OR EXISTS (SELECT FROM app.uncompared_names u WHERE u.user_id = n.user_id) AS matched,
                 app.withdrawal_lacks(ROW (o.*)::app.withdrawals) AS lacks,
                 ARRAY(SELECT a.admin_id FROM app.withdrawal_approvals a JOIN app.deciders d ON d.id = a.admin_id AND d.holder = a.holder
                        WHERE a.withdrawal_id = n.id) AS approvers,
                 greatest(n.approvals_needed, app.approvals_needed(ROW (o.*)::app.withdrawals)) AS needed,
                 app.single_approval(ROW (n.*)::app.withdrawals) AS limit_cents
            FROM new_rows n JOIN old_rows o ON o.id = n.id
           WHERE o.status = 'pending' AND n.status = 'approved'
          OFFSET 0) r;
  IF v_lacking IS NOT NULL THEN
    RAISE EXCEPTION 'withdrawal % lacks approvals', v_lacking[1] USING ERRCODE = 'PB914';
  END IF;
  IF v_listed IS NOT NULL THEN
    RAISE EXCEPTION 'withdrawal % goes to an address on a sanctions list', v_listed[1] USING ERRCODE = 'PB914';
  END IF;
  IF v_matched IS NOT NULL THEN
    RAISE EXCEPTION 'the owner of withdrawal % may be on a sanctions list, or was compared with none', v_matched[1] USING ERRCODE = 'PB914';
  END IF;
  IF v_unproved IS NOT NULL THEN
    RAISE EXCEPTION 'withdrawal % waits for proof of its owner', v_unproved[1] USING ERRCODE = 'PB914';
  END IF;
  IF v_alone IS NOT NULL THEN
    PERFORM app.require_new_snapshots();
    -- Locked, so that what one person approves at once is added up.
    PERFORM FROM app.users WHERE id = ANY (v_alone) ORDER BY id FOR NO KEY UPDATE;
    SELECT a.admin INTO v_beyond
      FROM unnest(v_alone, v_at, v_limit) AS a (admin, at, limit_cents)
     GROUP BY a.admin
    HAVING app.approved_alone(a.admin, min(a.at)) > min(a.limit_cents);
    IF v_beyond IS NOT NULL THEN
      RAISE EXCEPTION '% has approved too much alone in 24 hours', v_beyond USING ERRCODE = 'PB914';
    END IF;
  END IF;
  RETURN NULL;
END
$$;
-- A list is approved with one statement, so that what a person has approved is added up once.
CREATE TRIGGER withdrawals_need_approvals AFTER UPDATE ON app.withdrawals
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION app.guard_approved();

-- A person who approved a withdrawal does not mark it as paid; without a person, an item of a payout batch paid it.
CREATE FUNCTION app.guard_paid() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.paid_by IS NULL AND NOT EXISTS (SELECT FROM app.payout_items WHERE withdrawal_id = NEW.id AND state = 'paid') THEN
    RAISE EXCEPTION 'nobody marked withdrawal % as paid, and no batch paid it', NEW.id USING ERRCODE = 'PB914';
  END IF;
  IF NEW.paid_by IS NOT NULL AND (
       NEW.paid_by = NEW.user_id OR NOT app.may_decide(NEW.paid_by)
       OR EXISTS (SELECT FROM app.withdrawal_approvals a JOIN app.users u ON u.id = a.admin_id AND u.holder = a.holder
                   WHERE a.withdrawal_id = NEW.id AND a.admin_id = NEW.paid_by)) THEN
    RAISE EXCEPTION '% may not mark withdrawal % as paid', NEW.paid_by, NEW.id USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER withdrawals_paid_by_another BEFORE UPDATE ON app.withdrawals
  FOR EACH ROW WHEN (OLD.status = 'approved' AND NEW.status = 'paid')
  EXECUTE FUNCTION app.guard_paid();

-- Investments. A hold is named once; what has ended stays as it ended.
CREATE TRIGGER investments_begin_pending BEFORE INSERT ON app.investments
  FOR EACH ROW WHEN (NEW.status <> 'pending') EXECUTE FUNCTION app.refuse_status();
CREATE TRIGGER investments_keep_facts BEFORE UPDATE ON app.investments
  FOR EACH ROW WHEN (
    (OLD.id, OLD.invoice_id, OLD.user_id, OLD.plan_version_id, OLD.amount_cents, OLD.method, OLD.created_at)
      IS DISTINCT FROM
    (NEW.id, NEW.invoice_id, NEW.user_id, NEW.plan_version_id, NEW.amount_cents, NEW.method, NEW.created_at)
    OR OLD.hold_id IS NOT NULL AND OLD.hold_id IS DISTINCT FROM NEW.hold_id
    OR OLD.status <> 'pending' AND (OLD.approved_at, OLD.ending_at) IS DISTINCT FROM (NEW.approved_at, NEW.ending_at)
    OR OLD.status IN ('inactive', 'declined')
       AND (OLD.closed_at, OLD.close_reason, OLD.declined_at, OLD.decline_reason, OLD.reinvestment, OLD.reinvested_as)
           IS DISTINCT FROM
           (NEW.closed_at, NEW.close_reason, NEW.declined_at, NEW.decline_reason, NEW.reinvestment, NEW.reinvested_as))
  EXECUTE FUNCTION app.refuse_fact('whose an investment is, its amount, its terms, its hold and its dates never change');
CREATE TRIGGER investments_follow_steps BEFORE UPDATE ON app.investments
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('pending', 'active'), ('pending', 'declined'), ('active', 'inactive')))
  EXECUTE FUNCTION app.refuse_status();

-- A reinvestment names its owner's own request, of the same principal on the same terms.
CREATE FUNCTION app.guard_reinvested() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
       SELECT FROM app.investments n
        WHERE n.id = NEW.reinvested_as AND n.id <> NEW.id AND n.method = 'balance'
          AND (n.user_id, n.plan_version_id, n.amount_cents) = (NEW.user_id, NEW.plan_version_id, NEW.amount_cents)) THEN
    RAISE EXCEPTION 'investment % was not reinvested as %', NEW.id, NEW.reinvested_as USING ERRCODE = 'PB912';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER investments_reinvested_alike BEFORE UPDATE ON app.investments
  FOR EACH ROW WHEN (NEW.reinvested_as IS DISTINCT FROM OLD.reinvested_as AND NEW.reinvested_as IS NOT NULL)
  EXECUTE FUNCTION app.guard_reinvested();

-- The target that an investment has accrued in whole days, in cents, rounded half to even (D4; shared/plans.ts). Neither this nor the
-- next one sets a search_path, which would take as long as the sum: the guards that call them do, and nobody else's rights are lent.
CREATE FUNCTION app.accrued(p_amount bigint, p_percentage_bp integer, p_duration_days integer, p_began timestamptz, p_at timestamptz)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_days numeric := least(greatest(div(extract(epoch FROM p_at - p_began), 86400), 0), p_duration_days);
  v_dividend numeric := p_amount::numeric * p_percentage_bp * v_days;
  v_divisor numeric := 10000::numeric * p_duration_days;
  v_cents numeric := div(v_dividend, v_divisor);
  v_twice_rest numeric := 2 * (v_dividend - v_cents * v_divisor);
BEGIN
  RETURN v_cents + CASE WHEN v_twice_rest > v_divisor OR v_twice_rest = v_divisor AND v_cents % 2 = 1 THEN 1 ELSE 0 END;
END
$$;

-- When more than these cents will have accrued: the end of the first such day, or a moment after every term if never.
CREATE FUNCTION app.accrued_beyond(p_amount bigint, p_percentage_bp integer, p_duration_days integer, p_began timestamptz, p_cents numeric)
RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  -- More accrues from half a cent beyond on; exactly half of one rounds up only to an even number.
  v_dividend numeric := 10000::numeric * p_duration_days * (2 * p_cents + 1);
  v_divisor numeric := 2 * p_amount::numeric * p_percentage_bp;
  v_days numeric := div(v_dividend, v_divisor);
BEGIN
  IF p_cents % 2 = 0 OR v_days * v_divisor < v_dividend THEN
    v_days := v_days + 1;
  END IF;
  RETURN CASE WHEN v_days > p_duration_days THEN '9999-12-31Z' ELSE p_began + make_interval(hours => 24 * v_days::integer) END;
END
$$;

-- Updates until when paid and pending earnings cover the accruals of these investments, and returns the terms of those that there are,
-- with what they cover. Of two transactions that change earnings of one investment, the second waits here until it can count what the
-- first has done; with an older snapshot it fails.
CREATE FUNCTION app.update_covered_until(p_investments uuid[])
RETURNS TABLE (
  investment uuid, owner uuid, covered numeric, amount bigint, percentage integer, days integer, began timestamptz
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_nestloop = on SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
BEGIN
  -- Lock first: only the next statement sees what a concurrent transaction has added.
  PERFORM FROM app.investments WHERE id = ANY (p_investments) ORDER BY id FOR NO KEY UPDATE;
  RETURN QUERY
  UPDATE app.investments i
     SET covered_until = CASE WHEN i.approved_at IS NULL THEN i.covered_until
           ELSE app.accrued_beyond(i.amount_cents, c.percentage_bp, c.duration_days, i.approved_at, c.cents) END
    FROM (SELECT n.id, v.percentage_bp, v.duration_days, coalesce(
                   (SELECT sum(e.amount_cents) FROM app.earnings e WHERE e.investment_id = n.id AND e.status <> 'declined'), 0) AS cents
            FROM app.investments n JOIN app.plan_versions v ON v.id = n.plan_version_id
           WHERE n.id = ANY (p_investments)
          OFFSET 0) c
   WHERE i.id = c.id
  RETURNING i.id, i.user_id, c.cents, i.amount_cents, c.percentage_bp, c.duration_days, i.approved_at;
END
$$;
GRANT EXECUTE ON FUNCTION app.accrued, app.accrued_beyond, app.update_covered_until TO probity_app;

-- Earnings. One paid at once has no second person; one that waited has.
CREATE FUNCTION app.guard_new_earnings() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
-- Thousands at once are compared by hash, also in a session that planned it for a single one.
SET enable_nestloop = off SET enable_mergejoin = off
AS $$
DECLARE
  v_beyond boolean;
  v_foreign boolean;
BEGIN
  SELECT bool_or(a.paid_at IS NOT NULL AND (
           a.beyond_cents > 0 OR i.covered > app.accrued(i.amount, i.percentage, i.days, i.began, a.paid_at))),
         bool_or(i.owner IS DISTINCT FROM a.first_owner OR a.first_owner <> a.last_owner)
    INTO v_beyond, v_foreign
    FROM (SELECT investment_id, min(user_id::text)::uuid AS first_owner, max(user_id::text)::uuid AS last_owner,
                 max(created_at) FILTER (WHERE status = 'paid') AS paid_at,
                 max(beyond_accrued_cents) FILTER (WHERE status = 'paid') AS beyond_cents
            FROM added GROUP BY investment_id) a
    LEFT JOIN app.update_covered_until(ARRAY(SELECT DISTINCT investment_id FROM added)) i ON i.investment = a.investment_id;
  IF EXISTS (SELECT FROM added WHERE status = 'declined') THEN
    RAISE EXCEPTION 'a new row of app.earnings cannot be declined' USING ERRCODE = 'PB913';
  END IF;
  IF v_beyond THEN
    RAISE EXCEPTION 'an earning beyond what has accrued waits for a second person' USING ERRCODE = 'PB914';
  END IF;
  IF EXISTS (SELECT FROM (SELECT DISTINCT created_at FROM added WHERE status = 'paid' OFFSET 0) a WHERE (
       SELECT s.earnings_second_approval FROM app.setting_versions s
        WHERE s.created_at <= a.created_at ORDER BY s.version DESC LIMIT 1)) THEN
    RAISE EXCEPTION 'every earning waits for a second person, as two admins have decided' USING ERRCODE = 'PB914';
  END IF;
  IF v_foreign THEN
    RAISE EXCEPTION 'an earning is of an investment, and its owner''s' USING ERRCODE = 'PB912';
  END IF;
  IF EXISTS (SELECT FROM added WHERE approved_by IS NOT NULL OR created_by = user_id)
     -- OFFSET 0, so that each person is looked up once.
     OR EXISTS (SELECT FROM (SELECT DISTINCT created_by FROM added OFFSET 0) a WHERE NOT app.may_decide(a.created_by)) THEN
    RAISE EXCEPTION 'an earning is added by a person who may decide, and not for themselves' USING ERRCODE = 'PB914';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER earnings_begin AFTER INSERT ON app.earnings REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION app.guard_new_earnings();
CREATE TRIGGER earnings_keep_facts BEFORE UPDATE ON app.earnings
  FOR EACH ROW WHEN (
    (OLD.id, OLD.user_id, OLD.investment_id, OLD.amount_cents, OLD.beyond_accrued_cents, OLD.note, OLD.created_by, OLD.created_at)
      IS DISTINCT FROM
    (NEW.id, NEW.user_id, NEW.investment_id, NEW.amount_cents, NEW.beyond_accrued_cents, NEW.note, NEW.created_by, NEW.created_at)
    OR OLD.status <> 'pending'
       AND (OLD.approved_by, OLD.paid_at, OLD.decline_reason) IS DISTINCT FROM (NEW.approved_by, NEW.paid_at, NEW.decline_reason))
  EXECUTE FUNCTION app.refuse_fact('whose an earning is, its amount, its investment and who added it never change');
CREATE TRIGGER earnings_follow_steps BEFORE UPDATE ON app.earnings
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND OLD.status <> 'pending')
  EXECUTE FUNCTION app.refuse_status();

CREATE FUNCTION app.guard_earning_approved() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.approved_by IS NULL OR NEW.approved_by IN (NEW.created_by, NEW.user_id) OR NOT app.may_decide(NEW.approved_by) THEN
    RAISE EXCEPTION 'earning % needs the approval of a second person who may decide', NEW.id USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER earnings_need_approval BEFORE UPDATE ON app.earnings
  FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'paid')
  EXECUTE FUNCTION app.guard_earning_approved();

-- Runs of a plan's earnings. The shares of a run are written together, after it, and add up to it.
CREATE FUNCTION app.guard_run_shares() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT run_id FROM added) a
     WHERE (SELECT (r.investments, r.total_cents) FROM app.earning_runs r WHERE r.id = a.run_id)
           IS DISTINCT FROM
           (SELECT (count(*)::integer, sum(s.amount_cents)::bigint) FROM app.earning_run_shares s WHERE s.run_id = a.run_id)
  ) THEN
    RAISE EXCEPTION 'the shares of a run are written together and add up to it' USING ERRCODE = 'PB912';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER earning_run_shares_add_up AFTER INSERT ON app.earning_run_shares REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION app.guard_run_shares();
-- One ends once, and only goes forward.
CREATE TRIGGER earning_runs_keep_facts BEFORE UPDATE ON app.earning_runs
  FOR EACH ROW WHEN (
    (OLD.id, OLD.plan_id, OLD.as_of, OLD.digest, OLD.investments, OLD.total_cents, OLD.note, OLD.needs_approval, OLD.created_by,
     OLD.created_at, OLD.request_id)
      IS DISTINCT FROM
    (NEW.id, NEW.plan_id, NEW.as_of, NEW.digest, NEW.investments, NEW.total_cents, NEW.note, NEW.needs_approval, NEW.created_by,
     NEW.created_at, NEW.request_id)
    OR NEW.decided_to < OLD.decided_to OR NEW.decided_to IS NULL AND OLD.decided_to IS NOT NULL
    OR NEW.added < OLD.added OR NEW.added_cents < OLD.added_cents OR NEW.skipped < OLD.skipped OR NEW.skipped_cents < OLD.skipped_cents)
  EXECUTE FUNCTION app.refuse_fact('what a run of earnings adds never changes, and it never goes back');
CREATE TRIGGER earning_runs_follow_steps BEFORE UPDATE ON app.earning_runs
  FOR EACH ROW WHEN (OLD.status <> 'running')
  EXECUTE FUNCTION app.refuse_status();

-- Returns. One person records up to a sum of 24 hours alone; a second one approves what goes beyond. Two void one.
CREATE FUNCTION app.recorded_alone(p_admin uuid, p_at timestamptz) RETURNS numeric
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(sum(amount_cents), 0)
    FROM app.returns
   WHERE recorded_by = p_admin AND created_at > p_at - interval '24 hours'
     AND status IN ('recorded', 'void_proposed', 'voided') AND approved_by IS NULL
$$;
GRANT EXECUTE ON FUNCTION app.recorded_alone TO probity_app;

-- Once two admins have decided a limit, the database reads it itself; before, it takes the record's word.
CREATE FUNCTION app.alone_limit(p app.returns) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT least(p.alone_limit_cents, (SELECT s.large_return_cents FROM app.setting_versions s
                                      WHERE s.created_at <= p.created_at ORDER BY s.version DESC LIMIT 1))
$$;
GRANT EXECUTE ON FUNCTION app.alone_limit TO probity_app;

CREATE FUNCTION app.guard_new_return() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.status NOT IN ('pending', 'recorded') THEN
    RAISE EXCEPTION 'a new row of app.returns cannot be %', NEW.status USING ERRCODE = 'PB913';
  END IF;
  PERFORM app.require_new_snapshots();
  -- Locked, so that what one person records at once is added up.
  PERFORM FROM app.users WHERE id = NEW.recorded_by FOR NO KEY UPDATE;
  IF NEW.spent_cents > 0 OR NEW.approved_by IS NOT NULL OR NOT app.may_decide(NEW.recorded_by) THEN
    RAISE EXCEPTION 'a return is recorded by a person who may decide, before it pays anything' USING ERRCODE = 'PB914';
  END IF;
  IF NEW.status = 'recorded' AND app.recorded_alone(NEW.recorded_by, NEW.created_at) + NEW.amount_cents > app.alone_limit(NEW) THEN
    RAISE EXCEPTION '% records too much alone in 24 hours', NEW.recorded_by USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER returns_begin BEFORE INSERT ON app.returns
  FOR EACH ROW EXECUTE FUNCTION app.guard_new_return();
CREATE TRIGGER returns_keep_facts BEFORE UPDATE ON app.returns
  FOR EACH ROW WHEN (
    (OLD.id, OLD.amount_cents, OLD.alone_limit_cents, OLD.source, OLD.realised_on, OLD.evidence, OLD.evidence_kind, OLD.evidence_file,
     OLD.recorded_by, OLD.created_at)
      IS DISTINCT FROM
    (NEW.id, NEW.amount_cents, NEW.alone_limit_cents, NEW.source, NEW.realised_on, NEW.evidence, NEW.evidence_kind, NEW.evidence_file,
     NEW.recorded_by, NEW.created_at)
    OR NEW.spent_cents < OLD.spent_cents
    OR NEW.spent_cents > OLD.spent_cents AND (OLD.status, NEW.status) <> ('recorded', 'recorded')
    OR OLD.status <> 'pending' AND OLD.approved_by IS DISTINCT FROM NEW.approved_by
    OR OLD.status = NEW.status
       AND (OLD.approved_by, OLD.decline_reason, OLD.void_reason, OLD.void_proposed_by, OLD.voided_by)
           IS DISTINCT FROM (NEW.approved_by, NEW.decline_reason, NEW.void_reason, NEW.void_proposed_by, NEW.voided_by)
    OR (OLD.status, NEW.status) = ('void_proposed', 'voided')
       AND (OLD.void_reason, OLD.void_proposed_by) IS DISTINCT FROM (NEW.void_reason, NEW.void_proposed_by))
  EXECUTE FUNCTION app.refuse_fact('a return''s amount, source, date and evidence never change, and what it has paid stays paid');
CREATE TRIGGER returns_follow_steps BEFORE UPDATE ON app.returns
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('pending', 'recorded'), ('pending', 'declined'), ('recorded', 'void_proposed'), ('void_proposed', 'recorded'),
    ('void_proposed', 'voided')))
  EXECUTE FUNCTION app.refuse_status();

-- A person who may decide approves a return, proposes to void it, or voids it; the table refuses the same person twice.
CREATE FUNCTION app.guard_return_decided() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_by uuid := CASE WHEN OLD.status = 'pending' THEN NEW.approved_by
                    WHEN NEW.status = 'void_proposed' THEN NEW.void_proposed_by
                    ELSE NEW.voided_by END;
BEGIN
  IF v_by IS NULL OR NOT app.may_decide(v_by) THEN
    RAISE EXCEPTION 'return % needs the decision of a person who may decide', NEW.id USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER returns_need_decision BEFORE UPDATE ON app.returns
  FOR EACH ROW WHEN ((OLD.status, NEW.status) IN (('pending', 'recorded'), ('recorded', 'void_proposed'), ('void_proposed', 'voided')))
  EXECUTE FUNCTION app.guard_return_decided();

-- Deposits. The quote never changes; what arrived, and what was credited for it, may come late and be reversed.
CREATE TRIGGER deposits_begin_unpaid BEFORE INSERT ON app.deposits
  FOR EACH ROW WHEN (NEW.status NOT IN ('pending', 'unpaid')) EXECUTE FUNCTION app.refuse_status();
CREATE TRIGGER deposits_keep_facts BEFORE UPDATE ON app.deposits
  FOR EACH ROW WHEN (
    (OLD.id, OLD.invoice_id, OLD.user_id, OLD.investment_id, OLD.amount_cents, OLD.method, OLD.asset, OLD.network, OLD.address,
     OLD.crypto_units, OLD.rate_e8, OLD.rate_at, OLD.rate_source, OLD.payment_uri, OLD.expires_at, OLD.created_at)
      IS DISTINCT FROM
    (NEW.id, NEW.invoice_id, NEW.user_id, NEW.investment_id, NEW.amount_cents, NEW.method, NEW.asset, NEW.network, NEW.address,
     NEW.crypto_units, NEW.rate_e8, NEW.rate_at, NEW.rate_source, NEW.payment_uri, NEW.expires_at, NEW.created_at)
    OR OLD.status = 'declined' AND NEW.status = 'declined' AND OLD.cancelled_by IS DISTINCT FROM NEW.cancelled_by)
  EXECUTE FUNCTION app.refuse_fact('whose a deposit is, what it pays, its quote and its address never change');
CREATE TRIGGER deposits_follow_steps BEFORE UPDATE ON app.deposits
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('pending', 'paid'), ('pending', 'unpaid'), ('pending', 'declined'), ('unpaid', 'paid'), ('declined', 'paid'), ('paid', 'pending')))
  EXECUTE FUNCTION app.refuse_status();

-- Transactions of our addresses that no payout explains. Who confirms an explanation may decide, and has not just changed it.
CREATE FUNCTION app.guard_explanation() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.confirmed_at IS NOT NULL THEN
    RAISE EXCEPTION 'an explanation that two people gave never changes' USING ERRCODE = 'PB912';
  END IF;
  IF NEW.confirmed_at IS NOT NULL AND (
       NOT app.may_decide(NEW.confirmed_by)
       OR (OLD.reviewed_at, OLD.reviewed_by, OLD.review_note) IS DISTINCT FROM (NEW.reviewed_at, NEW.reviewed_by, NEW.review_note)) THEN
    RAISE EXCEPTION 'transaction % needs the confirmation of a second person who may decide', NEW.transaction_id USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER chain_spends_explained_by_two
  BEFORE UPDATE OF reviewed_at, reviewed_by, review_note, confirmed_at, confirmed_by ON app.chain_spends
  FOR EACH ROW WHEN (
    (OLD.reviewed_at, OLD.reviewed_by, OLD.review_note, OLD.confirmed_at, OLD.confirmed_by)
      IS DISTINCT FROM (NEW.reviewed_at, NEW.reviewed_by, NEW.review_note, NEW.confirmed_at, NEW.confirmed_by))
  EXECUTE FUNCTION app.guard_explanation();
