-- What makes sure of the same in the database that the watcher sees to (docs/decisions/0029-chain-sync-and-crediting.md,
-- 0030-reorg-reversals.md), and what keeps its looks short.

-- When all blocks up to the tip had last been read; NULL before the first time. `looked_at` asks for more: that it is known what waits for
-- a block, which not every service tells.
ALTER TABLE app.chain_cursors ADD COLUMN read_at timestamptz;
UPDATE app.chain_cursors SET read_at = looked_at;

ALTER TABLE app.deposits
  -- Of its coin, what its network has taken back after it was credited and has not shown again: it is flagged as long.
  ADD COLUMN taken_back_units bigint NOT NULL DEFAULT 0 CHECK (taken_back_units >= 0),
  -- Transfers of another coin at its address: each new one is looked at.
  ADD COLUMN wrong_transfers integer NOT NULL DEFAULT 0 CHECK (wrong_transfers >= 0),
  -- What is open cannot be credited by itself before then, as far as is known.
  ADD COLUMN assess_after timestamptz,
  DROP CONSTRAINT deposits_flags_check,
  ADD CONSTRAINT deposits_flags_check
    CHECK (flags <@ ARRAY['wrong_asset', 'reversed', 'shortfall', 'unrequested', 'rate_missing', 'after_decline']);

-- Whatever the application does: an address is one deposit's from the first on, too.
CREATE TRIGGER payment_addresses_given_once BEFORE INSERT ON app.payment_addresses
  FOR EACH ROW WHEN (NEW.deposit_id IS NOT NULL) EXECUTE FUNCTION app.guard_payment_address();

-- Transfers that were shown to investors are all that is ever credited; change and payouts' own outputs are kept beside them.
ALTER TABLE app.chain_transfers ADD COLUMN receiving boolean NOT NULL DEFAULT true;
UPDATE app.chain_transfers t SET receiving = EXISTS (
  SELECT FROM app.payment_addresses a
   WHERE a.method = t.method AND a.branch = 0 AND app.address_key(a.address) = t.address);
DROP INDEX app.chain_transfers_to_credit;
CREATE INDEX chain_transfers_to_credit ON app.chain_transfers (method, block_height)
  WHERE credited_by IS NULL AND set_aside IS NULL AND by_hand_units < units AND receiving;
-- Anybody can send any number of dusts to an address.
CREATE INDEX chain_transfers_told ON app.chain_transfers (address, id) WHERE set_aside IS DISTINCT FROM 'dust';
CREATE INDEX chain_transfers_spent ON app.chain_transfers (method, spent_height) WHERE spent_height IS NOT NULL;

-- A request that carries an idempotency key acts in a savepoint, which has a transaction id of its own: what can be seen and is still
-- in progress is this transaction's, whatever its id.
CREATE FUNCTION app.is_of_this_transaction(p_xmin xid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_xact_status((n.near + CASE WHEN n.near - n.here > 2147483648 THEN -4294967296
                                       WHEN n.here - n.near > 2147483648 THEN 4294967296
                                       ELSE 0 END)::text::xid8) = 'in progress'
    FROM (SELECT c.here, c.here - c.here % 4294967296 + p_xmin::text::bigint AS near
            FROM (SELECT pg_current_xact_id()::text::bigint AS here) c) n
$$;
GRANT EXECUTE ON FUNCTION app.is_of_this_transaction TO probity_app;

-- Whatever the application does: a credit is written down with the transaction of the books that posts it, and goes only with one that
-- takes it back. Whether they are of this transaction is seen by who has written them.
CREATE FUNCTION app.guard_crediting() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.credited_by IS NOT NULL AND NOT EXISTS (
       SELECT FROM ledger.transactions t
        WHERE t.id = NEW.credited_by AND t.event IN ('deposit.settled', 'deposit.added') AND app.is_of_this_transaction(t.xmin))
     OR NEW.credited_by IS NULL AND NOT EXISTS (
       SELECT FROM ledger.transactions credit
         JOIN ledger.transactions back ON back.reference_id = credit.reference_id AND back.event = 'deposit.reversed'
        WHERE credit.id = OLD.credited_by AND app.is_of_this_transaction(back.xmin)) THEN
    RAISE EXCEPTION 'the books do not say so of transfer % of %', OLD.position, OLD.transaction_id USING ERRCODE = 'PB933';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER chain_transfers_credited_with_the_books BEFORE UPDATE OF credited_by ON app.chain_transfers
  FOR EACH ROW WHEN (OLD.credited_by IS DISTINCT FROM NEW.credited_by) EXECUTE FUNCTION app.guard_crediting();

-- What the books say of one deposit: of USD what it was credited with, and what of that is a shortfall; of its coin what came.
CREATE FUNCTION ledger.sums_of_deposit(p_deposit uuid)
RETURNS TABLE (credited numeric, shortfall numeric, received numeric)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'exchange' AND a.asset = 'USD'), 0),
         coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'shortfall'), 0),
         coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'custody'), 0)
    FROM ledger.transactions t
    JOIN ledger.entries e ON e.transaction_id = t.id
    JOIN ledger.accounts a ON a.id = e.account_id
   WHERE t.reference_id = p_deposit
      OR t.event = 'investment.funded' AND t.reference_id = (SELECT investment_id FROM app.deposits WHERE id = p_deposit)
$$;

-- Whatever the application does: of a deposit no more is taken back than it was credited with, and from nobody else.
CREATE FUNCTION ledger.guard_reversal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM ledger.sums_of_deposit(NEW.reference_id) WHERE least(credited, shortfall, received) < 0)
     OR EXISTS (
       SELECT FROM ledger.entries taken
         JOIN ledger.accounts a ON a.id = taken.account_id AND a.kind = 'available'
        WHERE taken.transaction_id = NEW.id
          AND NOT EXISTS (SELECT FROM ledger.transactions t
                            JOIN ledger.entries given ON given.transaction_id = t.id AND given.account_id = a.id AND given.amount > 0
                           WHERE t.reference_id = NEW.reference_id OR t.event = 'investment.funded'
                             AND t.reference_id = (SELECT investment_id FROM app.deposits WHERE id = NEW.reference_id))) THEN
    RAISE EXCEPTION 'more than deposit % was credited with would be taken back', NEW.reference_id USING ERRCODE = 'PB934';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER transactions_take_back_what_was_credited AFTER INSERT ON ledger.transactions
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.event = 'deposit.reversed') EXECUTE FUNCTION ledger.guard_reversal();

-- Holds deposits, the transfers at their addresses and the entries against each other; more promises for check_books.
CREATE FUNCTION ledger.broken_deposits()
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY WITH booked AS (
    SELECT t.reference_id, -sum(e.amount) FILTER (WHERE a.kind = 'exchange' AND a.asset = 'USD') AS credited,
           -sum(e.amount) FILTER (WHERE a.kind = 'shortfall') AS shortfall,
           -sum(e.amount) FILTER (WHERE a.kind = 'custody') AS received
      FROM ledger.transactions t
      JOIN ledger.entries e ON e.transaction_id = t.id
      JOIN ledger.accounts a ON a.id = e.account_id
     WHERE t.reference_kind = 'deposit' OR t.event = 'investment.funded'
     GROUP BY t.reference_id
  ), each_one AS (
    SELECT d.id, CASE d.status WHEN 'paid' THEN coalesce(d.credited_cents, d.amount_cents) ELSE 0 END AS credited,
           CASE d.status WHEN 'paid' THEN coalesce(d.received_units, d.crypto_units) ELSE 0 END AS received, d.shortfall_cents,
           coalesce(own.credited, 0) + coalesce(funded.credited, 0) AS booked_credited,
           coalesce(own.received, 0) + coalesce(funded.received, 0) AS booked_received,
           coalesce(own.shortfall, 0) AS booked_shortfall
      FROM app.deposits d
      LEFT JOIN booked own ON own.reference_id = d.id
      LEFT JOIN booked funded ON funded.reference_id = d.investment_id
  ), fault AS (
    SELECT to_jsonb(each_one) AS example FROM each_one
     WHERE (credited, received, shortfall_cents) IS DISTINCT FROM (booked_credited, booked_received, booked_shortfall)
  ) SELECT 'deposits_booked', 'Every deposit says what the books say that it was credited with, what came, and what is owed of it',
           (SELECT count(*) FROM each_one), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH seen AS (
    SELECT a.deposit_id, sum(t.units - t.by_hand_units) FILTER (WHERE t.credited_by IS NOT NULL) AS credited,
           sum(t.by_hand_units) AS by_hand, sum(t.credited_cents) AS cents
      FROM app.payment_addresses a
      JOIN app.chain_transfers t ON t.method = a.method AND t.address = app.address_key(a.address)
     WHERE a.deposit_id IS NOT NULL AND (t.credited_by IS NOT NULL OR t.by_hand_units > 0)
     GROUP BY a.deposit_id
  ), fault AS (
    SELECT jsonb_build_object('deposit', d.id, 'received', d.received_units, 'by hand', d.by_hand_units, 'transfers', to_jsonb(seen)) AS example
      FROM app.deposits d
      JOIN seen ON seen.deposit_id = d.id
     WHERE coalesce(seen.credited, 0) + d.by_hand_units <> coalesce(d.received_units, 0)
        OR coalesce(seen.cents, 0) > coalesce(d.credited_cents, 0) OR seen.by_hand > d.by_hand_units
  ) SELECT 'transfers_credited_once', 'What a deposit has received is what its credited transfers brought, and what was said by hand',
           (SELECT count(*) FROM seen), count(*), ledger.examples(array_agg(example)) FROM fault;
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
           UNION ALL SELECT * FROM ledger.broken_days() UNION ALL SELECT * FROM ledger.broken_deposits()) c;
  INSERT INTO ledger.invariant_runs (started_at, finished_at, ok, checks)
  VALUES (v_started, clock_timestamp(), NOT jsonb_path_exists(v_checks, '$[*] ? (@.faults > 0)'), v_checks)
  RETURNING * INTO v_run;
  RETURN v_run;
END
$$;

-- Open pages hear of each block only where it changes what they show: what is confirmed already waits for something else.
CREATE OR REPLACE FUNCTION app.tell_depth() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_users uuid[];
BEGIN
  SELECT array_agg(DISTINCT d.user_id) INTO v_users
    FROM app.deposits d
   WHERE d.method = NEW.method AND d.open_units > 0 AND d.open_block > OLD.height - NEW.confirmations;
  -- A notification holds 8000 bytes: some two hundred users.
  FOR i IN 1 .. coalesce(cardinality(v_users), 0) BY 200 LOOP
    PERFORM pg_notify('changed', 'deposits ' || array_to_string(v_users[i : i + 199], ' '));
  END LOOP;
  IF EXISTS (SELECT FROM app.payout_batches WHERE method = NEW.method AND status = 'seen') THEN
    PERFORM pg_notify('changed', 'payouts');
  END IF;
  RETURN NULL;
END
$$;
DROP TRIGGER chain_cursors_told ON app.chain_cursors;
-- By what was read: by that the confirmations are counted.
CREATE TRIGGER chain_cursors_told AFTER UPDATE OF height ON app.chain_cursors
  FOR EACH ROW WHEN (OLD.height <> NEW.height) EXECUTE FUNCTION app.tell_depth();
