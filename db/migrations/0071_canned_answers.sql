-- Answers that staff keep for replies to messages. Placeholders in them are filled before a reply is sent, so that what was sent
-- never depends on this table: a wording can be changed and deleted.
CREATE TABLE app.canned_answers (
  id uuid PRIMARY KEY,
  title text NOT NULL CHECK (length(title) BETWEEN 1 AND 80),
  text text NOT NULL CHECK (length(text) BETWEEN 1 AND 5000),
  -- Counts its changes, so that nobody overwrites one that they have not seen.
  version integer NOT NULL CHECK (version > 0),
  changed_by uuid NOT NULL REFERENCES app.users (id),
  changed_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX canned_answers_title ON app.canned_answers (lower(title));
GRANT SELECT, INSERT, UPDATE (title, text, version, changed_by, changed_at), DELETE ON app.canned_answers TO probity_app;

CREATE FUNCTION app.guard_canned_answers() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'the versions of an answer count its changes' USING ERRCODE = 'PB920';
END
$$;
CREATE TRIGGER canned_answers_counted BEFORE UPDATE ON app.canned_answers
  FOR EACH ROW WHEN (NEW.version <> OLD.version + 1) EXECUTE FUNCTION app.guard_canned_answers();

CREATE TRIGGER canned_answers_changed_notify AFTER INSERT OR UPDATE OR DELETE ON app.canned_answers
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('messages');
