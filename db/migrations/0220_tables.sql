-- The console's tables sorted by their columns: each order of server/records/sorting.ts is an index, read in either direction.
-- What is equal in its column stands in the order of the ids, so a page starts exactly where the one before it ended. A list that is
-- narrowed to a status reads the index of the statuses backwards, the newest first; it replaces the one that said so outright.

CREATE INDEX users_by_time ON app.users (created_at, id);
CREATE INDEX users_by_name ON app.users (lower(name), id);
CREATE INDEX users_by_email ON app.users (email, id);
CREATE INDEX users_by_country ON app.users (lower(country), id);
CREATE INDEX users_by_type ON app.users (type, id);

DROP INDEX app.withdrawals_waiting;
CREATE INDEX withdrawals_by_status ON app.withdrawals (status, id);
CREATE INDEX withdrawals_by_time ON app.withdrawals (created_at, id);
CREATE INDEX withdrawals_by_amount ON app.withdrawals (amount_cents, id);
CREATE INDEX withdrawals_by_wallet ON app.withdrawals (wallet, id);

DROP INDEX app.investments_waiting;
CREATE INDEX investments_by_status ON app.investments (status, id);
CREATE INDEX investments_by_time ON app.investments (created_at, id);
CREATE INDEX investments_by_amount ON app.investments (amount_cents, id);
CREATE INDEX investments_by_method ON app.investments (method, id);
CREATE INDEX investments_by_ending ON app.investments (coalesce(ending_at, 'infinity'), id);
CREATE INDEX investments_by_plan ON app.investments (plan_version_id, id);

DROP INDEX app.earnings_newest;
CREATE INDEX earnings_by_status ON app.earnings (status, id);
CREATE INDEX earnings_by_time ON app.earnings (created_at, id);
CREATE INDEX earnings_by_amount ON app.earnings (amount_cents, id);

DROP INDEX app.deposits_waiting;
CREATE INDEX deposits_by_status ON app.deposits (status, id);
CREATE INDEX deposits_by_time ON app.deposits (created_at, id);
CREATE INDEX deposits_by_amount ON app.deposits (amount_cents, id);
CREATE INDEX deposits_by_method ON app.deposits (method, id);

CREATE INDEX returns_by_day ON app.returns (realised_on, id);
CREATE INDEX returns_by_amount ON app.returns (amount_cents, id);

CREATE INDEX contact_messages_by_time ON app.contact_messages (created_at, id);
CREATE INDEX contact_messages_by_name ON app.contact_messages (lower(name), id);
CREATE INDEX contact_messages_by_email ON app.contact_messages (email, id);

CREATE INDEX audit_log_by_time ON app.audit_log (at, id);
