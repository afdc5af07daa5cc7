-- What the console says about publishing the public log: what failed at the last try, and which copies there are.

CREATE TABLE app.proof_problems (
  part text PRIMARY KEY CHECK (part IN ('writing', 'signing', 'bucket', 'stamps')),
  problem text NOT NULL,
  -- Of the first try that failed; the row goes with the next one that succeeds.
  since timestamptz(3) NOT NULL
);

-- Folders and buckets that got all files up to an epoch.
CREATE TABLE app.proof_copies (
  -- A path on the machine that wrote it, or the bucket's address.
  place text PRIMARY KEY,
  epoch bigint NOT NULL REFERENCES ledger.epochs,
  copied_at timestamptz(3) NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON app.proof_problems TO probity_app;
GRANT SELECT, INSERT, UPDATE ON app.proof_copies TO probity_app;
