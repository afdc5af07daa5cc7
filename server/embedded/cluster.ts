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
import { EXIT_CONFIG, StartupFault } from '#server/platform/startup-fault.ts'
import { type Binaries, embeddedMajorVersion, usableBinaries } from './binaries.ts'
import { canReach, type ServerUser, serverUserFor, spawnAs } from './server-user.ts'

/** Where root's cluster goes when the server user cannot reach DATA_DIR (a folder below /root, say). */
const SYSTEM_HOME = '/var/lib/probity'

/** Passwords of the cluster's three logins, made once with the cluster. */
export interface ClusterSecrets {
  readonly superuser: string
  readonly owner: string
  readonly app: string
}

/** An initialised cluster that is ready to be started. */
export interface Cluster {
  /** Folder that holds everything of the cluster: data, secrets, logs, the unix socket. */
  readonly home: string
  /** PGDATA. */
  readonly data: string
  readonly secrets: ClusterSecrets
  readonly user: ServerUser | null
  readonly binaries: Binaries
}

/**
 * Opens the cluster of DATA_DIR, making it if there is none. Making it is atomic: the cluster is initialised and given
 * its logins under another name, then renamed; of two processes that do so at once, one wins and both use that one.
 */
export function openCluster(dataDir: string, say: (line: string) => void): Cluster {
  prepareDataDir(dataDir)
  const home = join(dataDir, 'postgres')
  if (!existsSync(home)) initialise(dataDir, home, say)
  const real = realpathSync(home)
  const user = serverUserFor(real)
  const data = join(real, 'data')
  const secrets = readSecrets(real)
  requireSameMajor(data)
  return { home: real, data, secrets, user, binaries: usableBinaries(user, placeFor(user, dataDir)) }
}

/** Deletes the cluster of DATA_DIR for good. The server must have been stopped. */
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
    throw new StartupFault(
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
    const secrets = { superuser: newPassword(), owner: newPassword(), app: newPassword() }
    const binaries = usableBinaries(user, place)
    initdb(binaries, user, draft, secrets)
    createLogins(binaries, user, draft, secrets)
    writeFileSync(join(draft, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600, flush: true })
    publish(draft, place, dataDir, home, say)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Gives the finished cluster its name; does nothing when another process was first. */
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

/** A start that was killed while initialising leaves its draft behind. */
function removeAbandonedDrafts(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = /^\.postgres-(\d+)-/.exec(name)?.[1]
    if (pid === undefined || existsSync(`/proc/${pid}`) || process.platform !== 'linux') continue
    rmSync(join(place, name), { recursive: true, force: true })
  }
}

function initdb(binaries: Binaries, user: ServerUser | null, home: string, secrets: ClusterSecrets): void {
  const passwordFile = join(home, 'initdb-password')
  writeFileSync(passwordFile, secrets.superuser, { mode: 0o600 })
  if (user !== null) chownSync(passwordFile, user.uid, user.gid)
  // The builtin C.UTF-8 locale sorts the same on every machine, so an index survives an upgrade of the C library.
  const options = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  run(binaries.initdb, user, [
    ...['-D', join(home, 'data'), '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    ...options,
  ])
  rmSync(passwordFile)
}

/** Creates the two logins and the database with the server in single-user mode, before anybody can connect. */
function createLogins(
  binaries: Binaries,
  user: ServerUser | null,
  home: string,
  secrets: ClusterSecrets,
): void {
  const statements = [
    `CREATE ROLE probity_owner LOGIN PASSWORD '${secrets.owner}'`,
    `CREATE ROLE probity_app LOGIN PASSWORD '${secrets.app}'`,
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
  // In a process group of its own: Ctrl-C is ours to answer, when the cluster is complete.
  const options = { ...spawnAs(user), env: serverEnvironment(), detached: true }
  const result = spawnSync(program, args, { ...options, encoding: 'utf8', input })
  const said = `${result.stderr ?? ''}`.trim()
  if (result.status === 0 && !/\b(ERROR|FATAL|PANIC):/.test(said)) return
  // initdb's last words are that it tidies up; what went wrong stands above them.
  const lines = said.split('\n')
  const fault = lines.find(line => /error:|FATAL:|PANIC:|could not/.test(line)) ?? lines.at(-1)
  const reason =
    fault?.replace(/^.*(error|FATAL|PANIC): +/, '') ||
    result.error?.message ||
    `exit ${result.status ?? result.signal}`
  throw new StartupFault(`The embedded PostgreSQL could not be set up: ${reason}`)
}

/** A small, fixed environment: no PG* variable of the caller, and none of our secrets, reaches the server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

/** Writes the configuration anew at each start; `ALTER SYSTEM` (postgresql.auto.conf) still wins over it. */
export function writeConfiguration(cluster: Cluster): void {
  const files = { 'postgresql.conf': settings(cluster), 'pg_hba.conf': HOST_BASED_ACCESS }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cluster.data, name), text)
}

const HOST_BASED_ACCESS = `local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
local replication postgres scram-sha-256
`

/** Longest path of a unix socket, terminating zero excluded (sun_path in Linux' sys/un.h). */
const SOCKET_PATH_LIMIT = 107

/** The unix socket's folder, or null where its path would be too long; then there is loopback only. */
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

function readSecrets(home: string): ClusterSecrets {
  try {
    return JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')) as ClusterSecrets
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'not JSON'
    throw new StartupFault(
      `${home} cannot be used (${reason}): start Probity as the user who made it, or set DATA_DIR to another folder.`,
      EXIT_CONFIG,
      { cause },
    )
  }
}

function requireSameMajor(data: string): void {
  const made = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  const brought = embeddedMajorVersion()
  if (made === brought) return
  throw new StartupFault(
    `The database in ${data} was made by PostgreSQL ${made}, this release brings ${brought}. Upgrade it with pg_upgrade, or set DATABASE_URL.`,
    EXIT_CONFIG,
  )
}
