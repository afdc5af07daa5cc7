-- What processes and open pages learn at once, by NOTIFY, when a transaction commits. PostgreSQL sends equal
-- notifications of one transaction once.

-- Channel session_revoked: every process refuses an ended session's access tokens from then on.
CREATE FUNCTION app.notify_revoked() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_notify('session_revoked', NEW.id::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER sessions_revoked_notify AFTER UPDATE OF revoked_at ON app.sessions
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION app.notify_revoked();

-- Channel settings_changed: processes drop their cached settings (server/staff/settings-queries.ts).
CREATE FUNCTION app.notify_settings_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_notify('settings_changed', row_to_json(NEW)::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER setting_versions_notify_processes AFTER INSERT ON app.setting_versions
  FOR EACH ROW EXECUTE FUNCTION app.notify_settings_changed();

-- Channel pages_changed: processes render the public pages again.
CREATE FUNCTION app.notify_pages_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  -- PostgreSQL sends equal notifications of one transaction once.
  PERFORM pg_notify('pages_changed', '');
  RETURN NULL;
END
$$;
CREATE TRIGGER plan_versions_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON app.plan_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();
CREATE TRIGGER firm_profiles_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON app.firm_profiles
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();
CREATE TRIGGER statistics_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON app.statistics
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();
CREATE TRIGGER invariant_runs_notify AFTER INSERT ON ledger.invariant_runs
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();
-- Pages show limits of withdrawals, and what is closed to newcomers.
CREATE TRIGGER setting_versions_notify_pages AFTER INSERT ON app.setting_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();

-- Channel changed, 'topic user user …': processes notify the open pages that a change concerns (server/http/live.ts).

-- Splits lists of many users: a notification holds 8000 bytes, some two hundred users.
CREATE FUNCTION app.notify_users(p_topic text, p_users uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  FOR i IN 1 .. coalesce(cardinality(p_users), 0) BY 200 LOOP
    PERFORM pg_notify('changed', p_topic || ' ' || array_to_string(p_users[i : i + 199], ' '));
  END LOOP;
END
$$;
GRANT EXECUTE ON FUNCTION app.notify_users TO probity_app;

-- One notification per statement, however many rows: under load, one statement writes many withdrawals.
CREATE FUNCTION app.notify_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM app.notify_users(TG_ARGV[0], ARRAY(SELECT user_id FROM changed));
  RETURN NULL;
END
$$;
DO $$
DECLARE
  topic text;
BEGIN
  FOREACH topic IN ARRAY ARRAY['deposits', 'investments', 'withdrawals', 'earnings', 'notifications'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON app.%I REFERENCING NEW TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed(%L)', topic || '_added_notify', topic, topic);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON app.%I REFERENCING NEW TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed(%L)', topic || '_changed_notify', topic, topic);
  END LOOP;
  FOREACH topic IN ARRAY ARRAY['second_factors', 'recovery_codes', 'passkeys'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON app.%I REFERENCING NEW TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed(''security'')', topic || '_added_notify', topic);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON app.%I REFERENCING NEW TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed(''security'')', topic || '_changed_notify', topic);
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON app.%I REFERENCING OLD TABLE AS changed
                    FOR EACH STATEMENT EXECUTE FUNCTION app.notify_changed(''security'')', topic || '_removed_notify', topic);
  END LOOP;
END
$$;

CREATE FUNCTION app.notify_user_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_notify('changed', 'users ' || NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER users_added_notify AFTER INSERT ON app.users
  FOR EACH ROW EXECUTE FUNCTION app.notify_user_changed();
CREATE TRIGGER users_changed_notify
  AFTER UPDATE OF type, role, access_ended_at, name, email, phone, country, email_verified_at, pending_email ON app.users
  FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION app.notify_user_changed();
CREATE TRIGGER users_frozen_notify AFTER UPDATE OF frozen_at ON app.users
  FOR EACH ROW WHEN (OLD.frozen_at IS DISTINCT FROM NEW.frozen_at) EXECUTE FUNCTION app.notify_user_changed();

-- Logins, ended sessions, and the address book.
CREATE FUNCTION app.notify_security_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_notify('changed', 'security ' || NEW.user_id);
  RETURN NULL;
END
$$;
CREATE TRIGGER sessions_added_notify AFTER INSERT ON app.sessions
  FOR EACH ROW EXECUTE FUNCTION app.notify_security_changed();
CREATE TRIGGER sessions_ended_notify AFTER UPDATE OF revoked_at ON app.sessions
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at) EXECUTE FUNCTION app.notify_security_changed();
CREATE TRIGGER payout_addresses_added_notify AFTER INSERT ON app.payout_addresses
  FOR EACH ROW EXECUTE FUNCTION app.notify_security_changed();
CREATE TRIGGER payout_addresses_changed_notify AFTER UPDATE OF label, first_used_at, removed_at ON app.payout_addresses
  FOR EACH ROW EXECUTE FUNCTION app.notify_security_changed();

-- Lists that belong to no single user.
CREATE FUNCTION app.notify_list_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_notify('changed', TG_ARGV[0]);
  RETURN NULL;
END
$$;
CREATE TRIGGER returns_changed_notify AFTER INSERT OR UPDATE ON app.returns
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('returns');
CREATE TRIGGER earning_runs_changed_notify AFTER INSERT OR UPDATE ON app.earning_runs
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('earnings');
CREATE TRIGGER plan_versions_changed_notify AFTER INSERT OR UPDATE ON app.plan_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('plans');
CREATE TRIGGER contact_messages_added_notify AFTER INSERT ON app.contact_messages
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('messages');
CREATE TRIGGER contact_messages_changed_notify AFTER UPDATE ON app.contact_messages
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('messages');
CREATE TRIGGER contact_entries_notify AFTER INSERT ON app.contact_entries
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('messages');
CREATE TRIGGER firm_profiles_changed_notify AFTER INSERT ON app.firm_profiles
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('firm');
CREATE TRIGGER statistics_changed_notify AFTER INSERT OR UPDATE ON app.statistics
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('firm');
CREATE TRIGGER staff_invitations_notify AFTER INSERT OR UPDATE ON app.staff_invitations
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('staff');
CREATE TRIGGER proposals_notify AFTER INSERT OR UPDATE ON app.proposals
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('staff');
CREATE TRIGGER setting_versions_notify AFTER INSERT ON app.setting_versions
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('staff');
CREATE TRIGGER payout_batches_notify AFTER INSERT OR UPDATE ON app.payout_batches
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('payouts');
CREATE TRIGGER payout_files_notify AFTER UPDATE ON app.payout_files
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('payouts');
CREATE TRIGGER payout_payments_notify AFTER UPDATE ON app.payout_payments
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('payouts');
CREATE TRIGGER chain_spends_notify AFTER UPDATE OF told_at, reviewed_at, confirmed_at, dropped_at ON app.chain_spends
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('payouts');
CREATE TRIGGER payout_drafts_notify AFTER UPDATE ON app.payout_drafts
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('payouts');
CREATE TRIGGER payout_items_notify AFTER UPDATE ON app.payout_items
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('payouts');
CREATE TRIGGER holding_readings_notify AFTER INSERT OR UPDATE ON app.holding_readings
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('sweeps');
CREATE TRIGGER payout_batches_notify_sweeps AFTER INSERT OR UPDATE ON app.payout_batches
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('sweeps');

-- Each block adds to the confirmations on open pages. A deposit with all its confirmations waits for something else, so
-- its page is not notified.
CREATE FUNCTION app.notify_confirmations() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM app.notify_users('deposits', ARRAY(
    SELECT DISTINCT a.user_id
      FROM app.chain_transfers t
      JOIN app.payment_addresses a ON a.rail = t.rail AND app.address_key(a.address) = t.address
     WHERE t.rail = NEW.rail AND t.block_height > OLD.synced_height - NEW.confirmations
       AND t.credited_units < t.units AND t.ignored_reason IS NULL AND t.receiving AND a.deposit_id IS NOT NULL));
  IF EXISTS (SELECT FROM app.payout_batches WHERE rail = NEW.rail AND status = 'broadcast') THEN
    PERFORM pg_notify('changed', 'payouts');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER chain_cursors_notify AFTER UPDATE OF synced_height ON app.chain_cursors
  FOR EACH ROW WHEN (OLD.synced_height <> NEW.synced_height) EXECUTE FUNCTION app.notify_confirmations();
