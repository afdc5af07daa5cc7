import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usableBinaries } from '#server/embedded/binaries.ts'
import { serverUserFor, spawnAs } from '#server/embedded/server-user.ts'
import { freePort } from '#tools/free-port.ts'
import { atEnd } from './clean-up.ts'
import { watch } from './processes.ts'
import { administer } from './temporary-postgres.ts'

/** One server of a pair. */
export type ReplicatedServer = {
  /** `127.0.0.1:<port>` */
  readonly host: string
  /** Connection string of its superuser; nobody needs a password. */
  readonly url: string
  /** Runs a statement as the superuser. */
  administer(...statements: string[]): Promise<void>
  /** Kills it: its sessions end, and nothing answers at its port. */
  kill(): Promise<void>
}

/** A primary and its hot standby, by streaming replication; removed at the end of the test file. */
export async function replicatedPostgres(): Promise<{
  primary: ReplicatedServer
  standby: ReplicatedServer
}> {
  const user = serverUserFor(null)
  const folder = mkdtempSync(join(tmpdir(), 'probity-replicated-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o711)
  const programs = usableBinaries(user, folder)
  if (user !== null) chownSync(folder, user.uid, user.gid)
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')]
  const asUser = (program: string, ...args: string[]) => {
    const { status, stderr, error } = spawnSync(program, args, { ...spawnAs(user), env, encoding: 'utf8' })
    if (status !== 0) throw error ?? new Error(`${program}: ${stderr}`)
  }
  asUser(programs.initdb, '-D', first, '-U', 'postgres', '--auth=trust', '--no-sync')
  // A copy of a server that has never run is a base backup.
  asUser('/bin/sh', '-c', 'cp -a "$1" "$2" && touch "$2/standby.signal"', 'sh', first, second)
  const ports = [await freePort(), await freePort()] as const
  const common = "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\n"
  appendFileSync(join(first, 'postgresql.conf'), common)
  appendFileSync(
    join(second, 'postgresql.conf'),
    `${common}primary_conninfo = 'host=127.0.0.1 port=${ports[0]} user=postgres'\n`,
  )

  async function serve(data: string, port: number): Promise<ReplicatedServer> {
    const server = watch(programs.postgres, ['-D', data, '-p', String(port)], { ...spawnAs(user), env })
    const kill = async () => {
      // Immediate: the server does not wait for open connections.
      server.child.kill('SIGQUIT')
      await server.ended()
    }
    atEnd(kill)
    await server.said(/ready to accept (read-only )?connections/)
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    return {
      host: `127.0.0.1:${port}`,
      url,
      administer: (...statements) => administer(url, ...statements),
      kill,
    }
  }
  return { primary: await serve(first, ports[0]), standby: await serve(second, ports[1]) }
}
