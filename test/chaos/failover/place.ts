import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { ServerUser } from '#server/embedded/server-user.ts'
import { freePort } from '#tools/free-port.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy/patroni')
const MACHINES = 3
/** Nobody needs these data after a crash of the machine; a crash of PostgreSQL itself still loses nothing. */
const IN_MEMORY = { fsync: 'off', max_wal_size: '256MB', wal_keep_size: '64MB' }

const services = { rest: 8008, postgres: 5432, client: 2379, peer: 2380 } as const
type Ports = Record<keyof typeof services, number>

/** Where a machine of deploy/patroni is in this run: on loopback, with ports and a folder of its own. */
export type Place = {
  readonly number: number
  readonly name: string
  readonly folder: string
  /** Of all machines, in their order. */
  readonly ports: readonly Ports[]
  /** Of all machines. */
  readonly passwords: Record<'postgres' | 'replicator' | 'rewind' | 'restapi', string>
}

export async function placesIn(folder: string, user: ServerUser | null): Promise<Place[]> {
  const ports: Ports[] = []
  while (ports.length < MACHINES) {
    const first = await freePort(4)
    ports.push({ rest: first, postgres: first + 1, client: first + 2, peer: first + 3 })
  }
  const passwords = {
    postgres: newPassword(),
    replicator: newPassword(),
    rewind: newPassword(),
    restapi: newPassword(),
  }
  return ports.map((_, index) => {
    const name = `db${index + 1}`
    const own = join(folder, name)
    mkdirSync(own, { mode: 0o700 })
    if (user !== null) chownSync(own, user.uid, user.gid)
    return { number: index + 1, name, folder: own, ports, passwords }
  })
}

export function writeFor(user: ServerUser | null, path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600 })
  if (user !== null) chownSync(path, user.uid, user.gid)
}

/** deploy/patroni/patroni.yml of a machine, with these programs of PostgreSQL. */
export function patroniSettings(place: Place, programs: string, hasWatchdog: boolean) {
  const settings = parse(filledIn('patroni.yml', place))
  settings.postgresql.bin_dir = programs
  Object.assign(settings.postgresql.parameters, IN_MEMORY)
  // Patroni's own driver for tests, to which a named pipe is the device.
  if (hasWatchdog) settings.watchdog.driver = 'testing'
  else settings.watchdog.mode = 'off'
  return settings
}

/** deploy/patroni/etcd.env of a machine. */
export function etcdSettings(place: Place): Record<string, string> {
  const lines = filledIn('etcd.env', place).split('\n')
  return Object.fromEntries(
    lines.flatMap(line => (/^\w+=/.test(line) ? [line.split(/=(.*)/s).slice(0, 2)] : [])),
  )
}

/** A file of deploy/patroni, filled in as its head says. */
function filledIn(name: string, { number, ports, folder, passwords }: Place): string {
  const portOf = (machine: number, written: string) => {
    const [service] = Object.entries(services).find(([, port]) => port === Number(written))!
    return ports[machine - 1]![service as keyof Ports]
  }
  return readFileSync(join(DEPLOY, name), 'utf8')
    .split('\n')
    .map(line => {
      // A line with all machines keeps them; elsewhere the first one stands for this one.
      const isOfAll = line.includes('db3.internal')
      const machine = (written: string) => (isOfAll ? Number(written) : number)
      return line
        .replaceAll(/db(\d)\.internal:(\d+)/g, (_all, of, port) => `localhost:${portOf(machine(of), port)}`)
        .replaceAll(/10\.0\.0\.11:(\d+)/g, (_all, port) => `127.0.0.1:${portOf(number, port)}`)
        .replace(/^(ETCD_NAME=|name: )db1$/, `$1db${number}`)
    })
    .join('\n')
    .replaceAll(/10\.0\.[01]\.0\/24/g, '127.0.0.1/32')
    .replaceAll(/\/etc\/(patroni|etcd)\//g, `${folder}/`)
    .replaceAll('/var/lib/etcd/probity', `${folder}/etcd`)
    .replaceAll(/\/var\/lib\/postgresql\/\d+\/probity/g, `${folder}/data`)
    .replaceAll('/var/run/postgresql', folder)
    .replaceAll('/dev/watchdog', `${folder}/watchdog`)
    .replaceAll(/REPLACE-(\w+)/g, (_all, of: keyof Place['passwords']) => passwords[of])
}

export function newPassword(): string {
  return randomBytes(18).toString('base64url')
}
