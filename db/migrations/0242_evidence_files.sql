-- Evidence of recorded returns as files. They are in the database: every process on it has them, they are in its back-ups, and
-- they come and go in the transaction of what they prove (record 21). Their content never changes: UPDATE is granted to nobody.
CREATE TABLE app.evidence_files (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  type text NOT NULL CHECK (type IN ('application/pdf', 'image/png')),
  content bytea NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 5242880),
  sha256 bytea NOT NULL CHECK (sha256 = sha256(content)),
  uploaded_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL
);
-- Both formats are compressed already, and are read as a whole.
ALTER TABLE app.evidence_files ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX evidence_files_oldest ON app.evidence_files (created_at);

-- One that proves a return stays as long as that does, by its foreign key; it proves no other.
ALTER TABLE app.returns
  ADD COLUMN evidence_file uuid UNIQUE REFERENCES app.evidence_files (id),
  DROP CONSTRAINT returns_evidence_kind_check,
  ADD CONSTRAINT returns_evidence_kind_check CHECK (evidence_kind IN ('link', 'transaction', 'file')),
  ADD CONSTRAINT returns_evidence_file_check CHECK ((evidence_kind = 'file') = (evidence_file IS NOT NULL));

-- Whom a return has paid may see what proves it.
CREATE INDEX earning_sources_of_return ON app.earning_sources (return_id, earning_id);

GRANT SELECT, INSERT, DELETE ON app.evidence_files TO probity_app;
