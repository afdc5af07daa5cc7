-- Roles and schemas. The role that runs migrations (probity_owner in the embedded database) owns every object. Web and
-- worker processes act as probity_app: each migration grants it what it needs and nothing else.

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

-- By default PostgreSQL lets every role execute a new function.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- Everything except the books. The migration runner creates this schema and keeps its own table in it.
REVOKE ALL ON SCHEMA app FROM PUBLIC;
GRANT USAGE ON SCHEMA app TO probity_app;
GRANT SELECT ON app.migrations TO probity_app;

-- The books: readable, and written only through the functions of this schema.
CREATE SCHEMA ledger;
REVOKE ALL ON SCHEMA ledger FROM PUBLIC;
GRANT USAGE ON SCHEMA ledger TO probity_app;

-- probity_app owns the job queue: its tables have row level security that only their owner passes, and its functions
-- must not run with rights to the books. As probity_app may not create schemas, this does graphile-worker's first step
-- (see its dist/migrate.js); the library does the rest.
CREATE SCHEMA graphile_worker AUTHORIZATION probity_app;
SET LOCAL ROLE probity_app;
CREATE TABLE graphile_worker.migrations (
  id int PRIMARY KEY,
  ts timestamptz NOT NULL DEFAULT now(),
  breaking boolean NOT NULL DEFAULT false
);
RESET ROLE;
