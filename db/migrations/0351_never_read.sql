-- Networks that could not be looked at even once: what the first look failed at, and since when all of them do. A row goes with the first
-- one that gets through, which makes the cursor.
CREATE TABLE app.chain_first_faults (
  method text PRIMARY KEY CHECK (method IN ('bitcoin', 'usdt', 'ethereum')),
  fault text NOT NULL,
  fault_since timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE (fault), DELETE ON app.chain_first_faults TO probity_app;
