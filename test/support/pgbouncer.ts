import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import { serverUserFor, spawnAs } from '#server/embedded/server-user.ts'
import { freePort } from '#tools/free-port.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { findPgbouncer } from '#tools/pgbouncer.ts'
import { atEnd } from './clean-up.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { watch } from './processes.ts'
import { administer } from './temporary-postgres.ts'

/** Why tests that need PgBouncer cannot run; undefined if they can. */
export const withoutPgbouncer = missingNode(testNodes.pgbouncer)

/** What we deliver to operators. */
const delivered = join(import.meta.dirname, '../../deploy/pgbouncer/pgbouncer.ini')
const LOGIN = 'web'

type Settings = Record<string, string | number>

/** A database with a login as docs/operate.md has it, and the ways of that login. */
export type PooledDatabase = TestDatabase & {
  /** Connection string of the login to PostgreSQL itself. */
  directUrl: string
  /** Starts PgBouncer with the delivered configuration, until the end of the test file, and returns the login's way. */
  startPgbouncer(mode: 'transaction' | 'session' | 'statement', settings?: Settings): Promise<string>
}

export async function pooledDatabase(): Promise<PooledDatabase> {
  const database = await testDatabase()
  const login = `${LOGIN}_${randomBytes(6).toString('hex')}`
  const password = randomBytes(18).toString('base64url')
  const { superuserUrl } = inject('postgres')
  await administer(superuserUrl, `CREATE ROLE ${login} LOGIN PASSWORD '${password}' IN ROLE probity_app`)
  // What a connection had of its own, such as a temporary table, is gone once its process has ended.
  const end = `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = '${login}'`
  atEnd(() => administer(superuserUrl, end, `DROP ROLE ${login}`))
  const address = new URL(database.appUrl)
  const name = address.pathname.slice(1)
  const { rows } = await database.owner.query('SELECT inet_server_port() AS port')
  const serverPort = Number(rows[0]?.port ?? address.port)
  const urlAt = (port: number) => `postgres://${login}:${password}@127.0.0.1:${port}/${name}`
  return {
    ...database,
    directUrl: urlAt(serverPort),
    async startPgbouncer(mode, settings = {}) {
      const port = await freePort()
      const target = `host=127.0.0.1 port=${serverPort} dbname=${name}`
      const prepares = supportsPreparedStatements() && { max_prepared_statements: 250 }
      const changes = { listen_port: port, pool_mode: mode, unix_socket_dir: '', ...prepares, ...settings }
      const configuration = changed(
        readFileSync(delivered, 'utf8').replace(/^probity = .*$/m, `${name} = ${target}`),
        changes,
      )
      await start(configuration, `"${login}" "${password}"`)
      await reached(urlAt(port))
      return urlAt(port)
    },
  }
}

function changed(configuration: string, changes: Settings): string {
  const names = Object.keys(changes).join('|')
  const others = configuration.replace(new RegExp(`^;?(?:${names}) =.*\n`, 'gm'), '')
  const lines = Object.entries(changes).map(([name, value]) => `${name} = ${value}\n`)
  return others.replace('[pgbouncer]\n', `[pgbouncer]\n${lines.join('')}`)
}

async function start(configuration: string, logins: string): Promise<void> {
  // It refuses to run as root.
  const user = serverUserFor(null)
  const folder = mkdtempSync(join(tmpdir(), `probity-pgbouncer-${process.pid}-`))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o711)
  const keep = (name: string, content: string) => {
    const path = join(folder, name)
    writeFileSync(path, content, { mode: 0o600 })
    if (user !== null) chownSync(path, user.uid, user.gid)
    return path
  }
  const own = { auth_file: keep('userlist.txt', `${logins}\n`) }
  const file = keep('pgbouncer.ini', changed(configuration, own))
  const pooler = watch(findPgbouncer()!, [file], spawnAs(user))
  atEnd(async () => {
    pooler.child.kill('SIGKILL')
    await pooler.ended()
  })
  await pooler.said(/process up/)
}

/** @throws Error if PgBouncer or the login does not work */
async function reached(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.end()
}

/** True from 1.21 on: prepared statements work in transaction mode. */
export function supportsPreparedStatements(): boolean {
  const { stdout } = spawnSync(findPgbouncer()!, ['--version'], { encoding: 'utf8' })
  const [, major = '', minor = ''] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []
  return Number(major) > 1 || Number(minor) >= 21
}
