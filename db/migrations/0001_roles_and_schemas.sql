-- Roles and schemas.
--
-- The role that runs migrations (probity_owner in the embedded database) owns every object. Web and worker processes act as
-- probity_app, which gets what it needs and nothing else: a migration that adds a table or a function grants it.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'probity_app') THEN
    CREATE ROLE probity_app NOLOGIN;
    EXECUTE format('GRANT probity_app TO %I', current_user);
  ELSIF NOT pg_has_role(current_user, 'probity_app', 'MEMBER') THEN
    RAISE EXCEPTION 'the role probity_app exists, but % is not a member of it: GRANT probity_app TO %',
      current_user, quote_ident(current_user);
  END IF;
EXCEPTION
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role probity_app is missing and % may not create it: CREATE ROLE probity_app; GRANT probity_app TO %',
      current_user, quote_ident(current_user);
END
$$;

-- PostgreSQL lets everybody execute a new function; here nobody may.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- Everything except the books. Made by the migration runner, which keeps its own table there.
REVOKE ALL ON SCHEMA app FROM PUBLIC;
GRANT USAGE ON SCHEMA app TO probity_app;
GRANT SELECT ON app.migrations TO probity_app;

-- The books: readable, written only through the functions of this schema.
CREATE SCHEMA ledger;
REVOKE ALL ON SCHEMA ledger FROM PUBLIC;
GRANT USAGE ON SCHEMA ledger TO probity_app;

-- The job queue belongs to probity_app: its tables have row level security that only their owner passes, and its functions then
-- run without any right to the books. probity_app may not create schemas, so graphile-worker's first step (schema and
-- table of its own migrations, see dist/migrate.js there) is done here; the rest it does itself.
CREATE SCHEMA graphile_worker AUTHORIZATION probity_app;
SET LOCAL ROLE probity_app;
CREATE TABLE graphile_worker.migrations (
  id int PRIMARY KEY,
  ts timestamptz NOT NULL DEFAULT now(),
  breaking boolean NOT NULL DEFAULT false
);
RESET ROLE;
