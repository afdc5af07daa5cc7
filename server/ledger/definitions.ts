import type { ClientBase } from 'pg'

/**
 * What guards the books, object by object: functions, triggers, constraints, tables, views, indexes, privileges and the
 * rows of the rules, each with a hash of its definition.
 */
export type Definitions = {
  /** PostgreSQL's major version, which decides how it spells definitions. */
  readonly postgres: number
  /** Hash by name, 32 hexadecimal digits: the beginning of a SHA-256. */
  readonly objects: Readonly<Record<string, string>>
}

const QUERY = `
WITH RECURSIVE schemas AS (SELECT oid, nspname, nspowner FROM pg_namespace WHERE nspname IN ('app', 'ledger')),
-- The application's role, the login of this session unless it owns the schemas, and the roles that they can become.
acting AS (
  SELECT oid AS role FROM pg_roles
   WHERE rolname = 'probity_app' OR rolname = session_user AND oid NOT IN (SELECT nspowner FROM schemas)
  UNION
  SELECT m.roleid FROM pg_auth_members m JOIN acting ON m.member = acting.role
), tables AS (
  SELECT c.*, s.nspname || '.' || c.relname AS name FROM pg_class c JOIN schemas s ON s.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f')
), definition (name, text) AS (
  SELECT 'function ' || s.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
         concat_ws(' ', pg_get_functiondef(p.oid), pg_has_role('probity_app', p.proowner, 'MEMBER'))
    FROM pg_proc p JOIN schemas s ON s.oid = p.pronamespace
   WHERE p.prokind <> 'a'
  UNION ALL
  SELECT 'trigger ' || g.tgname || ' on ' || t.name, g.tgenabled::text || ' ' || pg_get_triggerdef(g.oid)
    FROM pg_trigger g JOIN tables t ON t.oid = g.tgrelid
   WHERE NOT g.tgisinternal
  UNION ALL
  SELECT 'constraint ' || k.conname || ' on ' || t.name,
         concat_ws(' ', pg_get_constraintdef(k.oid), k.convalidated,
                   -- Foreign keys are triggers of both tables.
                   (SELECT bool_and(tgenabled = 'O') FROM pg_trigger WHERE tgconstraint = k.oid AND tgisinternal))
    FROM pg_constraint k JOIN tables t ON t.oid = k.conrelid
   -- Columns say whether they may be null, in every version.
   WHERE k.contype <> 'n'
  UNION ALL
  SELECT 'index ' || i.relname || ' on ' || t.name, concat_ws(' ', pg_get_indexdef(x.indexrelid), x.indisvalid, x.indimmediate)
    FROM pg_index x JOIN tables t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
  UNION ALL
  SELECT CASE t.relkind WHEN 'v' THEN 'view ' ELSE 'table ' END || t.name,
         concat_ws(' ', t.relkind, t.relpersistence, t.relrowsecurity, t.relreplident, pg_has_role('probity_app', t.relowner, 'MEMBER'),
                   CASE t.relkind WHEN 'v' THEN pg_get_viewdef(t.oid) END,
                   (SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
                                                a.attgenerated, pg_get_expr(d.adbin, d.adrelid)), ', ' ORDER BY a.attnum)
                      FROM pg_attribute a LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
                     WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped))
    FROM tables t
  UNION ALL
  SELECT 'rule ' || r.rulename || ' on ' || t.name, pg_get_ruledef(r.oid)
    FROM pg_rewrite r JOIN tables t ON t.oid = r.ev_class
   WHERE r.rulename <> '_RETURN'
  UNION ALL
  SELECT 'policy ' || p.polname || ' on ' || t.name, pg_get_expr(p.polqual, p.polrelid)
    FROM pg_policy p JOIN tables t ON t.oid = p.polrelid
  UNION ALL
  -- With 'replica', as a default of the database or the role, no trigger runs.
  SELECT 'setting session_replication_role', current_setting('session_replication_role')
  UNION ALL
  -- What everybody but the owner may do. A release grants nothing to others than probity_app and PUBLIC.
  SELECT 'privileges ' || CASE WHEN a.grantee NOT IN (0, 'probity_app'::regrole) THEN 'of ' || pg_get_userbyid(a.grantee) || ' ' ELSE '' END
           || 'on ' || o.name,
         string_agg(concat_ws(' ', a.privilege_type, a.is_grantable, a.grantee = 0), ', ' ORDER BY a.privilege_type, a.grantee = 0)
    FROM (SELECT 'schema ' || nspname AS name, nspowner AS owner, coalesce(nspacl, acldefault('n', nspowner)) AS acl FROM pg_namespace
           WHERE nspname IN ('app', 'ledger')
          UNION ALL
          SELECT s.nspname || '.' || c.relname, c.relowner, coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))
            FROM pg_class c JOIN schemas s ON s.oid = c.relnamespace WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S')
          UNION ALL
          SELECT t.name || '.' || c.attname, t.relowner, c.attacl FROM pg_attribute c JOIN tables t ON t.oid = c.attrelid WHERE c.attacl IS NOT NULL
          UNION ALL
          SELECT s.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', p.proowner,
                 coalesce(p.proacl, acldefault('f', p.proowner))
            FROM pg_proc p JOIN schemas s ON s.oid = p.pronamespace) o,
         LATERAL aclexplode(o.acl) a
   WHERE a.grantee <> o.owner
   GROUP BY 1
  UNION ALL
  -- Whom the application can become, if that role can change anything here; in a release, nobody.
  SELECT 'acting as ' || r.rolname, 'possible'
    FROM pg_roles r JOIN acting ON acting.role = r.oid
   WHERE r.rolname <> 'probity_app'
     AND (r.rolsuper OR r.rolcreaterole OR r.rolreplication OR r.rolbypassrls
          OR r.oid IN (SELECT nspowner FROM schemas UNION SELECT relowner FROM tables
                       UNION SELECT p.proowner FROM pg_proc p JOIN schemas s ON s.oid = p.pronamespace)
          OR starts_with(r.rolname, 'pg_')
             AND r.rolname NOT IN ('pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables'))
  UNION ALL
  -- A child's rows are also the parent's, past its guards.
  SELECT 'inheritance of ' || i.inhrelid::regclass || ' from ' || i.inhparent::regclass, i.inhseqno::text
    FROM pg_inherits i
   WHERE i.inhrelid IN (SELECT oid FROM tables) OR i.inhparent IN (SELECT oid FROM tables)
  UNION ALL
  SELECT 'role probity_app', concat_ws(' ', rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
           (SELECT bool_or(pg_has_role('probity_app', relowner, 'MEMBER')) FROM tables),
           pg_has_role('probity_app', 'pg_write_all_data', 'MEMBER'),
           pg_has_role('probity_app', 'pg_execute_server_program', 'MEMBER'),
           pg_has_role('probity_app', 'pg_write_server_files', 'MEMBER'))
    FROM pg_roles WHERE rolname = 'probity_app'
  UNION ALL
  SELECT 'posting rule ' || concat_ws(' ', event, from_kind, to_kind), to_jsonb(r)::text FROM ledger.posting_rules r
  UNION ALL
  SELECT 'account kind ' || kind, to_jsonb(k)::text FROM ledger.account_kinds k
  UNION ALL
  SELECT 'asset ' || code, to_jsonb(a)::text FROM ledger.assets a
)
SELECT name, left(encode(sha256(convert_to(coalesce(text, ''), 'UTF8')), 'hex'), 32) AS hash FROM definition ORDER BY name`

/**
 * Reads the definitions of a database; the same on every installation of a release.
 * @param client in a transaction, which searches no schema afterwards, so that names are written with theirs
 */
export async function readDefinitions(client: ClientBase): Promise<Definitions> {
  await client.query('SET LOCAL search_path = pg_catalog')
  const { rows: versions } = await client.query<{ major: number }>(
    "SELECT current_setting('server_version_num')::int / 10000 AS major",
  )
  const { rows } = await client.query<{ name: string; hash: string }>(QUERY)
  return {
    postgres: versions[0]!.major,
    objects: Object.fromEntries(rows.map(({ name, hash }) => [name, hash])),
  }
}
