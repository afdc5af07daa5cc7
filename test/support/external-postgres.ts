import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { type Binaries, usableBinaries } from '#server/embedded/binaries.ts'
import { serverUserFor, spawnAs } from '#server/embedded/server-user.ts'
import { freePort } from '#tools/free-port.ts'
import { selfSignedCertificate } from './certificate.ts'
import { atEnd } from './clean-up.ts'
import { type Watched, watch } from './processes.ts'

/** The logins of an installation (docs/operate.md). */
const OWNER = 'probity_owner'
const APP = 'probity_web'

/** An operator's PostgreSQL: a separate server, over TCP, with passwords and TLS, and nothing of ours in it. */
export type ExternalPostgres = {
  /** Connection strings of a new database; they demand the server's certificate. */
  newDatabase(name: string): Promise<{ appUrl: string; ownerUrl: string }>
  /** Runs a statement as the administrator. */
  administer(statement: string, database?: string): Promise<unknown[]>
  /** The administrator's connection string. */
  adminUrl(database: string): string
  /** Runs one of the server's programs as its user. */
  run(program: string, ...args: string[]): void
  /** A folder that the server's user owns. */
  readonly folder: string
  /** The data folder of the server. */
  readonly home: string
  /** Stops the server as systemd does, and starts it again at the same port. */
  stop(): Promise<void>
  start(): Promise<void>
}

export type ExternalOptions = {
  /** Other programs than the embedded ones: the folder of an operator's installation. */
  programs?: string
  /** Lines of postgresql.conf; `FOLDER` stands for `folder`. */
  settings?: string
  /** First lines of pg_hba.conf. */
  access?: string
}

/** @throws Error with the program's output */
function run(program: string, args: string[], options: ReturnType<typeof spawnAs>): void {
  const { status, stderr, error } = spawnSync(program, args, {
    ...options,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    encoding: 'utf8',
  })
  if (status !== 0) throw error ?? new Error(`${program}: ${stderr}`)
}

/** Starts one, by default from the embedded programs; it is removed at the end of the test file. */
export async function startExternalPostgres(options: ExternalOptions = {}): Promise<ExternalPostgres> {
  const user = serverUserFor(null)
  const folder = mkdtempSync(join(tmpdir(), 'probity-external-'))
  chmodSync(folder, 0o711)
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const programs = programsOf(options.programs) ?? usableBinaries(user, folder)
  const home = join(folder, 'server')
  const { key, certificate } = selfSignedCertificate()
  const certificateFile = join(folder, 'server.crt')
  writeFileSync(certificateFile, certificate)
  const keep = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 })
    if (user !== null) chownSync(join(folder, name), user.uid, user.gid)
    return join(folder, name)
  }
  const passwords = { postgres: newPassword(), [OWNER]: newPassword(), [APP]: newPassword() }
  const passwordFile = keep('password', passwords.postgres)
  const keyFile = keep('server.key', key)
  if (user !== null) chownSync(folder, user.uid, user.gid)
  run(
    programs.initdb,
    ['-D', home, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    spawnAs(user),
  )
  const port = await freePort()
  appendFileSync(
    join(home, 'postgresql.conf'),
    `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nfsync = off\nssl = on\n` +
      `ssl_cert_file = '${certificateFile}'\nssl_key_file = '${keyFile}'\n` +
      (options.settings ?? '').replaceAll('FOLDER', folder),
  )
  // Every login over TCP needs TLS and a password.
  const access = `${options.access ?? ''}hostssl all all 127.0.0.1/32 scram-sha-256\n`
  writeFileSync(join(home, 'pg_hba.conf'), access)
  const serve = async () => {
    const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
    const server = watch(programs.postgres, ['-D', home], { ...spawnAs(user), env })
    await server.said(/ready to accept connections/)
    return server
  }
  let running = await serve()
  // Immediate: the server does not wait for open connections.
  atEnd(() => end(running, 'SIGQUIT'))

  const urlOf = (login: keyof typeof passwords, database: string) =>
    `postgres://${login}:${passwords[login]}@localhost:${port}/${database}?sslmode=verify-full&sslrootcert=${certificateFile}`
  async function administer(statement: string, database = 'postgres'): Promise<unknown[]> {
    const client = new Client({ connectionString: urlOf('postgres', database) })
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }
  // As docs/operate.md says.
  await administer('CREATE ROLE probity_app NOLOGIN')
  await administer(`CREATE ROLE ${OWNER} LOGIN PASSWORD '${passwords[OWNER]}' IN ROLE probity_app`)
  await administer(`CREATE ROLE ${APP} LOGIN PASSWORD '${passwords[APP]}' IN ROLE probity_app`)
  return {
    folder,
    home,
    stop: () => end(running, 'SIGINT'),
    start: async () => {
      running = await serve()
    },
    administer,
    adminUrl: database => urlOf('postgres', database),
    run: (program, ...args) => run(join(dirname(programs.postgres), program), args, spawnAs(user)),
    newDatabase: async name => {
      await administer(`CREATE DATABASE ${name} OWNER ${OWNER}`)
      return { appUrl: urlOf(APP, name), ownerUrl: urlOf(OWNER, name) }
    },
  }
}

async function end(server: Watched, signal: NodeJS.Signals): Promise<void> {
  server.child.kill(signal)
  await server.ended()
}

function programsOf(folder: string | undefined): Binaries | undefined {
  return folder === undefined
    ? undefined
    : { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
}

function newPassword(): string {
  return randomBytes(18).toString('base64url')
}
