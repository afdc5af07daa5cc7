import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { ask, canUnshare, inNamespace, isRoot, ready, testPlace } from '#test/support/launcher.ts'
import { isAlive, until, type Watched } from '#test/support/processes.ts'
import { deleteEmbedded } from './embedded.ts'

const place = testPlace()

/** The same, but through 127.0.0.1. */
function loopback(url: string): string {
  return url.split('?')[0] ?? url
}

function withPassword(url: string, password: string): string {
  const changed = new URL(url)
  changed.password = password
  return changed.href
}

describe('embedded PostgreSQL', () => {
  test('listens only on a socket and loopback, with password, and syncs every commit', async () => {
    const { superuserUrl, appUrl } = await ready(place.launch())
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

  test('committed data survives a restart, and the server stops in between', async () => {
    const first = place.launch()
    const { superuserUrl } = await ready(first)
    await ask(superuserUrl, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const pid = place.postmasterPid()
    first.child.kill('SIGTERM')
    expect(await first.ended()).toBe(0)
    expect(isAlive(pid!)).toBe(false)
    const again = await ready(place.launch())
    expect(await ask(again.superuserUrl, 'SELECT answer FROM kept')).toBe(42)
  })

  test('PG* variables of the environment change nothing', async () => {
    const { appUrl } = await ready(
      place.launch(['env', 'PGDATA=/nowhere', 'PGPORT=1', 'PGUSER=x', 'PGOPTIONS=-c fsync=off']),
    )
    expect(await ask(appUrl, 'SHOW fsync')).toBe('on')
  })
})

describe('a server that outlived its process', () => {
  test('after kill -9 of node the next start attaches to the server with its data', async () => {
    const first = place.launch()
    const { superuserUrl } = await ready(first)
    await ask(superuserUrl, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const orphan = place.postmasterPid()!
    first.child.kill('SIGKILL')
    await first.ended()
    expect(isAlive(orphan)).toBe(true)
    const second = place.launch()
    const again = await ready(second)
    expect(place.postmasterPid()).toBe(orphan)
    expect(await ask(again.superuserUrl, 'SELECT answer FROM kept')).toBe(42)
    second.child.kill('SIGTERM')
    await second.ended()
    expect(isAlive(orphan)).toBe(false)
  })

  test.runIf(isRoot)('attaches as a root without the right to inspect processes (a container)', async () => {
    const first = place.launch()
    await ready(first)
    const orphan = place.postmasterPid()
    first.child.kill('SIGKILL')
    await first.ended()
    await ready(place.launch(['setpriv', '--bounding-set=-sys_ptrace']))
    expect(place.postmasterPid()).toBe(orphan)
  })

  test('starts despite a lock file whose process id belongs to another program', async () => {
    const first = place.launch()
    await ready(first)
    const pid = place.postmasterPid()!
    first.child.kill('SIGKILL')
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(pid))
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore' })
    try {
      const lock = join(place.dataDir, 'postgres/data/postmaster.pid')
      writeFileSync(lock, readFileSync(lock, 'utf8').replace(String(pid), String(stranger.pid)))
      const { appUrl } = await ready(place.launch())
      expect(await ask(appUrl, 'SELECT 1')).toBe(1)
      expect(place.postmasterPid()).not.toBe(stranger.pid)
    } finally {
      stranger.kill()
    }
  })

  test('restarts a killed server at the same address', async () => {
    const watched = place.launch()
    const { superuserUrl } = await ready(watched)
    await ask(superuserUrl, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const killed = place.postmasterPid()!
    process.kill(killed, 'SIGKILL')
    await until(() => (place.postmasterPid() ?? killed) !== killed)
    await until(async () => (await ask(superuserUrl, 'SELECT answer FROM kept').catch(() => null)) === 42)
    expect(watched.output()).not.toContain('LOST')
  })

  test('restarts a killed server without the logins of the owner and the superuser', async () => {
    const watched = place.launch()
    await ready(watched)
    for (const login of ['owner', 'superuser']) rmSync(join(place.dataDir, `postgres/${login}-password`))
    process.kill(place.postmasterPid()!, 'SIGKILL')
    await watched.said(/The database is back|LOST/)
    expect(watched.output()).not.toContain('LOST')
  })

  test('a session that computes on does not keep a killed server from coming back', async () => {
    const watched = place.launch()
    const { superuserUrl } = await ready(watched)
    const session = new Client({ connectionString: superuserUrl, application_name: 'computing' })
    session.on('error', () => {})
    await session.connect()
    // Between two statements a session notices the death of its server, within one only if it waits.
    const cut = expect(session.query('DO $$ BEGIN LOOP END LOOP; END $$')).rejects.toThrow()
    const sessionPid = await ask<number>(
      superuserUrl,
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'computing'",
    )
    process.kill(place.postmasterPid()!, 'SIGKILL')
    await watched.said(/The database is back/)
    expect(isAlive(sessionPid)).toBe(false)
    await cut
  })

  test('a process that is stopped while it joins again ends, and leaves no server behind', async () => {
    const watched = place.launch()
    await ready(watched)
    process.kill(place.postmasterPid()!, 'SIGKILL')
    await watched.said(/joining again/)
    watched.child.kill('SIGTERM')
    expect(await watched.ended()).toBe(0)
    const pid = place.postmasterPid()
    expect(pid === null || !isAlive(pid)).toBe(true)
    expect(watched.output()).not.toContain('LOST')
  })
})

describe('several processes on one DATA_DIR', () => {
  test('concurrent starts on an empty folder share one server; the last to stop ends it', async () => {
    const processes = [place.launch(), place.launch(), place.launch()]
    const [first, second, third] = await Promise.all(processes.map(ready))
    expect(second).toEqual(first)
    expect(third).toEqual(first)
    const pid = place.postmasterPid()!
    for (const [index, { child, ended }] of processes.entries()) {
      child.kill('SIGTERM')
      expect(await ended()).toBe(0)
      expect(isAlive(pid)).toBe(index < 2)
    }
    expect(readdirSync(place.dataDir)).toEqual(['postgres'])
  })

  test('processes whose server is killed share the next one, at the same address', async () => {
    const processes = [place.launch(), place.launch(), place.launch()]
    const [first] = await Promise.all(processes.map(ready))
    for (let times = 1; times <= 3; times++) {
      const killed = place.postmasterPid()!
      process.kill(killed, 'SIGKILL')
      const isBack = ({ output }: Watched) => output().split('The database is back').length > times
      await until(() => processes.every(isBack))
      expect(place.postmasterPid()).not.toBe(killed)
    }
    expect(await ask(first!.superuserUrl, 'SELECT 1')).toBe(1)
    expect(processes.map(({ output }) => output()).join()).not.toContain('LOST')
  })

  test('one that starts while the last one stops gets a server', async () => {
    for (let round = 0; round < 3; round++) {
      const leaving = place.launch()
      await ready(leaving)
      const coming = place.launch()
      leaving.child.kill('SIGTERM')
      const { appUrl } = await ready(coming)
      expect(await ask(appUrl, 'SELECT 1')).toBe(1)
      coming.child.kill('SIGTERM')
      await coming.ended()
    }
  })

  test('deleting the database is refused while one uses it, and works afterwards', async () => {
    const user = place.launch()
    await ready(user)
    await expect(deleteEmbedded(place.dataDir)).rejects.toThrow('is in use. Stop Probity first')
    user.child.kill('SIGTERM')
    await user.ended()
    await deleteEmbedded(place.dataDir)
    expect(existsSync(join(place.dataDir, 'postgres'))).toBe(false)
  })
})

describe('a DATA_DIR that cannot be used', () => {
  test('a file in its place is named, with what to do, and ends with 78', async () => {
    writeFileSync(place.dataDir, '')
    const [, code, message] = await place.launch().said(/^FAILED (\d+) (.*)$/m)
    expect([code, message]).toEqual([
      '78',
      `DATA_DIR ${place.dataDir} cannot be written (EEXIST). Make it writable, or set DATA_DIR to another folder.`,
    ])
  })

  test.runIf(canUnshare)('a read-only folder is named, with what to do', async () => {
    mkdirSync(place.dataDir)
    const readOnly = inNamespace(
      `mount --bind ${place.dataDir} ${place.dataDir}; mount -o remount,ro,bind ${place.dataDir}`,
    )
    await place
      .launch(readOnly)
      .said(/^FAILED 78 DATA_DIR \S+ cannot be written \(EROFS\)\. Make it writable/m)
  })

  test('a cluster of another major version is named, not touched', async () => {
    const first = place.launch()
    await ready(first)
    first.child.kill('SIGTERM')
    await first.ended()
    writeFileSync(join(place.dataDir, 'postgres/data/PG_VERSION'), '17\n')
    await place
      .launch()
      .said(/^FAILED 78 The database in \S+ was made by PostgreSQL 17, this release brings 18\./m)
  })
})
