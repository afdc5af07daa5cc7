import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StartupError } from '#server/platform/startup-error.ts'
import { runQuietly } from '#tools/programs.ts'

const DEBIAN = '/usr/lib/postgresql'
const CLIENTS = 8
/** Each client sends one query after the other; more threads do not help on few cores. */
const THREADS = 2

/** `simple` parses and plans each statement; `prepared` does so once for each client. */
type Protocol = 'simple' | 'prepared'
/** TPC-B by PostgreSQL's own pgbench, on its own database; transactions a second. */
export type Tpcb = { round: (seconds: number, protocol?: Protocol) => Promise<number> }

/**
 * Fills the database's tables.
 * @param url of a superuser, because pgbench needs several rights
 * @param scale 100,000 accounts each
 */
export async function prepareTpcb(url: string, scale: number): Promise<Tpcb> {
  const program = findPgbench() ?? (await installPgbench())
  const { connection, env } = connectionOf(url)
  const pgbench = async (args: string[]) => {
    const { code, output } = await runQuietly(program, [...args, connection], { env })
    if (code !== 0) throw new StartupError(`pgbench failed:\n${output.trim()}`)
    return output
  }
  await pgbench(['--initialize', '--quiet', `--scale=${scale}`])
  return {
    async round(seconds, protocol = 'simple') {
      const long =
        seconds >= 1 ? `--time=${Math.round(seconds)}` : `--transactions=${Math.ceil(seconds * 100)}`
      const output = await pgbench([
        long,
        `--client=${CLIENTS}`,
        `--jobs=${THREADS}`,
        `--protocol=${protocol}`,
      ])
      const perSecond = /^tps = ([\d.]+)/m.exec(output)?.[1]
      if (perSecond === undefined) throw new StartupError(`pgbench said no rate:\n${output.trim()}`)
      return Number(perSecond)
    },
  }
}

/** The product's socket, as a connection string for libpq. */
function connectionOf(url: string): { connection: string; env: NodeJS.ProcessEnv } {
  const { username, password, port, pathname, hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return {
    connection: `host='${host}' port=${port} user=${username} dbname=${pathname.slice(1)}`,
    env: { PATH: process.env.PATH, LC_ALL: 'C', PGPASSWORD: decodeURIComponent(password) },
  }
}

/** Debian's newest, else the one in PATH. */
export function findPgbench(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map(version => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  return folders.map(folder => join(folder, 'pgbench')).find(path => existsSync(path)) ?? null
}

/** Installs Debian's, without setting up and starting its server. */
async function installPgbench(): Promise<string> {
  const advice = "Install pgbench (Debian: the package 'postgresql') to measure against it."
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new StartupError(`No pgbench was found. ${advice}`)
  }
  const noCluster = '/etc/postgresql-common/createcluster.d/probity-bench.conf'
  mkdirSync('/etc/postgresql-common/createcluster.d', { recursive: true })
  writeFileSync(noCluster, 'create_main_cluster = false\n')
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'postgresql']]) {
      const { code, output } = await runQuietly('apt-get', args, { env })
      if (code !== 0) {
        throw new StartupError(`apt-get ${args[0]} failed: ${output.trim().split('\n').at(-1)}. ${advice}`)
      }
    }
  } finally {
    rmSync(noCluster)
  }
  const found = findPgbench()
  if (found === null) throw new StartupError(`apt-get installed no pgbench that can be found. ${advice}`)
  return found
}
