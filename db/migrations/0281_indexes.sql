-- What of a plan's investments are active is asked for in two ways: which, in the order of their ids (earnings for a whole plan),
-- and how many and how much (the console's plans and their versions). One index answers both, without the table.
DROP INDEX app.investments_active_of_plan;
DROP INDEX app.investments_active_by_plan;
CREATE INDEX investments_active_of_plan ON app.investments (plan_version_id, id) INCLUDE (amount_cents) WHERE status = 'active';
