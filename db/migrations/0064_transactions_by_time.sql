CREATE INDEX CONCURRENTLY transactions_by_time ON ledger.transactions USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on);
