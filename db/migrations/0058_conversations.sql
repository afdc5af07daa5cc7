-- Conversations with the firm. A message of the contact form is one of a person without an account, whom we answer by
-- email; an investor's has an owner, who reads it on the dashboard. Both are rows of contact_messages (record 156).
ALTER TABLE app.contact_messages
  ADD COLUMN user_id uuid,
  -- The record it is about, which is its owner's.
  ADD COLUMN about_kind text,
  ADD COLUMN about_id uuid,
  -- When its owner last wrote after the first message, when we last replied, and when its owner last read it.
  ADD COLUMN written_at timestamptz,
  ADD COLUMN replied_at timestamptz,
  ADD COLUMN read_at timestamptz,
  ADD COLUMN closed_at timestamptz,
  -- The member of staff who takes care of it.
  ADD COLUMN assigned_to uuid;
ALTER TABLE app.contact_messages
  ADD CONSTRAINT contact_messages_owner FOREIGN KEY (user_id) REFERENCES app.users (id) NOT VALID,
  ADD CONSTRAINT contact_messages_assigned FOREIGN KEY (assigned_to) REFERENCES app.users (id) NOT VALID,
  ADD CONSTRAINT contact_messages_about CHECK (
    (about_kind IS NULL) = (about_id IS NULL) AND (about_kind IS NULL OR user_id IS NOT NULL)) NOT VALID,
  ADD CONSTRAINT contact_messages_about_kind CHECK (about_kind IN ('deposit', 'investment', 'withdrawal', 'earning')) NOT VALID;
GRANT UPDATE (written_at, replied_at, read_at, closed_at, assigned_to) ON app.contact_messages TO probity_app;

-- What followed: the owner's further messages, our replies, and what only staff read.
ALTER TABLE app.contact_entries DROP CONSTRAINT contact_entries_kind_check;
ALTER TABLE app.contact_entries
  ADD CONSTRAINT contact_entries_kind CHECK (kind IN ('message', 'reply', 'note', 'comment', 'reopened', 'closed')) NOT VALID;

-- Staff who may care for people, as shared/roles.ts says (test/hostile/rules.test.ts compares them).
CREATE VIEW app.carers AS
SELECT id FROM app.users WHERE type = 'admin' AND role IN ('admin', 'support', 'compliance') AND access_ended_at IS NULL;
GRANT SELECT ON app.carers TO probity_app;

-- These guards stop mistakes and narrow what a stolen login can do. They do not stop it from naming an owner or a member
-- of staff as the author.
CREATE FUNCTION app.guard_contact_entries() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NEW.kind <> 'message' THEN
    IF NOT EXISTS (SELECT FROM app.carers WHERE id = NEW.created_by) THEN
      RAISE EXCEPTION 'a % is by staff who may answer', NEW.kind USING ERRCODE = 'PB920';
    END IF;
    RETURN NEW;
  END IF;
  IF NEW.created_by IS DISTINCT FROM (SELECT user_id FROM app.contact_messages WHERE id = NEW.message_id) THEN
    RAISE EXCEPTION 'a message of a conversation is its owner''s' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER contact_entries_author BEFORE INSERT ON app.contact_entries
  FOR EACH ROW EXECUTE FUNCTION app.guard_contact_entries();

CREATE FUNCTION app.guard_contact_about() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  v_owner uuid;
BEGIN
  SELECT user_id INTO v_owner FROM (
    SELECT user_id FROM app.deposits WHERE NEW.about_kind = 'deposit' AND id = NEW.about_id
    UNION ALL SELECT user_id FROM app.investments WHERE NEW.about_kind = 'investment' AND id = NEW.about_id
    UNION ALL SELECT user_id FROM app.withdrawals WHERE NEW.about_kind = 'withdrawal' AND id = NEW.about_id
    UNION ALL SELECT user_id FROM app.earnings WHERE NEW.about_kind = 'earning' AND id = NEW.about_id) AS records;
  IF v_owner IS DISTINCT FROM NEW.user_id THEN
    RAISE EXCEPTION 'a conversation is about its owner''s records' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER contact_messages_about_own BEFORE INSERT ON app.contact_messages
  FOR EACH ROW WHEN (NEW.about_id IS NOT NULL) EXECUTE FUNCTION app.guard_contact_about();

-- Files that people send with their messages, as those of evidence (0021). Their content never changes.
CREATE TABLE app.contact_files (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  type text NOT NULL CHECK (type IN ('application/pdf', 'image/png', 'image/jpeg')),
  content bytea NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 5242880),
  sha256 bytea NOT NULL CHECK (sha256 = sha256(content)),
  uploaded_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL
);
ALTER TABLE app.contact_files ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX contact_files_oldest ON app.contact_files (created_at);
CREATE INDEX contact_files_of_uploader ON app.contact_files (uploaded_by);
GRANT SELECT, INSERT, DELETE ON app.contact_files TO probity_app;

-- The foreign key keeps a file as long as its conversation; a file belongs to one.
CREATE TABLE app.contact_attachments (
  file_id uuid PRIMARY KEY REFERENCES app.contact_files (id),
  message_id uuid NOT NULL REFERENCES app.contact_messages (id),
  -- NULL: it came with the first message.
  entry_id uuid REFERENCES app.contact_entries (id)
);
CREATE INDEX contact_attachments_of_message ON app.contact_attachments (message_id);
CREATE INDEX contact_attachments_of_entry ON app.contact_attachments (entry_id) WHERE entry_id IS NOT NULL;

-- The author of an entry, or the owner of the first message, uploaded its files.
CREATE FUNCTION app.guard_contact_attachments() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  v_author uuid;
BEGIN
  IF NEW.entry_id IS NULL THEN
    SELECT user_id INTO v_author FROM app.contact_messages WHERE id = NEW.message_id;
  ELSE
    SELECT created_by INTO v_author FROM app.contact_entries WHERE id = NEW.entry_id AND message_id = NEW.message_id;
  END IF;
  IF v_author IS NULL OR v_author IS DISTINCT FROM (SELECT uploaded_by FROM app.contact_files WHERE id = NEW.file_id) THEN
    RAISE EXCEPTION 'a file of a conversation is its author''s' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER contact_attachments_author BEFORE INSERT ON app.contact_attachments
  FOR EACH ROW EXECUTE FUNCTION app.guard_contact_attachments();
GRANT SELECT, INSERT ON app.contact_attachments TO probity_app;

-- A conversation's changes concern its owner too.
CREATE FUNCTION app.notify_conversation_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM app.notify_users('messages', ARRAY(SELECT DISTINCT user_id FROM changed WHERE user_id IS NOT NULL));
  RETURN NULL;
END
$$;
CREATE TRIGGER contact_messages_owner_added_notify AFTER INSERT ON app.contact_messages REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_conversation_changed();
CREATE TRIGGER contact_messages_owner_changed_notify AFTER UPDATE ON app.contact_messages REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_conversation_changed();
