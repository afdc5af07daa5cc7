-- A frozen account can be read and have money released or reversed, and nothing else: nothing is requested, approved,
-- credited, closed or paid out (docs/decisions/0020-account-freeze.md). Every request and every decision about money is
-- a row of these tables.

-- A freeze locks the account's row FOR UPDATE, so it waits for every act in progress, which holds the row FOR KEY
-- SHARE. Acts that begin after the freeze see it.
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
GRANT EXECUTE ON FUNCTION app.require_unfrozen TO probity_app;

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
  END LOOP;
  -- Those of withdrawals follow with the lists of people (0076).
  FOREACH record IN ARRAY ARRAY['investments', 'earnings'] LOOP
    -- Releases stay possible: staff may decline a request.
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE OF status ON app.%I
                    FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status NOT IN (''declined'', ''unpaid''))
                    EXECUTE FUNCTION app.guard_frozen_row()', record || '_of_frozen_stay', record);
  END LOOP;
  -- Its owner cancels nothing.
  FOREACH record IN ARRAY ARRAY['deposits', 'investments', 'withdrawals'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE OF cancelled_by ON app.%I
                    FOR EACH ROW WHEN (NEW.cancelled_by IS NOT NULL)
                    EXECUTE FUNCTION app.guard_frozen_row()', record || '_of_frozen_kept', record);
  END LOOP;
END
$$;
-- A frozen account's credit can be reversed: the loss of its coins is a fact, not a decision. None is added (0026).
CREATE TRIGGER deposits_of_frozen_stay AFTER UPDATE OF status ON app.deposits
  FOR EACH ROW WHEN (
    OLD.status <> NEW.status AND NEW.status NOT IN ('declined', 'unpaid') AND NOT (OLD.status = 'paid' AND NEW.status = 'pending'))
  EXECUTE FUNCTION app.guard_frozen_row();

CREATE FUNCTION app.guard_frozen_approval() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM app.require_unfrozen(ARRAY(SELECT user_id FROM app.withdrawals WHERE id = NEW.withdrawal_id));
  RETURN NULL;
END
$$;
CREATE TRIGGER withdrawal_approvals_of_frozen_refused AFTER INSERT ON app.withdrawal_approvals
  FOR EACH ROW EXECUTE FUNCTION app.guard_frozen_approval();
