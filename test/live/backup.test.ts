import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { atEnd } from '#test/support/clean-up.ts'
import { type ExternalPostgres, startExternalPostgres } from '#test/support/external-postgres.ts'
import { watch } from '#test/support/processes.ts'
import { MAIN } from '#tools/product-build.ts'

/**
 * The dump of docs/operate.md, done with an operator's own PostgreSQL programs. The restored books pass the product's
 * hourly check.
 */
const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS = existsSync('/usr/lib/postgresql')
  ? readdirSync('/usr/lib/postgresql')
      .map(version => `/usr/lib/postgresql/${version}/bin`)
      .filter(folder => ['initdb', 'pg_dump', 'pg_restore'].every(name => existsSync(join(folder, name))))
  : []

/** All the books, and the rights to them. */
const FINGERPRINT = `
  SELECT (SELECT count(*) FROM ledger.entries) AS entries,
         (SELECT md5(string_agg(e::text, '' ORDER BY e::text)) FROM ledger.entries e) AS books,
         (SELECT md5(string_agg(l::text, '' ORDER BY l::text)) FROM app.audit_log l) AS log,
         (SELECT md5(string_agg(concat_ws(' ', grantee, table_schema, table_name, privilege_type), ',' ORDER BY grantee, table_schema, table_name, privilege_type))
            FROM information_schema.role_table_grants
           WHERE table_schema IN ('app', 'ledger') AND grantee LIKE 'probity%') AS rights`

// Machines without them skip this file, by name.
const onEach = PROGRAMS.length > 0 ? describe.each(PROGRAMS) : describe.skip.each(['none on this machine'])
onEach('a PostgreSQL of the operator (%s)', programs => {
  let postgres: ExternalPostgres
  let folder: string
  let urls: Awaited<ReturnType<ExternalPostgres['newDatabase']>>
  let dump: string
  /** The dump. */
  let books: unknown

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'probity-backup-'))
    chmodSync(folder, 0o777)
    atEnd(() => rmSync(folder, { recursive: true, force: true }))
    postgres = await startExternalPostgres({ programs })
    urls = await postgres.newDatabase('probity')
    // The demonstration's books: a year of activity through the product's own services.
    const migration = run([MAIN, 'migrate'], urls.appUrl, { DATABASE_OWNER_URL: urls.ownerUrl })
    if ((await migration.ended()) !== 0) throw new Error(migration.output())
    books = await postgres.administer(FINGERPRINT, 'probity')
    dump = join(folder, 'probity.dump')
    postgres.run('pg_dump', '--format=custom', `--file=${dump}`, urls.ownerUrl)
  }, 180_000)

  function run(args: string[], databaseUrl: string, more: NodeJS.ProcessEnv = {}) {
    const env = { PATH: process.env.PATH, DATA_DIR: folder, DATABASE_URL: databaseUrl, ...more }
    return watch(process.execPath, args, { cwd: ROOT, env })
  }

  async function expectBooksInOrder(databaseUrl: string) {
    const check = run(['tools/run.mjs', '--as-is', 'tools/ledger-check.ts'], databaseUrl)
    const code = await check.ended()
    expect(check.output()).toContain('The books are in order')
    expect(code).toBe(0)
  }

  const onDatabase = (url: string, name: string) => url.replace('/probity?', `/${name}?`)

  test('[V-06] a dump restored into an empty database has the same books and rights', async () => {
    await postgres.administer('CREATE DATABASE restored OWNER probity_owner')
    const into = `--dbname=${postgres.adminUrl('restored')}`
    postgres.run('pg_restore', '--exit-on-error', '--single-transaction', into, dump)
    expect(await postgres.administer(FINGERPRINT, 'restored')).toEqual(books)
    await expectBooksInOrder(onDatabase(urls.appUrl, 'restored'))
    await expect(postgres.administer('DELETE FROM ledger.entries', 'restored')).rejects.toThrow(/append/)
  }, 120_000)

  test('[V-06] the check finds a change made behind the ledger, in a restored dump', async () => {
    await postgres.administer('CREATE DATABASE changed OWNER probity_owner')
    postgres.run('pg_restore', '--exit-on-error', `--dbname=${postgres.adminUrl('changed')}`, dump)
    await postgres.administer(
      `SET session_replication_role = replica;
       UPDATE ledger.accounts SET balance = balance + 1 WHERE id =
         (SELECT id FROM ledger.accounts WHERE balance > 0 ORDER BY id LIMIT 1)`,
      'changed',
    )
    const check = run(
      ['tools/run.mjs', '--as-is', 'tools/ledger-check.ts'],
      onDatabase(urls.appUrl, 'changed'),
    )
    expect(await check.ended()).toBe(1)
    expect(check.output()).toContain('The books are NOT in order')
  }, 120_000)
})
