-- Accounts that their owners have closed (record 161). A closed account is a frozen one in which nothing is open and nobody can
-- log in: what guards frozen accounts (0025) guards it too.
ALTER TABLE app.users
  ADD COLUMN closed_at timestamptz,
  ADD CONSTRAINT users_closed CHECK (closed_at IS NULL OR frozen_at IS NOT NULL AND type = 'investor') NOT VALID;

-- What is open in an account: its balance on all three accounts, pending records, active investments, payments that are not
-- credited yet, and debts.
CREATE FUNCTION app.open_matters(p_user uuid) RETURNS TABLE (kind text, number bigint, cents bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM (
    SELECT 'balance', count(*) FILTER (WHERE balance <> 0), sum(balance)::bigint FROM ledger.accounts WHERE owner = p_user
    UNION ALL
    SELECT 'investment', count(*), sum(amount_cents)::bigint
      FROM app.investments WHERE user_id = p_user AND status IN ('pending', 'active')
    UNION ALL
    SELECT 'deposit', count(*), sum(amount_cents)::bigint FROM app.deposits WHERE user_id = p_user AND status = 'pending'
    UNION ALL
    SELECT 'withdrawal', count(*), sum(amount_cents)::bigint
      FROM app.withdrawals WHERE user_id = p_user AND status IN ('pending', 'approved')
    UNION ALL
    SELECT 'earning', count(*), sum(amount_cents)::bigint FROM app.earnings WHERE user_id = p_user AND status = 'pending'
    UNION ALL
    SELECT 'debt', count(*), sum(debt_cents)::bigint FROM app.deposits WHERE user_id = p_user AND debt_cents > 0
    UNION ALL
    SELECT 'payment', count(*), NULL
      FROM app.payment_addresses a
      JOIN app.chain_transfers t ON t.rail = a.rail AND t.address = app.address_key(a.address)
     WHERE a.user_id = p_user AND t.receiving AND t.credited_units < t.units AND t.dropped_at IS NULL AND t.ignored_reason IS NULL
  ) AS matters (kind, number, cents)
   WHERE number > 0
$$;
GRANT EXECUTE ON FUNCTION app.open_matters TO probity_app;

-- Every row about money holds its owner's row FOR KEY SHARE (app.require_unfrozen), so this waits for those in progress.
CREATE FUNCTION app.guard_closing() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM app.users WHERE id = NEW.id FOR UPDATE;
  IF OLD.closed_at IS NOT NULL OR OLD.frozen_at IS NOT NULL THEN
    RAISE EXCEPTION 'a frozen or closed account % cannot be closed', NEW.id USING ERRCODE = 'PB916';
  END IF;
  IF EXISTS (SELECT FROM app.open_matters(NEW.id)) THEN
    RAISE EXCEPTION 'account % has something open', NEW.id USING ERRCODE = 'PB916';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER users_closed_with_nothing_open BEFORE UPDATE OF closed_at ON app.users
  FOR EACH ROW WHEN (NEW.closed_at IS NOT NULL AND OLD.closed_at IS DISTINCT FROM NEW.closed_at)
  EXECUTE FUNCTION app.guard_closing();

-- Nobody logs in to a closed account.
CREATE FUNCTION app.guard_sessions() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (SELECT closed_at FROM app.users WHERE id = NEW.user_id FOR KEY SHARE) IS NOT NULL THEN
    RAISE EXCEPTION 'account % is closed', NEW.user_id USING ERRCODE = 'PB916';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER sessions_of_closed_refused BEFORE INSERT ON app.sessions
  FOR EACH ROW EXECUTE FUNCTION app.guard_sessions();
