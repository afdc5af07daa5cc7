-- What was gone from its network and is sent again comes when it is sent again: the moment of its first sighting would keep the locked rate for it.
GRANT UPDATE (seen_at) ON app.chain_transfers TO probity_app;

-- Whoever has shortfalls is asked for with each approval of a withdrawal.
CREATE INDEX deposits_shortfalls ON app.deposits (user_id) WHERE shortfall_cents > 0;

-- One that was paid after it ended, and taken back, ends again.
DROP INDEX app.notifications_once;
CREATE UNIQUE INDEX notifications_once ON app.notifications (subject_id, kind)
  WHERE subject_id <> user_id AND kind NOT IN ('deposit.added', 'deposit.reversed', 'deposit.unpaid', 'deposit.declined');
