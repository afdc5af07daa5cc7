-- What was credited for deposits, a row each (docs/decisions/0116-credits-as-rows.md). Sums over these rows, and over
-- the transfers at a deposit's address, are read by a view. 0041 compares each row with its posting.

CREATE TABLE app.deposit_credits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  deposit_id uuid NOT NULL REFERENCES app.deposits (id),
  -- NULL for a manual credit: somebody entered it, before or without evidence from the network.
  transfer_id bigint REFERENCES app.chain_transfers (id),
  entered_by uuid REFERENCES app.users (id),
  -- As entered with a manual credit.
  transaction_id text,
  units bigint NOT NULL CHECK (units > 0),
  -- The units that `cents` is worth at the rate; the rest goes to the rounding account.
  exchanged_units bigint NOT NULL CHECK (exchanged_units >= 0),
  cents bigint NOT NULL CHECK (cents >= 0),
  rate_e8 bigint NOT NULL CHECK (rate_e8 > 0),
  rate_at timestamptz NOT NULL,
  rate_source text NOT NULL,
  -- When it arrived, if that was outside the deposit's window: then the rate is that of its arrival.
  late_at timestamptz,
  credited_at timestamptz NOT NULL DEFAULT now(),
  -- True if it is not one node's word alone: staff compared or entered it, or a second source shows it too.
  checked boolean NOT NULL DEFAULT false,
  -- The ledger transactions that credited and reversed it.
  posting uuid NOT NULL,
  reversed_by uuid,
  CHECK (num_nonnulls(transfer_id, entered_by) = 1),
  CHECK (transaction_id IS NULL OR entered_by IS NOT NULL),
  -- A manual credit stands.
  CHECK (reversed_by IS NULL OR transfer_id IS NOT NULL)
);
-- What was credited lately on the word of one node.
CREATE INDEX deposit_credits_unchecked ON app.deposit_credits (credited_at)
  WHERE transfer_id IS NOT NULL AND NOT checked AND reversed_by IS NULL;
CREATE INDEX deposit_credits_of_deposit ON app.deposit_credits (deposit_id);
CREATE UNIQUE INDEX deposit_credits_of_transfer ON app.deposit_credits (transfer_id) WHERE reversed_by IS NULL;
CREATE UNIQUE INDEX deposit_credits_one_manual ON app.deposit_credits (deposit_id) WHERE entered_by IS NOT NULL;
-- A transaction pays one deposit: it proves nothing for a second one. The case of an id means nothing.
CREATE UNIQUE INDEX deposit_credits_paid_once ON app.deposit_credits (lower(transaction_id)) WHERE transaction_id IS NOT NULL;
GRANT SELECT,
  INSERT (deposit_id, transfer_id, entered_by, transaction_id, units, exchanged_units, cents, rate_e8, rate_at, rate_source, late_at, credited_at,
          checked, posting),
  UPDATE (reversed_by) ON app.deposit_credits TO probity_app;

-- A manual credit covers the first transfers that the network shows afterwards: they are not credited again.
CREATE TABLE app.credit_matches (
  transfer_id bigint PRIMARY KEY REFERENCES app.chain_transfers (id),
  credit_id bigint NOT NULL REFERENCES app.deposit_credits (id),
  units bigint NOT NULL CHECK (units > 0)
);
CREATE INDEX credit_matches_of_credit ON app.credit_matches (credit_id);
GRANT SELECT, INSERT, UPDATE (units), DELETE ON app.credit_matches TO probity_app;

-- Guards: append-only but for the reversal, which is final.
CREATE TRIGGER deposit_credits_stay BEFORE DELETE ON app.deposit_credits
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER deposit_credits_no_truncate BEFORE TRUNCATE ON app.deposit_credits
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER deposit_credits_keep_facts BEFORE UPDATE ON app.deposit_credits
  FOR EACH ROW WHEN (
    OLD.reversed_by IS NOT NULL OR NEW.reversed_by IS NULL
    OR (OLD.id, OLD.deposit_id, OLD.transfer_id, OLD.entered_by, OLD.transaction_id, OLD.units, OLD.exchanged_units, OLD.cents,
        OLD.rate_e8, OLD.rate_at, OLD.rate_source, OLD.late_at, OLD.credited_at, OLD.checked, OLD.posting)
      IS DISTINCT FROM
       (NEW.id, NEW.deposit_id, NEW.transfer_id, NEW.entered_by, NEW.transaction_id, NEW.units, NEW.exchanged_units, NEW.cents,
        NEW.rate_e8, NEW.rate_at, NEW.rate_source, NEW.late_at, NEW.credited_at, NEW.checked, NEW.posting))
  EXECUTE FUNCTION app.refuse_fact('a credit never changes; it is reversed once');

-- True if a transfer in the deposit's asset came to its own address.
CREATE FUNCTION app.is_paid_by(p_deposit uuid, p_transfer bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM app.chain_transfers t
                   JOIN app.payment_addresses a ON a.rail = t.rail AND app.address_key(a.address) = t.address
                   JOIN app.deposits d ON d.id = a.deposit_id AND d.asset = t.token
                  WHERE t.id = p_transfer AND d.id = p_deposit)
$$;
GRANT EXECUTE ON FUNCTION app.is_paid_by TO probity_app;

-- Guard: a deposit is credited with transfers to its own address, in all with the largest amount in dollars at most
-- (shared/money.ts), and not while its account is frozen.
CREATE FUNCTION app.guard_credits() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM added WHERE transfer_id IS NOT NULL AND NOT app.is_paid_by(deposit_id, transfer_id)) THEN
    RAISE EXCEPTION 'a deposit is credited with transfers to its own address' USING ERRCODE = 'PB931';
  END IF;
  IF EXISTS (SELECT FROM (SELECT DISTINCT deposit_id FROM added) d
              WHERE (SELECT sum(c.cents) FROM app.deposit_credits c
                      WHERE c.deposit_id = d.deposit_id AND c.reversed_by IS NULL) > 999999999999) THEN
    RAISE EXCEPTION 'a deposit is credited with too much' USING ERRCODE = 'check_violation', CONSTRAINT = 'deposits_credited_at_most';
  END IF;
  PERFORM app.require_unfrozen(ARRAY(SELECT d.user_id FROM added JOIN app.deposits d ON d.id = added.deposit_id));
  RETURN NULL;
END
$$;
CREATE TRIGGER deposit_credits_guarded AFTER INSERT ON app.deposit_credits REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION app.guard_credits();

-- Guard: matches are of the deposit's manual credit, and add up to it at most.
CREATE FUNCTION app.guard_match() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM app.deposit_credits c
                  WHERE c.id = NEW.credit_id AND c.entered_by IS NOT NULL AND app.is_paid_by(c.deposit_id, NEW.transfer_id)
                    AND c.units >= (SELECT sum(m.units) FROM app.credit_matches m WHERE m.credit_id = c.id)) THEN
    RAISE EXCEPTION 'transfer % is no part of the manual credit %', NEW.transfer_id, NEW.credit_id USING ERRCODE = 'PB931';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER credit_matches_guarded AFTER INSERT OR UPDATE ON app.credit_matches
  FOR EACH ROW EXECUTE FUNCTION app.guard_match();

-- Credits and matches alone say how much of a transfer is credited.
CREATE FUNCTION app.count_credited() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_transfer bigint := CASE TG_OP WHEN 'DELETE' THEN OLD.transfer_id ELSE NEW.transfer_id END;
  v_units bigint := CASE TG_OP WHEN 'INSERT' THEN NEW.units WHEN 'DELETE' THEN -OLD.units
                               ELSE CASE TG_TABLE_NAME WHEN 'credit_matches' THEN NEW.units - OLD.units ELSE -NEW.units END END;
BEGIN
  UPDATE app.chain_transfers SET credited_units = credited_units + v_units WHERE id = v_transfer;
  RETURN NULL;
END
$$;
CREATE TRIGGER deposit_credits_counted AFTER INSERT OR UPDATE ON app.deposit_credits
  FOR EACH ROW WHEN (NEW.transfer_id IS NOT NULL) EXECUTE FUNCTION app.count_credited();
CREATE TRIGGER credit_matches_counted AFTER INSERT OR UPDATE OR DELETE ON app.credit_matches
  FOR EACH ROW EXECUTE FUNCTION app.count_credited();
CREATE TRIGGER chain_transfers_credited_by_credits BEFORE UPDATE ON app.chain_transfers
  FOR EACH ROW WHEN (OLD.credited_units <> NEW.credited_units AND pg_trigger_depth() = 0)
  EXECUTE FUNCTION app.refuse_fact('only credits and their reversals change what is credited of a transfer');
CREATE TRIGGER chain_transfers_begin_uncredited BEFORE INSERT ON app.chain_transfers
  FOR EACH ROW WHEN (NEW.credited_units <> 0)
  EXECUTE FUNCTION app.refuse_fact('only credits and their reversals change what is credited of a transfer');

-- What each deposit has received and was credited with, how that deviates from its quote, and what its network shows:
-- in units of its coin, without dropped transfers and dust, in blocks or in the mempool. `has_dropped`: a payment that was
-- seen has left the network.
CREATE VIEW app.deposit_amounts AS
SELECT d.id AS deposit_id, credited.*,
       CASE WHEN credited.late_units > 0 THEN 'late'
            WHEN credited.credited_cents < d.amount_cents THEN 'underpaid'
            WHEN credited.credited_cents > d.amount_cents THEN 'overpaid' END AS deviation,
       seen.*
  FROM app.deposits d
 CROSS JOIN LATERAL (
    -- All NULL until it is paid. `late_…`: the part credited at the rate of its arrival. The rate and the time of its
    -- arrival are those of the last such part.
    SELECT sum(c.units)::bigint AS received_units, sum(c.cents)::bigint AS credited_cents,
           (sum(c.units) FILTER (WHERE c.late_at IS NOT NULL))::bigint AS late_units,
           (sum(c.cents) FILTER (WHERE c.late_at IS NOT NULL))::bigint AS late_cents,
           max(c.late_at) AS arrived_at,
           (array_agg(c.rate_e8 ORDER BY c.late_at DESC, c.id DESC) FILTER (WHERE c.late_at IS NOT NULL))[1] AS credited_rate_e8,
           (array_agg(c.rate_source ORDER BY c.late_at DESC, c.id DESC) FILTER (WHERE c.late_at IS NOT NULL))[1] AS credited_rate_source,
           max(c.transaction_id) AS transaction_id
      FROM app.deposit_credits c
     WHERE c.deposit_id = d.id AND c.reversed_by IS NULL) credited
 CROSS JOIN LATERAL (
    -- `uncredited_block`: the block from which all of the uncredited units count; NULL while any of them is in none.
    SELECT least(coalesce(sum(t.units) FILTER (WHERE counts), 0), 9223372036854775807)::bigint AS seen_units,
           least(coalesce(sum(t.units - t.credited_units) FILTER (WHERE counts), 0), 9223372036854775807)::bigint AS uncredited_units,
           CASE WHEN NOT bool_or(t.block_height IS NULL) FILTER (WHERE counts AND t.credited_units < t.units)
                THEN max(t.block_height) FILTER (WHERE counts AND t.credited_units < t.units) END AS uncredited_block,
           (count(*) FILTER (WHERE t.ignored_reason = 'wrong_asset' AND t.dropped_at IS NULL))::int AS wrong_asset_transfers,
           coalesce(bool_or(t.ignored_reason IS NULL AND t.dropped_at IS NOT NULL), false) AS has_dropped,
           count(*) > 0 AS has_own_address
      FROM app.payment_addresses a
      LEFT JOIN app.chain_transfers t
        ON t.rail = a.rail AND t.address = app.address_key(a.address) AND t.ignored_reason IS DISTINCT FROM 'dust'
     CROSS JOIN LATERAL (SELECT t.ignored_reason IS NULL AND t.dropped_at IS NULL AS counts) it
     WHERE a.deposit_id = d.id) seen;
GRANT SELECT ON app.deposit_amounts TO probity_app;

-- The row of one deposit, by a plan that is made once for a session: it takes longer to plan the view than to read it.
CREATE FUNCTION app.amounts_of(p_deposit uuid) RETURNS app.deposit_amounts
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM app.deposit_amounts WHERE deposit_id = p_deposit
$$;
GRANT EXECUTE ON FUNCTION app.amounts_of TO probity_app;
