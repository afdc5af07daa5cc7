import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '#tools/free-port.ts'
import { requireConnection } from './logins.ts'
import { migrate, pendingMigrations } from './migrate.ts'
import { openPool } from './pool.ts'

/** Debian's PostgreSQL in any version, if installed; it runs as a user other than root. */
const PROGRAMS = existsSync('/usr/lib/postgresql')
  ? readdirSync('/usr/lib/postgresql')
      .map(version => `/usr/lib/postgresql/${version}/bin`)
      .filter(folder => existsSync(join(folder, 'initdb')))
  : []
const serverUser = readFileSync('/etc/passwd', 'utf8')
  .split('\n')
  .map(line => line.split(':'))
  .find(([name]) => name === 'postgres')
const identity =
  process.getuid?.() === 0 && serverUser !== undefined
    ? { uid: Number(serverUser[2]), gid: Number(serverUser[3]) }
    : {}
const canRun = process.getuid?.() !== 0 || serverUser !== undefined

describe.runIf(canRun).each(PROGRAMS)('a PostgreSQL of the operator (%s)', programs => {
  let folder: string
  let port: number

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'probity-external-'))
    if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid)
    port = await freePort()
    const options = { ...identity, cwd: '/', stdio: 'ignore' } as const
    execFileSync(
      join(programs, 'initdb'),
      ['-D', join(folder, 'data'), '-A', 'trust', '-U', 'postgres'],
      options,
    )
    const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`
    const start = ['-D', join(folder, 'data'), '-o', settings, '-l', join(folder, 'log'), '-w', 'start']
    execFileSync(join(programs, 'pg_ctl'), start, options)
    await asSuperuser('CREATE ROLE firm LOGIN CREATEROLE', 'CREATE ROLE plain LOGIN')
  }, 120_000)

  afterAll(() => {
    const stop = ['-D', join(folder, 'data'), '-m', 'immediate', 'stop']
    execFileSync(join(programs, 'pg_ctl'), stop, { ...identity, cwd: '/', stdio: 'ignore' })
    rmSync(folder, { recursive: true, force: true })
  })

  const urlOf = (login: string, name: string) => `postgres://${login}@127.0.0.1:${port}/${name}`

  async function asSuperuser(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: urlOf('postgres', 'postgres') })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }

  test('a login without CREATEROLE learns what the administrator must do', async () => {
    await asSuperuser('CREATE DATABASE first OWNER plain')
    const url = urlOf('plain', 'first')
    await expect(migrate({ ownerUrl: url, appUrl: url })).rejects.toThrow(
      'the role probity_app is missing and plain may not create it: CREATE ROLE probity_app; GRANT probity_app TO plain',
    )
  })

  test('a single owning login migrates, and its sessions act as probity_app', async () => {
    await asSuperuser('CREATE DATABASE one OWNER firm')
    const url = urlOf('firm', 'one')
    await migrate({ ownerUrl: url, appUrl: url })
    const pool = openPool({ url, as: 'app', name: 'probity test' })
    await requireConnection(pool, 'DATABASE_URL', 'app')
    expect(await pendingMigrations(pool)).toEqual([])
    await expect(pool.query('DELETE FROM ledger.entries')).rejects.toThrow('permission denied')
    await pool.end()
  })

  test('two logins: the one of web and worker is only a member of probity_app', async () => {
    await asSuperuser('CREATE DATABASE two OWNER firm', 'CREATE ROLE web LOGIN', 'GRANT probity_app TO web')
    const appUrl = urlOf('web', 'two')
    await migrate({ ownerUrl: urlOf('firm', 'two'), appUrl })
    const pool = openPool({ url: appUrl, as: 'app', name: 'probity test' })
    await requireConnection(pool, 'DATABASE_URL', 'app')
    expect(await pendingMigrations(pool)).toEqual([])
    await pool.end()
  })

  test('a login that is no member of probity_app is refused, naming the variable', async () => {
    const pool = openPool({ url: urlOf('plain', 'two'), as: 'app', name: 'probity test' })
    await expect(requireConnection(pool, 'DATABASE_URL', 'app')).rejects.toThrow(
      /^DATABASE_URL: permission denied to set role "probity_app"/,
    )
    await pool.end()
  })
})
