import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach } from 'vitest'
import { isAlive, until, type Watched, watch } from './processes.ts'

/** For the tests of the embedded PostgreSQL: processes that start it, in a folder for each test. */

export const ROOT = join(import.meta.dirname, '../..')
/** The lines of /etc/passwd. */
export const passwd = () => readFileSync('/etc/passwd', 'utf8').split('\n')

/** A program that starts the embedded server, reports its process and address, and stops on SIGTERM. */
const PROGRAM = `
  const [sources, dataDir] = process.argv.slice(1)
  const { startEmbedded, embeddedUrl } = await import(sources + '/server/embedded/embedded.ts')
  try {
    const server = await startEmbedded(dataDir, { say: console.log, lost: error => console.log('LOST', error.message) })
    process.on('SIGTERM', () => server.stop())
    console.log('READY ' + embeddedUrl(dataDir, 'superuser') + ' ' + server.appUrl)
  } catch (error) {
    console.log('FAILED ' + error.exitCode + ' ' + error.message)
  }`

/** Where a test starts servers; created before each test, and removed with all its processes. */
export interface Place {
  folder: string
  /** Below `folder`; a test may choose another. */
  dataDir: string
  /** Starts the program, after the command `prefix`, optionally from a copy of the sources. */
  launch(prefix?: string[], sources?: string): Watched
  postmasterPid(): number | null
  /** Name (or number) of the user who runs the server. */
  serverUser(): string
}

export function testPlace(): Place {
  let started: Watched[] = []
  const place: Place = {
    folder: '',
    dataDir: '',
    launch: (prefix = [], sources = ROOT) => {
      const command = [
        ...prefix,
        process.execPath,
        '--input-type=module',
        '-e',
        PROGRAM,
        sources,
        place.dataDir,
      ]
      const watched = watch(command[0]!, command.slice(1), { cwd: sources })
      started.push(watched)
      return watched
    },
    postmasterPid: () => {
      const path = join(place.dataDir, 'postgres/data/postmaster.pid')
      return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : null
    },
    serverUser: () => {
      const { uid } = statSync(`/proc/${place.postmasterPid()}`)
      const line = passwd().find(entry => entry.split(':')[2] === String(uid))
      return line?.split(':')[0] ?? String(uid)
    },
  }
  beforeEach(() => {
    started = []
    place.folder = mkdtempSync(join(tmpdir(), 'probity-embedded-'))
    chmodSync(place.folder, 0o755)
    place.dataDir = join(place.folder, 'data')
  })
  afterEach(async () => {
    await stopAll(started, place.postmasterPid)
    const home = join(place.dataDir, 'postgres')
    if (existsSync(home)) rmSync(realpathSync(home), { recursive: true })
    rmSync(place.folder, { recursive: true, force: true })
  })
  return place
}

async function stopAll(started: Watched[], postmasterPid: () => number | null): Promise<void> {
  for (const { child, ended } of started) {
    child.kill('SIGTERM')
    await ended()
  }
  const pid = postmasterPid()
  if (pid === null) return
  if (isAlive(pid)) process.kill(pid, 'SIGQUIT')
  await until(() => !isAlive(pid))
}

/** The connection strings that the program printed. */
export async function ready(watched: Watched): Promise<{ superuserUrl: string; appUrl: string }> {
  const [, superuserUrl = '', appUrl = ''] = await watched.said(/^READY (\S+) (\S+)$/m)
  return { superuserUrl, appUrl }
}

/** First column of the first row. */
export async function ask<T>(url: string, sql: string): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0] as T
  } finally {
    await client.end()
  }
}

export const isRoot = process.getuid?.() === 0
/** Whether tests may mount; tests that must are skipped otherwise. */
export const canUnshare = isRoot && spawnSync('unshare', ['-m', 'true']).status === 0

/** Runs the following command in its own mount namespace, after `preparation` (shell). */
export function inNamespace(preparation: string): string[] {
  return ['unshare', '-m', 'sh', '-ec', `${preparation}; exec "$@"`, 'sh']
}
