import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { PassingError, StartupError } from '#server/platform/startup-error.ts'
import { type Cluster, passwordOf, serverEnvironment, writeConfiguration } from './cluster.ts'
import { spawnAs } from './server-user.ts'

/** Content of postmaster.pid, in the format of PostgreSQL's src/include/utils/pidfile.h. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly status: 'starting' | 'ready' | 'stopping'
}

const POLL_MS = 10
/** Recovery replays the log since the last checkpoint, at most max_wal_size, which takes far less. */
const START_LIMIT_MS = 120_000

/** The server that holds this cluster, started by any process, or null. */
export function runningPostmaster(cluster: Cluster): Postmaster | null {
  const lines = pidFileLines(cluster)
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 1 || !servesCluster(pid, cluster)) return null
  const status = lines[7]?.trim()
  return {
    pid,
    port: Number(lines[3]),
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  }
}

/** What keeps a server from starting only until a killed one's sessions have ended, or another process's has started. */
const PASSING = /pre-existing shared memory block|lock file "|could not create any TCP\/IP sockets/

/**
 * Starts a server unless another process did. Returns once it is ready, or if another process turns out to hold the
 * cluster.
 * @param wantedPort the port that this process's connections already use, after a loss
 * @throws StartupError; PassingError if a later try can succeed
 */
export async function startPostmaster(cluster: Cluster, wantedPort: number | null): Promise<void> {
  const lock = await lockStart(cluster)
  try {
    if (runningPostmaster(cluster) === null) await launchPostmaster(cluster, wantedPort)
  } finally {
    lock?.close()
  }
}

/**
 * Of two processes that start servers, one could remove the other's new lock file with the killed server's. The system
 * frees an abstract socket with its process, so nothing is left to remove.
 * @throws PassingError if another process holds it
 */
async function lockStart(cluster: Cluster): Promise<Server | null> {
  if (process.platform !== 'linux') return null
  // Nobody else's process can take a name that it cannot know. Serving processes read no other login's password.
  const name = createHash('sha256').update(passwordOf(cluster, 'app')).digest('hex')
  const lock = createServer().listen(`\0probity-start-${name}`)
  try {
    await once(lock, 'listening')
  } catch (cause) {
    throw new PassingError('Another process is starting the embedded PostgreSQL', { cause })
  }
  return lock
}

/** In its own process group, so that Ctrl-C in a terminal reaches only us. */
async function launchPostmaster(cluster: Cluster, wantedPort: number | null): Promise<void> {
  endOrphans(cluster)
  removeForeignLockFiles(cluster)
  writeConfiguration(cluster)
  const log = startupLog(cluster)
  const port = wantedPort ?? (await freePort())
  const output = openSync(log, 'w', 0o600)
  if (cluster.user !== null) chownSync(log, cluster.user.uid, cluster.user.gid)
  const child = spawn(cluster.binaries.postgres, ['-D', cluster.data, '-p', String(port)], {
    ...spawnAs(cluster.user),
    env: serverEnvironment(),
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  let ended: string | null = null
  child.on('exit', (code, signal) => {
    ended = `exit ${code ?? signal}`
  })
  child.on('error', error => {
    ended = error.message
  })
  child.unref()
  await readyOrEnded(cluster, () => (ended === null ? null : (lastWords(cluster, child.pid) ?? ended)))
}

/**
 * Stops the server and waits for its process to end.
 * @param signal SIGINT ends the sessions and writes everything; SIGQUIT leaves the recovery to the next start
 */
export async function stopPostmaster(
  cluster: Cluster,
  postmaster: Postmaster,
  signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT',
): Promise<void> {
  process.kill(postmaster.pid, signal)
  const deadline = performance.now() + START_LIMIT_MS
  // It removes its lock file a moment before it ends, and loses its arguments before the system has ended it.
  while (servesCluster(postmaster.pid, cluster) || isEnding(postmaster.pid)) {
    if (performance.now() > deadline)
      throw new StartupError(`PostgreSQL (process ${postmaster.pid}) does not stop`)
    await delay(POLL_MS)
  }
}

/** @param whyEnded null while it runs */
async function readyOrEnded(cluster: Cluster, whyEnded: () => string | null): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS
  while (runningPostmaster(cluster)?.status !== 'ready') {
    const reason = whyEnded()
    // Another process was quicker; the caller connects to its server.
    if (reason !== null && runningPostmaster(cluster) !== null) return
    if (reason !== null) {
      const Kind = PASSING.test(reason) ? PassingError : StartupError
      throw new Kind(`The embedded PostgreSQL did not start: ${reason}`)
    }
    if (performance.now() > deadline) {
      throw new StartupError(
        `The embedded PostgreSQL was not ready within ${START_LIMIT_MS / 1000} s; see ${cluster.home}/log`,
      )
    }
    await delay(POLL_MS)
  }
}

/** The error that ended a server: of its start, or in its log (`log_filename`), where each line has the process. */
function lastWords(cluster: Cluster, pid: number | undefined): string | null {
  const isError = (line: string) => /FATAL|PANIC|error while loading/.test(line)
  const atStart = readFileSync(startupLog(cluster), 'utf8').split('\n').findLast(isError)
  if (atStart !== undefined) return atStart
  const today = new Date().toLocaleDateString('en-US', { weekday: 'short', timeZone: 'UTC' })
  const log = join(cluster.home, 'log', `postgresql-${today}.log`)
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
  return lines.findLast(line => line.includes(` [${pid}] `) && isError(line)) ?? null
}

function startupLog(cluster: Cluster): string {
  const folder = join(cluster.home, 'log')
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (cluster.user !== null) chownSync(folder, cluster.user.uid, cluster.user.gid)
  }
  return join(folder, 'startup.log')
}

function pidFilePath(cluster: Cluster): string {
  return join(cluster.data, 'postmaster.pid')
}

function pidFileLines(cluster: Cluster): string[] {
  try {
    return readFileSync(pidFilePath(cluster), 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** After a kill or reboot, another process may have this id; the postmaster's arguments name its data folder. */
function servesCluster(pid: number, cluster: Cluster): boolean {
  if (process.platform === 'linux') return commandLine(pid).includes(cluster.data)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether the system is still freeing a process's memory: it has no arguments, but is not a zombie yet. */
function isEnding(pid: number): boolean {
  try {
    return (
      commandLine(pid).join('') === '' &&
      !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    )
  } catch {
    return false
  }
}

/** A process's arguments; none if it has ended or is a zombie. */
function commandLine(pid: number | string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** Every server process works in its data folder; if we cannot read it, a PostgreSQL process counts as ours. */
function worksInCluster(pid: string, cluster: Cluster): boolean {
  const folder = folderOf(pid)
  return folder === null ? /^postgres\b|\/postgres$/.test(commandLine(pid)[0] ?? '') : folder === cluster.data
}

/** Where a process works; null if we may not know, or it has ended. */
function folderOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

/**
 * After kill -9, PostgreSQL refuses to start if another program, or a zombie, has the id in the leftover lock files.
 * Removes them only if that process is not ours and no process works in the cluster; otherwise PostgreSQL decides.
 */
function removeForeignLockFiles(cluster: Cluster): void {
  const left = pidFileLines(cluster)
  if (process.platform !== 'linux' || left.length === 0) return
  const inUse = readdirSync('/proc').some(name => /^\d+$/.test(name) && worksInCluster(name, cluster))
  // Another process may have started a server meanwhile.
  if (inUse || pidFileLines(cluster)[0] !== left[0]) return
  rmSync(join(cluster.home, `.s.PGSQL.${left[3]}.lock`), { force: true })
  rmSync(pidFilePath(cluster), { force: true })
}

/**
 * Sessions of a killed server hold its shared memory, and PostgreSQL starts no other one meanwhile. Most notice its
 * death; one that computes may go on for as long as its statement lasts. SIGQUIT is what the server itself sends them
 * when one of them crashes.
 */
function endOrphans(cluster: Cluster): void {
  if (process.platform !== 'linux') return
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name) && folderOf(name) === cluster.data)
  for (const pid of pids) {
    // A server's own command line begins with the program's path; its sessions' is a title.
    const isSession = commandLine(pid)[0]?.startsWith('postgres: ')
    if (isSession && !pids.includes(parentOf(pid))) end(Number(pid))
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Empty once the process has ended. */
function parentOf(pid: string): string {
  try {
    return /^\d+ \(.*\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}

/** A port that is free. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  return port
}
