-- The database commits no posting without the record that calls for it, and no record without its posting (PB105).
-- ledger.check_books() compares all of them with the same views.

-- A posting is of a record of its event's kind.
ALTER TABLE ledger.transactions ADD CHECK (reference_kind = split_part(event, '.', 1));

-- Each transaction with the investors whose accounts it moves, and the amount in cents: what its event moved or, for
-- the payment of an investment, what it locked in the plan.
CREATE VIEW ledger.postings AS
SELECT t.id, t.event, t.reference_kind, t.reference_id, coalesce(t.hold_id, t.id) AS hold_id, moved.owners, moved.amount
  FROM ledger.transactions t
 CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT a.owner) FILTER (WHERE a.owner <> ledger.firm()) AS owners,
           sum(e.amount) FILTER (WHERE e.amount > 0 AND (t.event <> 'investment.funded' OR a.kind = 'invested')) AS amount
      FROM ledger.entries e
      JOIN ledger.accounts a ON a.id = e.account_id
     WHERE e.transaction_id = t.id) moved;

-- The records with which the books disagree, a view for each kind: the events that the record calls for, and those that
-- are booked.

CREATE VIEW ledger.disagreeing_withdrawals AS
SELECT w.id, expected.events AS expected, booked.events AS booked
  FROM app.withdrawals w
 CROSS JOIN LATERAL (
    SELECT CASE w.status WHEN 'paid' THEN ARRAY['withdrawal.paid', 'withdrawal.requested']
                         WHEN 'declined' THEN ARRAY['withdrawal.declined', 'withdrawal.requested']
                         ELSE ARRAY['withdrawal.requested'] END AS events) expected
 CROSS JOIN LATERAL (
    SELECT array_agg(p.event || CASE WHEN (p.owners, p.amount, p.hold_id) IS NOT DISTINCT FROM (ARRAY[w.user_id], w.amount_cents::numeric, w.hold_id)
                                     THEN '' ELSE ' of another owner, amount or hold' END ORDER BY p.event) AS events
      FROM ledger.postings p
     WHERE p.reference_id = w.id) booked
 WHERE expected.events IS DISTINCT FROM booked.events;

-- Without a hold, its payment was locked in the plan at once.
CREATE VIEW ledger.disagreeing_investments AS
SELECT i.id, expected.events AS expected, booked.events AS booked
  FROM app.investments i
 CROSS JOIN LATERAL (
    SELECT array_remove(ARRAY[
             CASE WHEN i.hold_id IS NOT NULL AND i.status IN ('active', 'inactive') THEN 'investment.approved' END,
             CASE WHEN i.status = 'inactive' THEN 'investment.closed' END,
             CASE WHEN i.hold_id IS NOT NULL AND i.status = 'declined' THEN 'investment.declined' END,
             CASE WHEN i.hold_id IS NULL AND i.status IN ('active', 'inactive') THEN 'investment.funded' END,
             CASE WHEN i.hold_id IS NOT NULL THEN 'investment.requested' END], NULL) AS events) expected
 CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(p.event || CASE WHEN p.owners = ARRAY[i.user_id] AND p.amount = i.amount_cents
                                               AND p.hold_id = CASE WHEN p.event IN ('investment.closed', 'investment.funded')
                                                                    THEN p.id ELSE i.hold_id END
                                              THEN '' ELSE ' of another owner, amount or hold' END ORDER BY p.event), '{}') AS events
      FROM ledger.postings p
     WHERE p.reference_id = i.id) booked
 WHERE expected.events <> booked.events;

-- A paid earning is posted once, its investment's owner gets it, and recorded returns add up to it.
CREATE VIEW ledger.disagreeing_earnings AS
SELECT g.id, expected.events AS expected, booked.events AS booked
  FROM app.earnings g
 CROSS JOIN LATERAL (
    SELECT CASE g.status WHEN 'paid' THEN ARRAY['earning.paid', 'from returns: ' || g.amount_cents]
                         ELSE ARRAY['from returns: 0'] END AS events) expected
 CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(p.event || CASE WHEN p.owners = ARRAY[g.user_id] AND p.amount = g.amount_cents
                                               AND g.user_id = (SELECT i.user_id FROM app.investments i WHERE i.id = g.investment_id)
                                              THEN '' ELSE ' of another owner or amount' END), '{}')
           || ('from returns: ' || (SELECT coalesce(sum(s.amount_cents), 0) FROM app.earning_sources s WHERE s.earning_id = g.id))
           AS events
      FROM ledger.postings p
     WHERE p.reference_id = g.id) booked
 WHERE expected.events <> booked.events;

-- What is voided of a return is what it has not paid.
CREATE VIEW ledger.disagreeing_returns AS
SELECT r.id, expected.events AS expected, booked.events AS booked
  FROM app.returns r
 CROSS JOIN LATERAL (
    SELECT CASE WHEN r.status IN ('pending', 'declined') THEN '{}'
                WHEN r.status = 'voided' THEN ARRAY['return.recorded', 'return.voided']
                ELSE ARRAY['return.recorded'] END AS events) expected
 CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(p.event || CASE WHEN p.owners IS NULL
                                               AND p.amount = r.amount_cents - CASE p.event WHEN 'return.voided' THEN r.spent_cents ELSE 0 END
                                              THEN '' ELSE ' of another owner or amount' END ORDER BY p.event), '{}') AS events
      FROM ledger.postings p
     WHERE p.reference_id = r.id) booked
 WHERE expected.events <> booked.events;

-- What each posting brought a deposit, or took from it: coins into custody, their part exchanged, USD, and debt. The
-- payment of its investment may have been locked in the plan at once.
CREATE VIEW ledger.deposit_postings AS
SELECT d.id AS deposit_id, t.id AS posting, moved.*
  FROM app.deposits d
  JOIN ledger.transactions t
    ON t.reference_id IN (d.id, d.investment_id) AND (t.reference_id = d.id OR t.event = 'investment.funded')
 CROSS JOIN LATERAL (
    SELECT coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'custody' AND a.asset = d.asset), 0) AS units,
           coalesce(sum(e.amount) FILTER (WHERE a.kind = 'exchange' AND a.asset = d.asset), 0) AS exchanged_units,
           coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'exchange' AND a.asset = 'USD'), 0) AS cents,
           coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'receivable'), 0) AS debt_cents,
           count(*) FILTER (WHERE a.owner NOT IN (d.user_id, ledger.firm()) OR a.asset NOT IN ('USD', d.asset)) AS foreign_entries
      FROM ledger.entries e
      JOIN ledger.accounts a ON a.id = e.account_id
     WHERE e.transaction_id = t.id) moved;

-- What each posting is to bring, by the credits that it made and those that it reversed.
CREATE VIEW ledger.credit_postings AS
SELECT c.deposit_id, p.posting, sum(p.sign * c.units) AS units, sum(p.sign * c.exchanged_units) AS exchanged_units,
       sum(p.sign * c.cents) AS cents
  FROM app.deposit_credits c
 CROSS JOIN LATERAL (VALUES (c.posting, 1), (c.reversed_by, -1)) AS p (posting, sign)
 WHERE p.posting IS NOT NULL
 GROUP BY c.deposit_id, p.posting;

-- Each credit and each reversal of a deposit is one posting's, with its coins, the part exchanged and its cents. A
-- deposit is paid while anything of it is credited.
CREATE VIEW ledger.disagreeing_deposits AS
SELECT d.id, expected.sums AS expected, booked.sums AS booked
  FROM app.deposits d
 CROSS JOIN LATERAL (
    SELECT jsonb_build_object('paid', d.status = 'paid', 'received unpaid', 0, 'debt', d.debt_cents, 'foreign entries', 0, 'credits',
             coalesce(jsonb_object_agg(c.posting, jsonb_build_array(c.units, c.exchanged_units, c.cents)), '{}')) AS sums
      FROM ledger.credit_postings c
     WHERE c.deposit_id = d.id) expected
 CROSS JOIN LATERAL (
    SELECT jsonb_build_object('paid', coalesce(sum(p.cents), 0) > 0,
             'received unpaid', CASE d.status WHEN 'paid' THEN 0 ELSE coalesce(sum(p.units), 0) END,
             'debt', coalesce(sum(p.debt_cents), 0), 'foreign entries', coalesce(sum(p.foreign_entries), 0), 'credits',
             coalesce(jsonb_object_agg(p.posting, jsonb_build_array(p.units, p.exchanged_units, p.cents))
                        FILTER (WHERE (p.units, p.exchanged_units, p.cents) <> (0, 0, 0)), '{}')) AS sums
      FROM ledger.deposit_postings p
     WHERE p.deposit_id = d.id) booked
 WHERE expected.sums <> booked.sums;

CREATE VIEW ledger.postings_without_record AS
SELECT t.id, t.event, t.reference_id
  FROM ledger.transactions t
 WHERE NOT EXISTS (SELECT FROM app.deposits r WHERE r.id = t.reference_id AND t.reference_kind = 'deposit')
   AND NOT EXISTS (SELECT FROM app.investments r WHERE r.id = t.reference_id AND t.reference_kind = 'investment')
   AND NOT EXISTS (SELECT FROM app.withdrawals r WHERE r.id = t.reference_id AND t.reference_kind = 'withdrawal')
   AND NOT EXISTS (SELECT FROM app.earnings r WHERE r.id = t.reference_id AND t.reference_kind = 'earning')
   AND NOT EXISTS (SELECT FROM app.returns r WHERE r.id = t.reference_id AND t.reference_kind = 'return');

-- Refuses to commit a record with which the books disagree, or a posting without a record.
CREATE FUNCTION ledger.require_agreement(p_kind text, p_id uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  v_exists boolean;
  v_detail jsonb;
BEGIN
  IF p_kind = 'deposit' THEN
    v_exists := EXISTS (SELECT FROM app.deposits WHERE id = p_id);
    SELECT to_jsonb(r) INTO v_detail FROM ledger.disagreeing_deposits r WHERE id = p_id;
  ELSIF p_kind = 'investment' THEN
    v_exists := EXISTS (SELECT FROM app.investments WHERE id = p_id);
    SELECT to_jsonb(r) INTO v_detail FROM ledger.disagreeing_investments r WHERE id = p_id;
  ELSIF p_kind = 'withdrawal' THEN
    v_exists := EXISTS (SELECT FROM app.withdrawals WHERE id = p_id);
    SELECT to_jsonb(r) INTO v_detail FROM ledger.disagreeing_withdrawals r WHERE id = p_id;
  ELSIF p_kind = 'earning' THEN
    v_exists := EXISTS (SELECT FROM app.earnings WHERE id = p_id);
    SELECT to_jsonb(r) INTO v_detail FROM ledger.disagreeing_earnings r WHERE id = p_id;
  ELSE
    v_exists := EXISTS (SELECT FROM app.returns WHERE id = p_id);
    SELECT to_jsonb(r) INTO v_detail FROM ledger.disagreeing_returns r WHERE id = p_id;
  END IF;
  IF NOT v_exists OR v_detail IS NOT NULL THEN
    RAISE EXCEPTION 'refused: % % and the books disagree', p_kind, p_id
      USING ERRCODE = 'PB105', DETAIL = coalesce(v_detail::text, 'there is no such ' || p_kind);
  END IF;
END
$$;

-- Both directions are checked at the commit, as services post before they update the record.
CREATE FUNCTION ledger.guard_posting() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ledger.require_agreement(NEW.reference_kind, NEW.reference_id);
  -- Without entries, it would change no sum of a deposit.
  IF NOT EXISTS (SELECT FROM ledger.entries WHERE transaction_id = NEW.id) THEN
    RAISE EXCEPTION 'refused: transaction % has no entries', NEW.id USING ERRCODE = 'PB101';
  END IF;
  -- The payment of an investment is also what its deposit received.
  IF NEW.event = 'investment.funded' THEN
    PERFORM ledger.require_agreement('deposit', (SELECT id FROM app.deposits WHERE investment_id = NEW.reference_id));
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER transactions_have_records AFTER INSERT ON ledger.transactions
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.event NOT IN ('withdrawal.requested', 'investment.requested', 'earning.paid'))
  EXECUTE FUNCTION ledger.guard_posting();

CREATE FUNCTION ledger.guard_record() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ledger.require_agreement(TG_ARGV[0], NEW.id);
  RETURN NULL;
END
$$;
-- An approval alone calls for no posting.
CREATE CONSTRAINT TRIGGER withdrawals_agree AFTER UPDATE ON app.withdrawals
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN ((OLD.user_id, OLD.amount_cents, OLD.hold_id) <> (NEW.user_id, NEW.amount_cents, NEW.hold_id)
                     OR OLD.status <> NEW.status AND (OLD.status, NEW.status) <> ('pending', 'approved'))
  EXECUTE FUNCTION ledger.guard_record('withdrawal');
CREATE CONSTRAINT TRIGGER investments_agree AFTER UPDATE ON app.investments
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN ((OLD.status, OLD.user_id, OLD.amount_cents, OLD.hold_id)
                     IS DISTINCT FROM (NEW.status, NEW.user_id, NEW.amount_cents, NEW.hold_id))
  EXECUTE FUNCTION ledger.guard_record('investment');
CREATE CONSTRAINT TRIGGER returns_agree AFTER INSERT OR UPDATE OF amount_cents, status ON app.returns
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION ledger.guard_record('return');
CREATE CONSTRAINT TRIGGER deposits_agree AFTER UPDATE ON app.deposits
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN ((OLD.status = 'paid', OLD.debt_cents) <> (NEW.status = 'paid', NEW.debt_cents))
  EXECUTE FUNCTION ledger.guard_record('deposit');
CREATE CONSTRAINT TRIGGER deposits_begin_without_debt AFTER INSERT ON app.deposits
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.debt_cents <> 0) EXECUTE FUNCTION ledger.guard_record('deposit');

-- The credits of a posting are written together, after it, and add up to it; so do those that one reverses.
CREATE FUNCTION ledger.guard_credits() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT deposit_id, posting FROM changed UNION SELECT deposit_id, reversed_by FROM changed WHERE reversed_by IS NOT NULL) p
     WHERE (SELECT (c.units, c.exchanged_units, c.cents) FROM ledger.credit_postings c
             WHERE c.deposit_id = p.deposit_id AND c.posting = p.posting)
           IS DISTINCT FROM
           (SELECT (b.units, b.exchanged_units, b.cents) FROM ledger.deposit_postings b
             WHERE b.deposit_id = p.deposit_id AND b.posting = p.posting)
  ) THEN
    RAISE EXCEPTION 'refused: credits and their posting disagree' USING ERRCODE = 'PB105';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER deposit_credits_agree AFTER INSERT ON app.deposit_credits REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.guard_credits();
CREATE TRIGGER deposit_reversals_agree AFTER UPDATE ON app.deposit_credits REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.guard_credits();

-- A plan pays thousands of earnings at once, so each of these is one comparison for a statement. An earning is paid, then posted
-- once, and at last its sources are written together: that statement compares them all with their postings, and it alone spends
-- returns. Afterwards nothing of a paid earning can change (0033), so the commit only looks up the sources of each.
CREATE FUNCTION ledger.spend_returns() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_others uuid[];
  v_count bigint;
BEGIN
  -- One posting with one leg, to the owner of the earning's investment, and sources that add up to it: it agrees, as posting_rules let it
  -- come from recorded returns alone. The view judges others.
  v_others := ARRAY(
    SELECT a.earning_id FROM (SELECT DISTINCT earning_id FROM added OFFSET 0) a
     WHERE (SELECT true FROM app.earnings g
              JOIN ledger.transactions t ON t.reference_id = g.id
              LEFT JOIN ledger.entries e ON e.transaction_id = t.id
             WHERE g.id = a.earning_id AND g.status = 'paid'
               AND g.user_id = (SELECT i.user_id FROM app.investments i WHERE i.id = g.investment_id)
               AND g.amount_cents = (SELECT sum(s.amount_cents) FROM app.earning_sources s WHERE s.earning_id = g.id)
            HAVING count(*) = 2 AND max(e.line) = 2 AND bool_and(t.event = 'earning.paid')
               AND bool_and(e.line = 1 OR e.amount = g.amount_cents
                                          AND g.user_id IS NOT DISTINCT FROM (SELECT c.owner FROM ledger.accounts c WHERE c.id = e.account_id))) IS NULL);
  IF EXISTS (
    SELECT FROM unnest(v_others) AS a (earning_id)
      LEFT JOIN ledger.disagreeing_earnings d ON d.id = a.earning_id
      LEFT JOIN app.earnings g ON g.id = a.earning_id
     WHERE d.id IS NOT NULL OR g.status IS DISTINCT FROM 'paid'
  ) THEN
    RAISE EXCEPTION 'refused: returns pay an earning that is paid and posted, in full and once' USING ERRCODE = 'PB105';
  END IF;
  UPDATE app.returns r SET spent_cents = r.spent_cents + paid.cents
    FROM (SELECT return_id, sum(amount_cents)::bigint AS cents FROM added GROUP BY return_id) paid
   WHERE r.id = paid.return_id;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF v_count <> (SELECT count(DISTINCT return_id) FROM added) THEN
    RAISE EXCEPTION 'refused: earnings are paid from recorded returns' USING ERRCODE = 'PB105';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER earning_sources_spend_returns AFTER INSERT ON app.earning_sources REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.spend_returns();
CREATE TRIGGER returns_spent_by_sources BEFORE UPDATE ON app.returns
  FOR EACH ROW WHEN (OLD.spent_cents <> NEW.spent_cents AND pg_trigger_depth() = 0)
  EXECUTE FUNCTION app.refuse_fact('only the sources of earnings spend a return');

CREATE FUNCTION ledger.require_sources(p_earnings uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_unpaid uuid := (SELECT p.id FROM unnest(p_earnings) AS p (id)
                     WHERE (SELECT s.earning_id FROM app.earning_sources s WHERE s.earning_id = p.id LIMIT 1) IS NULL LIMIT 1);
BEGIN
  IF v_unpaid IS NOT NULL THEN
    RAISE EXCEPTION 'refused: nothing pays earning %', v_unpaid USING ERRCODE = 'PB105';
  END IF;
END
$$;

-- The earnings that a statement has added as paid, until the commit has looked up their sources: one row for all of them.
CREATE TABLE ledger.earnings_due (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  earnings uuid[] NOT NULL
);
-- Random numbers do not compress.
ALTER TABLE ledger.earnings_due ALTER COLUMN earnings SET STORAGE EXTERNAL;
CREATE FUNCTION ledger.guard_due_earnings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ledger.require_sources(NEW.earnings);
  DELETE FROM ledger.earnings_due WHERE id = NEW.id;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER earnings_due_agree AFTER INSERT ON ledger.earnings_due
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION ledger.guard_due_earnings();

CREATE FUNCTION ledger.guard_paid_earnings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ledger.earnings_due (earnings) SELECT array_agg(id) FROM added WHERE status = 'paid' HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE TRIGGER earnings_agree AFTER INSERT ON app.earnings REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.guard_paid_earnings();
CREATE FUNCTION ledger.guard_approved_earning() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ledger.require_sources(ARRAY[NEW.id]);
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER earnings_approved_agree AFTER UPDATE OF status ON app.earnings
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.status = 'paid') EXECUTE FUNCTION ledger.guard_approved_earning();

-- Posted once, and only after it is paid: so it is of the same transaction, which must also write its sources. A function of its own,
-- so that other postings do not pay for its settings.
CREATE FUNCTION ledger.require_paid_once(p_earnings uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_other uuid := (SELECT p.id FROM unnest(p_earnings) AS p (id)
                    WHERE (SELECT g.status FROM app.earnings g WHERE g.id = p.id) IS DISTINCT FROM 'paid'
                       OR (SELECT count(*) FROM ledger.transactions t WHERE t.reference_id = p.id) > 1 LIMIT 1);
BEGIN
  IF v_other IS NOT NULL THEN
    RAISE EXCEPTION 'refused: earning % and the books disagree', v_other USING ERRCODE = 'PB105';
  END IF;
END
$$;
CREATE FUNCTION ledger.guard_earning_postings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM added WHERE event = 'earning.paid') THEN
    PERFORM ledger.require_paid_once(ARRAY(SELECT reference_id FROM added WHERE event = 'earning.paid'));
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER transactions_of_paid_earnings AFTER INSERT ON ledger.transactions REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.guard_earning_postings();

-- Requests are hot: a list of them is posted before its rows are inserted, so that one statement compares all owners
-- and amounts, and the commit only looks for the row.
CREATE FUNCTION ledger.guard_requests() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
BEGIN
  IF EXISTS (
    SELECT FROM added r WHERE r.hold_id IS NOT NULL AND (
      SELECT h.id FROM ledger.transactions t JOIN ledger.holds h ON h.id = t.id
       WHERE t.id = r.hold_id AND t.event = TG_ARGV[0] || '.requested' AND t.reference_id = r.id AND h.amount = r.amount_cents
         AND (SELECT a.owner FROM ledger.accounts a WHERE a.id = h.account_id) = r.user_id) IS NULL
  ) THEN
    RAISE EXCEPTION 'refused: the books do not hold what a requested % needs', TG_ARGV[0] USING ERRCODE = 'PB105';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER withdrawals_held_in_books AFTER INSERT ON app.withdrawals REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.guard_requests('withdrawal');
CREATE TRIGGER investments_held_in_books AFTER INSERT ON app.investments REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.guard_requests('investment');

CREATE FUNCTION ledger.guard_request() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF (CASE TG_ARGV[0] WHEN 'withdrawal' THEN (SELECT hold_id FROM app.withdrawals WHERE id = NEW.reference_id)
                      ELSE (SELECT hold_id FROM app.investments WHERE id = NEW.reference_id) END) IS DISTINCT FROM NEW.id THEN
    RAISE EXCEPTION 'refused: there is no % % with the hold %', TG_ARGV[0], NEW.reference_id, NEW.id USING ERRCODE = 'PB105';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER transactions_of_withdrawal_requests AFTER INSERT ON ledger.transactions
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.event = 'withdrawal.requested') EXECUTE FUNCTION ledger.guard_request('withdrawal');
CREATE CONSTRAINT TRIGGER transactions_of_investment_requests AFTER INSERT ON ledger.transactions
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.event = 'investment.requested') EXECUTE FUNCTION ledger.guard_request('investment');
