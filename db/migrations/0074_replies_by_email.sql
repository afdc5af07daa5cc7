-- Answers to our emails, taken into conversations (record 173). Each message once, however often the mailbox shows it: as what its
-- owner wrote, or as refused, and then they were told why.
CREATE TABLE app.received_replies (
  -- SHA-256 of the conversation, the message's Message-ID and its author.
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  message_id uuid NOT NULL REFERENCES app.contact_messages (id),
  -- NULL: it was refused.
  entry_id uuid UNIQUE REFERENCES app.contact_entries (id),
  received_at timestamptz NOT NULL
);
GRANT SELECT, INSERT ON app.received_replies TO probity_app;

CREATE FUNCTION app.guard_received_replies() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM app.contact_entries WHERE id = NEW.entry_id AND message_id = NEW.message_id AND kind = 'message'
  ) THEN
    RAISE EXCEPTION 'a reply by email is a message of its conversation' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER received_replies_of_conversation BEFORE INSERT ON app.received_replies
  FOR EACH ROW WHEN (NEW.entry_id IS NOT NULL) EXECUTE FUNCTION app.guard_received_replies();
CREATE TRIGGER received_replies_append_only BEFORE UPDATE OR DELETE ON app.received_replies
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER received_replies_happen_now BEFORE INSERT ON app.received_replies
  FOR EACH ROW WHEN (NEW.received_at < now() - interval '5 minutes' OR NEW.received_at > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();

-- When the mailbox was last read to its end; at first, when somebody began to.
CREATE TABLE app.reply_mailbox (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  read_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE (read_at) ON app.reply_mailbox TO probity_app;

-- Visitors answer by email, too: they have no account that could be the author. The guard of 0058 compares it with the
-- conversation's owner, who is nobody then.
ALTER TABLE app.contact_entries ALTER COLUMN created_by DROP NOT NULL;
ALTER TABLE app.contact_entries
  ADD CONSTRAINT contact_entries_author_known CHECK (created_by IS NOT NULL OR kind = 'message') NOT VALID;
