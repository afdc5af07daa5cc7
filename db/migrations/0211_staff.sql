-- Staff: how somebody comes to a role and loses it, and what needs two admins.

-- From then on nobody logs in to the account. It stays: what its owner did is in the log.
ALTER TABLE app.users ADD COLUMN access_ended_at timestamptz CHECK (access_ended_at IS NULL OR type = 'admin');
CREATE INDEX users_staff ON app.users (id) WHERE type = 'admin';

-- Logins of an account, the newest first.
CREATE INDEX audit_log_logins ON app.audit_log (actor_id, id DESC) WHERE action = 'login';

-- A link by which somebody becomes staff, once; only its hash is kept. Without an inviter: by the command of the operator.
CREATE TABLE app.staff_invitations (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  name text NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL CHECK (role IN ('admin', 'finance', 'support', 'auditor')),
  invited_by uuid REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  withdrawn_at timestamptz,
  CHECK (accepted_at IS NULL OR withdrawn_at IS NULL)
);
CREATE UNIQUE INDEX staff_invitations_open ON app.staff_invitations (email)
  WHERE accepted_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX staff_invitations_by ON app.staff_invitations (invited_by) WHERE accepted_at IS NULL AND withdrawn_at IS NULL;
GRANT SELECT, INSERT, UPDATE (accepted_at, withdrawn_at) ON app.staff_invitations TO probity_app;

-- What one admin proposes and another one decides.
CREATE TABLE app.proposals (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('settings', 'second_factors', 'invitation', 'role')),
  -- Whose account it is about, where it is about one.
  user_id uuid REFERENCES app.users (id),
  content jsonb NOT NULL,
  reason text NOT NULL CHECK (reason <> ''),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected', 'withdrawn')),
  proposed_by uuid NOT NULL REFERENCES app.users (id),
  created_at timestamptz NOT NULL,
  decided_by uuid REFERENCES app.users (id),
  decided_at timestamptz,
  decision_reason text,
  CHECK ((status = 'pending') = (decided_at IS NULL)),
  -- Whatever the application does: nobody approves what he has proposed, or what is about himself.
  CHECK (status <> 'approved' OR (decided_by <> proposed_by AND decided_by IS DISTINCT FROM user_id)),
  CHECK (status <> 'approved' OR decided_by IS NOT NULL)
);
-- One at a time about the same thing.
CREATE UNIQUE INDEX proposals_open ON app.proposals
  (kind, coalesce(user_id, '00000000-0000-0000-0000-000000000000'), (content ->> 'email')) NULLS NOT DISTINCT
  WHERE status = 'pending';
CREATE INDEX proposals_by ON app.proposals (proposed_by) WHERE status = 'pending';
GRANT SELECT, INSERT, UPDATE (status, decided_by, decided_at, decision_reason) ON app.proposals TO probity_app;

-- What was decided stays as it was decided.
CREATE FUNCTION app.guard_proposals() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF OLD.status <> 'pending' THEN
    RAISE EXCEPTION 'a proposal that was decided cannot be changed' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER proposals_decided_once BEFORE UPDATE ON app.proposals
  FOR EACH ROW EXECUTE FUNCTION app.guard_proposals();

-- Open consoles hear of all of it.
CREATE TRIGGER staff_invitations_told AFTER INSERT OR UPDATE ON app.staff_invitations
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('staff');
CREATE TRIGGER proposals_told AFTER INSERT OR UPDATE ON app.proposals
  FOR EACH STATEMENT EXECUTE FUNCTION app.tell_list_changed('staff');

DROP TRIGGER users_changed_told ON app.users;
CREATE TRIGGER users_changed_told
  AFTER UPDATE OF type, role, access_ended_at, name, email, phone, country, email_verified_at, pending_email ON app.users
  FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION app.tell_user_changed();
