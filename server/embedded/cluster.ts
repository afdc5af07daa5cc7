import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { prepareDataDir } from '#server/platform/data-dir.ts'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { type Binaries, embeddedMajorVersion, usableBinaries } from './binaries.ts'
import { canReach, type ServerUser, serverUserFor, spawnAs } from './server-user.ts'

/** Root's cluster is here if the server user cannot reach DATA_DIR (a folder below /root, for example). */
const SYSTEM_HOME = '/var/lib/probity'

/** The cluster's logins. Each password has its own file, so that a process reads only the one that it needs. */
export const clusterLogins = {
  app: { user: 'probity_app', database: 'probity' },
  owner: { user: 'probity_owner', database: 'probity' },
  superuser: { user: 'postgres', database: 'postgres' },
} as const
export type ClusterLogin = keyof typeof clusterLogins

/** An initialised cluster. */
export interface Cluster {
  /** Folder of the cluster's data, secrets, logs and unix socket. */
  readonly home: string
  /** PGDATA. */
  readonly data: string
  readonly user: ServerUser | null
  readonly binaries: Binaries
}

/**
 * Opens the cluster of DATA_DIR, creating it if necessary. Creation is atomic: the cluster is initialised under another
 * name and then renamed, so of two processes one wins and both use its cluster.
 */
export function openCluster(dataDir: string, say: (line: string) => void): Cluster {
  prepareDataDir(dataDir)
  const home = join(dataDir, 'postgres')
  if (!existsSync(home)) initialise(dataDir, home, say)
  const real = realpathSync(home)
  const user = serverUserFor(real)
  const data = join(real, 'data')
  // Says of another user's cluster what to do.
  passwordOf({ home: real }, 'app')
  requireSameMajor(data)
  return { home: real, data, user, binaries: usableBinaries(user, placeFor(user, dataDir)) }
}

/** Deletes the cluster of DATA_DIR for good. Stop the server before. */
export function deleteCluster(dataDir: string): void {
  const home = join(dataDir, 'postgres')
  if (!existsSync(home)) return
  rmSync(realpathSync(home), { recursive: true, force: true })
  rmSync(home, { force: true, recursive: true })
}

function placeFor(user: ServerUser | null, dataDir: string): string {
  if (canReach(user, dataDir)) return dataDir
  mkdirSync(SYSTEM_HOME, { recursive: true })
  if (!canReach(user, SYSTEM_HOME)) {
    throw new StartupError(
      `PostgreSQL runs as '${user?.name}' here, who can reach neither ${dataDir} nor ${SYSTEM_HOME}. Set DATA_DIR to a folder that it can reach.`,
      EXIT_CONFIG,
    )
  }
  return SYSTEM_HOME
}

function initialise(dataDir: string, home: string, say: (line: string) => void): void {
  const user = serverUserFor(null)
  const place = placeFor(user, dataDir)
  removeAbandonedDrafts(place)
  const draft = mkdtempSync(join(place, `.postgres-${process.pid}-`))
  try {
    if (user !== null) chownSync(draft, user.uid, user.gid)
    const passwords = { superuser: newPassword(), owner: newPassword(), app: newPassword() }
    const binaries = usableBinaries(user, place)
    initdb(binaries, user, draft, passwords.superuser)
    createLogins(binaries, user, draft, passwords)
    for (const [login, password] of Object.entries(passwords)) {
      writeFileSync(passwordFile(draft, login as ClusterLogin), password, { mode: 0o600, flush: true })
    }
    publish(draft, place, dataDir, home, say)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Renames the finished cluster; does nothing if another process was first. */
function publish(
  draft: string,
  place: string,
  dataDir: string,
  home: string,
  say: (line: string) => void,
): void {
  try {
    if (place === dataDir) {
      renameSync(draft, home)
      return
    }
    const elsewhere = join(place, `postgres-${randomBytes(6).toString('hex')}`)
    renameSync(draft, elsewhere)
    try {
      symlinkSync(elsewhere, home)
      say(`The database is kept in ${elsewhere}, because its user cannot reach ${dataDir}`)
    } catch (error) {
      rmSync(elsewhere, { recursive: true, force: true })
      throw error
    }
  } catch (error) {
    if (!existsSync(home)) throw error
  }
}

/** A killed initialisation leaves its draft behind. */
function removeAbandonedDrafts(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = /^\.postgres-(\d+)-/.exec(name)?.[1]
    if (pid === undefined || existsSync(`/proc/${pid}`) || process.platform !== 'linux') continue
    rmSync(join(place, name), { recursive: true, force: true })
  }
}

function initdb(binaries: Binaries, user: ServerUser | null, home: string, password: string): void {
  const file = join(home, 'initdb-password')
  writeFileSync(file, password, { mode: 0o600 })
  if (user !== null) chownSync(file, user.uid, user.gid)
  // The builtin C.UTF-8 locale sorts the same on every machine, so an index survives an upgrade of the C library.
  const options = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  run(binaries.initdb, user, [
    ...['-D', join(home, 'data'), '-U', 'postgres', `--pwfile=${file}`, '--auth=scram-sha-256'],
    ...options,
  ])
  rmSync(file)
}

/** Creates the two logins and the database in single-user mode, before anyone can connect. */
function createLogins(
  binaries: Binaries,
  user: ServerUser | null,
  home: string,
  passwords: Record<'owner' | 'app', string>,
): void {
  const statements = [
    `CREATE ROLE probity_owner LOGIN PASSWORD '${passwords.owner}'`,
    `CREATE ROLE probity_app LOGIN PASSWORD '${passwords.app}'`,
    'GRANT probity_app TO probity_owner',
    'CREATE DATABASE probity OWNER probity_owner',
  ]
  run(
    binaries.postgres,
    user,
    ['--single', '-D', join(home, 'data'), 'postgres'],
    `${statements.join('\n')}\n`,
  )
}

function run(program: string, user: ServerUser | null, args: string[], input?: string): void {
  // In its own process group: we handle Ctrl-C once the cluster is complete.
  const options = { ...spawnAs(user), env: serverEnvironment(), detached: true }
  const result = spawnSync(program, args, { ...options, encoding: 'utf8', input })
  const said = `${result.stderr ?? ''}`.trim()
  if (result.status === 0 && !/\b(ERROR|FATAL|PANIC):/.test(said)) return
  // initdb's last lines report its clean-up; the error is above them.
  const lines = said.split('\n')
  const errorLine = lines.find(line => /error:|FATAL:|PANIC:|could not/.test(line)) ?? lines.at(-1)
  const reason =
    errorLine?.replace(/^.*(error|FATAL|PANIC): +/, '') ||
    result.error?.message ||
    `exit ${result.status ?? result.signal}`
  throw new StartupError(`The embedded PostgreSQL could not be set up: ${reason}`)
}

/** A small, fixed environment: the server gets neither the caller's PG* variables nor our secrets. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

/** Writes the configuration at each start; `ALTER SYSTEM` (postgresql.auto.conf) still overrides it. */
export function writeConfiguration(cluster: Cluster): void {
  const files = { 'postgresql.conf': settings(cluster), 'pg_hba.conf': HOST_BASED_ACCESS }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cluster.data, name), text)
}

const HOST_BASED_ACCESS = `local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
local replication postgres scram-sha-256
`

/** Maximum path length of a unix socket without its terminating zero (sun_path in Linux's sys/un.h). */
const SOCKET_PATH_LIMIT = 107

/** The unix socket's folder, or null if its path would be too long; then only loopback is used. */
export function socketFolder(cluster: Cluster): string | null {
  return join(cluster.home, '.s.PGSQL.65535').length <= SOCKET_PATH_LIMIT ? cluster.home : null
}

function settings(cluster: Cluster): string {
  const megabytes = Math.floor(totalmem() / 2 ** 20)
  const sharedBuffers = Math.min(1024, Math.max(128, Math.floor(megabytes / 8)))
  return `# Written by Probity at each start. Use ALTER SYSTEM to change a setting.
listen_addresses = '127.0.0.1'
unix_socket_directories = '${(socketFolder(cluster) ?? '').replaceAll("'", "''")}'
max_connections = 400
shared_buffers = ${sharedBuffers}MB
effective_cache_size = ${Math.floor(megabytes / 2)}MB
maintenance_work_mem = 128MB
work_mem = 8MB
random_page_cost = 1.1
jit = off
# Every acknowledged commit is on disk.
fsync = on
full_page_writes = on
synchronous_commit = on
wal_level = replica
wal_compression = on
min_wal_size = 128MB
max_wal_size = 1GB
checkpoint_timeout = 15min
password_encryption = 'scram-sha-256'
timezone = 'UTC'
log_timezone = 'UTC'
# A week of logs and no more. Terse: the details of an error can carry personal data.
logging_collector = on
log_directory = '${cluster.home.replaceAll("'", "''")}/log'
log_filename = 'postgresql-%a.log'
log_rotation_age = 1d
log_rotation_size = 0
log_truncate_on_rotation = on
log_error_verbosity = terse
log_line_prefix = '%m [%p] %q%u@%d %a '
log_checkpoints = off
`
}

function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

function passwordFile(home: string, login: ClusterLogin): string {
  return join(home, `${login}-password`)
}

/** @throws StartupError if it cannot be read */
export function passwordOf({ home }: Pick<Cluster, 'home'>, login: ClusterLogin): string {
  try {
    return readFileSync(passwordFile(home, login), 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new StartupError(
      `${home} cannot be used (${code}): start Probity as the user who made it, or set DATA_DIR to another folder.`,
      EXIT_CONFIG,
      { cause },
    )
  }
}

function requireSameMajor(data: string): void {
  const made = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  const brought = embeddedMajorVersion()
  if (made === brought) return
  throw new StartupError(
    `The database in ${data} was made by PostgreSQL ${made}, this release brings ${brought}. Upgrade it with pg_upgrade, or set DATABASE_URL.`,
    EXIT_CONFIG,
  )
}
