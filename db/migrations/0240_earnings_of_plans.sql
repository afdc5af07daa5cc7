-- Earnings for a whole plan look for its active investments, version by version, in the order of their ids.
CREATE INDEX investments_active_of_plan ON app.investments (plan_version_id, id) WHERE status = 'active';
