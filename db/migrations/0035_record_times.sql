-- In a live firm's database, when an act happened is the time of the database: what has accrued, the sums of a day, the
-- waits of new addresses and which settings hold all rest on it (docs/decisions/0147-times-of-records.md). PB915 another time.
-- A demonstration loads a history, so it may say any time.

CREATE FUNCTION app.refuse_another_time() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM app.installation WHERE mode = 'live') THEN
    RAISE EXCEPTION 'a row of app.% says when it happened: now, by the database''s clock', TG_TABLE_NAME USING ERRCODE = 'PB915';
  END IF;
  RETURN NEW;
END
$$;

DO $$
DECLARE
  v_times jsonb := '{
    "deposits": ["created_at", "settled_at"],
    "investments": ["created_at", "approved_at", "closed_at", "declined_at", "maturity_notified_at"],
    "withdrawals": ["created_at", "approved_at", "paid_at"],
    "withdrawal_approvals": ["created_at"],
    "payout_addresses": ["created_at", "first_used_at", "removed_at"],
    "earnings": ["created_at", "paid_at"],
    "earning_runs": ["created_at", "ended_at"],
    "returns": ["created_at"],
    "proposals": ["created_at", "decided_at"],
    "setting_versions": ["created_at"],
    "audit_log": ["at"]
  }';
  -- The longest that an act may take from its time to the start of its transaction, and the most that a process's clock may be
  -- ahead (server/platform/clock.ts). An expression, since a function would be planned anew in each statement.
  v_another text := '(%1$s < now() - interval ''5 minutes'' OR %1$s > clock_timestamp() + interval ''1 minute'')';
  v_table text;
  v_new text;
  v_changed text;
BEGIN
  FOR v_table IN SELECT jsonb_object_keys(v_times) LOOP
    SELECT string_agg(format(v_another, format('NEW.%I', c)), ' OR '),
           string_agg(format('NEW.%1$I IS DISTINCT FROM OLD.%1$I AND ', c) || format(v_another, format('NEW.%I', c)), ' OR ')
      INTO v_new, v_changed
      FROM jsonb_array_elements_text(v_times -> v_table) c;
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT ON app.%I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION app.refuse_another_time()',
                   v_table || '_happen_now', v_table, v_new);
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE ON app.%I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION app.refuse_another_time()',
                   v_table || '_change_now', v_table, v_changed);
  END LOOP;
END
$$;
