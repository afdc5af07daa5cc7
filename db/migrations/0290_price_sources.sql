-- How each price source answers (record 26): all workers share it, and it outlives them. What the sources say of the coins is in
-- price_readings.
CREATE TABLE app.price_sources (
  source text PRIMARY KEY,
  -- When it was asked last: whoever asks writes this first, and nobody else asks it for a while.
  asked_at timestamptz NOT NULL,
  -- When it last had a reading.
  answered_at timestamptz,
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  -- It is left alone until then; null while it is asked as ever.
  rest_until timestamptz,
  -- What was wrong the last time that something was.
  fault text CHECK (length(fault) BETWEEN 1 AND 500),
  fault_at timestamptz,
  -- The coins whose reading lay too far from the others' when it was looked at last: a change is logged once.
  rejected text[] NOT NULL DEFAULT '{}',
  CONSTRAINT price_sources_fault_at_check CHECK ((fault IS NULL) = (fault_at IS NULL))
);
GRANT SELECT, INSERT, UPDATE ON app.price_sources TO probity_app;
