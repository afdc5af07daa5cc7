-- What the firm says of itself, managed in the console: each change of its profile, its figures and its plans is a new version
-- with who, when and why, and no version is ever changed; and the way of a contact message to its answer.

-- A version is of the mode that it was made in: nothing that a demonstration says is ever a live firm's.
ALTER TABLE app.firm_profiles
  ADD COLUMN mode text NOT NULL DEFAULT 'demo' CHECK (mode IN ('demo', 'live')),
  -- Why; null on the first version, which nobody has written in the console.
  ADD COLUMN reason text;
ALTER TABLE app.firm_profiles ALTER COLUMN mode DROP DEFAULT;
-- Without gaps: a version is the one before plus one.
ALTER TABLE app.firm_profiles ALTER COLUMN version DROP IDENTITY;
ALTER TABLE app.firm_profiles DROP CONSTRAINT firm_profiles_pkey;
ALTER TABLE app.firm_profiles ADD PRIMARY KEY (mode, version);
UPDATE app.firm_profiles SET profile = profile || '{"phones": []}';
REVOKE UPDATE ON app.firm_profiles FROM probity_app;

-- A figure, version by version. The one on show is current; of a figure that was taken off the site none is.
ALTER TABLE app.statistics
  ADD COLUMN statistic_id uuid,
  ADD COLUMN version integer NOT NULL DEFAULT 1 CHECK (version > 0),
  ADD COLUMN current boolean NOT NULL DEFAULT true,
  ADD COLUMN change text NOT NULL DEFAULT 'created' CHECK (change IN ('created', 'changed', 'retired', 'restored')),
  -- By which a claim can be checked: a link or a reference.
  ADD COLUMN evidence text,
  ADD COLUMN reason text,
  ADD COLUMN mode text NOT NULL DEFAULT 'demo' CHECK (mode IN ('demo', 'live')),
  ADD COLUMN created_by uuid REFERENCES app.users (id),
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
UPDATE app.statistics
   SET statistic_id = id,
       mode = CASE kind WHEN 'claim' THEN 'live' ELSE 'demo' END,
       evidence = CASE kind WHEN 'claim' THEN source END;
ALTER TABLE app.statistics
  ALTER COLUMN statistic_id SET NOT NULL,
  ALTER COLUMN mode DROP DEFAULT,
  ADD CHECK (kind <> 'claim' OR evidence <> ''),
  ADD CHECK (kind <> 'sample' OR mode = 'demo'),
  ADD UNIQUE (statistic_id, version);
CREATE UNIQUE INDEX statistics_current ON app.statistics (statistic_id) WHERE current;
CREATE UNIQUE INDEX statistics_current_label ON app.statistics (mode, lower(label)) WHERE current;
REVOKE UPDATE ON app.statistics FROM probity_app;
GRANT UPDATE (current, position) ON app.statistics TO probity_app;

-- Of a plan that was retired no version is current, and nobody can invest in it.
ALTER TABLE app.plan_versions
  ADD COLUMN change text NOT NULL DEFAULT 'created' CHECK (change IN ('created', 'changed', 'retired', 'restored')),
  ADD COLUMN reason text;
UPDATE app.plan_versions SET change = 'changed' WHERE version > 1;
REVOKE UPDATE ON app.plan_versions FROM probity_app;
GRANT UPDATE (current, position) ON app.plan_versions TO probity_app;
-- How many active investments hold a version, and how much is in them.
CREATE INDEX investments_active_by_plan ON app.investments (plan_version_id) INCLUDE (amount_cents) WHERE status = 'active';

ALTER TABLE app.contact_messages
  ADD COLUMN answered_at timestamptz,
  ADD COLUMN answered_by uuid REFERENCES app.users (id),
  ADD CHECK ((answered_at IS NULL) = (answered_by IS NULL));
CREATE INDEX contact_messages_open ON app.contact_messages (id DESC) WHERE answered_at IS NULL;
GRANT UPDATE (answered_at, answered_by) ON app.contact_messages TO probity_app;

-- What was done with a message: the replies that were mailed, notes about it, and why it was opened again.
CREATE TABLE app.contact_entries (
  id uuid PRIMARY KEY,
  message_id uuid NOT NULL REFERENCES app.contact_messages (id),
  kind text NOT NULL CHECK (kind IN ('reply', 'note', 'reopened')),
  text text NOT NULL CHECK (text <> ''),
  created_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL
);
CREATE INDEX contact_entries_of_message ON app.contact_entries (message_id, id);
GRANT SELECT, INSERT ON app.contact_entries TO probity_app;

CREATE TRIGGER contact_messages_changed_told AFTER UPDATE ON app.contact_messages
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('messages');
CREATE TRIGGER contact_entries_told AFTER INSERT ON app.contact_entries
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('messages');
CREATE TRIGGER firm_profiles_changed_told AFTER INSERT ON app.firm_profiles
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('firm');
CREATE TRIGGER statistics_changed_told AFTER INSERT OR UPDATE ON app.statistics
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('firm');

-- What somebody has done.
CREATE INDEX audit_log_actor ON app.audit_log (actor_id, id DESC);
