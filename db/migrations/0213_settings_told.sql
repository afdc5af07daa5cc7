-- Processes keep the settings in force at hand and hear of each change (server/records/settings.ts).
CREATE FUNCTION app.tell_settings_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_notify('settings_changed', json_build_object(
    'version', NEW.version, 'changedAt', NEW.created_at, 'largeWithdrawalCents', NEW.large_withdrawal_cents::text,
    'earningsSecondApproval', NEW.earnings_second_approval)::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER setting_versions_heard AFTER INSERT ON app.setting_versions
  FOR EACH ROW EXECUTE FUNCTION app.tell_settings_changed();
