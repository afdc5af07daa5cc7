import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { serverUserFor, spawnAs } from '#server/embedded/server-user.ts'
import { freePort } from '#tools/free-port.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { findPgbackrest, findPostgresPrograms } from '#tools/pgbackrest.ts'
import { selfSignedCertificate } from './certificate.ts'
import { atEnd } from './clean-up.ts'
import { type ExternalPostgres, startExternalPostgres } from './external-postgres.ts'
import { until, watch } from './processes.ts'

/** Why tests that need pgBackRest cannot run; undefined if they can. */
export const withoutPgbackrest = missingNode(testNodes.pgbackrest)

/** What we deliver to operators. */
const DELIVERED = join(import.meta.dirname, '../../deploy/pgbackrest')
const delivered = (name: string) => readFileSync(join(DELIVERED, name), 'utf8')

/** The machines of deploy/pgbackrest. */
const machines = { repository: 'backup.internal', database: 'db1.internal' } as const
export type Machine = keyof typeof machines

export type Ended = { code: number | string; output: string }

/** A PostgreSQL with its backups, in `postgres.folder`. */
export type BackedUpPostgres = {
  readonly postgres: ExternalPostgres
  /** Runs pgBackRest on one of the machines. */
  pgbackrest(machine: Machine, ...args: string[]): Promise<Ended>
  /** Runs what a unit starts on the repository's machine, as systemd does: until the first failure. */
  runUnit(unit: string, instance?: string, settings?: NodeJS.ProcessEnv): Promise<Ended>
  /** Folder of the encrypted backups. */
  readonly backups: string
  /** Folder of node_exporter's textfile collector. */
  readonly textfiles: string
}

/**
 * A PostgreSQL of Debian, and pgBackRest with the delivered files on two machines, which are both this one, with TLS
 * between them. All of it ends with the test file.
 */
export async function backedUpPostgres(): Promise<BackedUpPostgres> {
  const programs = findPostgresPrograms()!
  const pgbackrest = findPgbackrest()!
  const postgres = await startExternalPostgres({
    programs,
    settings: `${delivered('postgresql.conf').replace("'pgbackrest", `'${pgbackrest} --config-path=FOLDER/database`)}
      unix_socket_directories = 'FOLDER'\n`,
    access: 'local all postgres trust\n',
  })
  const { folder } = postgres
  const [backups, textfiles, state] = ['backups', 'textfiles', 'state'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const user = serverUserFor(null)
  for (const path of [backups, textfiles, state]) makeFolder(path)
  await configure(postgres, backups)

  const start = (machine: Machine, command: string, args: string[], more: NodeJS.ProcessEnv = {}) => {
    const path = `${dirname(pgbackrest)}:${process.env.PATH}`
    const env = { PATH: path, LC_ALL: 'C', PGBACKREST_CONFIG_PATH: join(folder, machine), ...more }
    return watch(command, args, { ...spawnAs(user), env })
  }
  const run = async (...given: Parameters<typeof start>): Promise<Ended> => {
    const started = start(...given)
    return { code: await started.ended(), output: started.output() }
  }

  for (const machine of ['repository', 'database'] as const) {
    const server = start(machine, pgbackrest, ['server'])
    atEnd(async () => {
      server.child.kill('SIGTERM')
      await server.ended()
    })
    await until(async () => (await run(machine, pgbackrest, ['server-ping'])).code === 0)
  }
  return {
    postgres,
    backups,
    textfiles,
    pgbackrest: (machine, ...args) =>
      run(machine, pgbackrest, [`--config-path=${join(folder, machine)}`, '--stanza=probity', ...args]),
    async runUnit(unit, instance = '', settings = {}) {
      const own = { POSTGRES_PROGRAMS: programs, STATE_DIRECTORY: state, TEXTFILE_FOLDER: textfiles }
      const env = { ...settingsOf(unit), ...own, ...settings }
      const ended: Ended = { code: 0, output: '' }
      for (const [program = '', ...args] of commandsOf(unit, instance)) {
        const path = program === '/usr/bin/pgbackrest' ? pgbackrest : join(DELIVERED, program)
        const { code, output } = await run('repository', path, args, env)
        Object.assign(ended, { code, output: ended.output + output })
        if (code !== 0) break
      }
      return ended
    },
  }
}

/** The commands of a delivered unit, whose scripts lie beside it. */
function commandsOf(unit: string, instance: string): string[][] {
  const commands = [...delivered(unit).matchAll(/^Exec\w+=\+?(.*)$/gm)]
  return commands.map(([, command = '']) =>
    command.replaceAll('%i', instance).replace('/usr/local/sbin/', '').split(' '),
  )
}

function settingsOf(unit: string): NodeJS.ProcessEnv {
  const lines = delivered(unit).matchAll(/^Environment="?(\w+)=([^"\n]*)/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
}

/** Both machines' folders, as /etc/pgbackrest. */
async function configure({ folder, home, adminUrl }: ExternalPostgres, backups: string): Promise<void> {
  const ports = { repository: await freePort(), database: await freePort() }
  const own = {
    repository: selfSignedCertificate(machines.repository),
    database: selfSignedCertificate(machines.database),
  }
  const authorities = own.repository.certificate + own.database.certificate
  const server = [`pg1-port=${new URL(adminUrl('postgres')).port}`, `pg1-socket-path=${folder}`]
  for (const [machine, other, role] of [
    ['repository', 'database', 'pg1'],
    ['database', 'repository', 'repo1'],
  ] as const) {
    const etc = join(folder, machine)
    for (const path of [etc, join(etc, 'conf.d'), join(etc, 'tls'), join(etc, 'lock')]) makeFolder(path)
    writeOwn(join(etc, 'tls/ca.crt'), authorities)
    writeOwn(join(etc, 'tls/node.crt'), own[machine].certificate)
    writeOwn(join(etc, 'tls/node.key'), own[machine].key)
    // Two machines have their own ports, and their locks for themselves.
    const changed = delivered(`${machine}.conf`)
      .replaceAll('/etc/pgbackrest/', `${etc}/`)
      .replace('/var/lib/pgbackrest', backups)
      .replace('/var/lib/postgresql/15/main', home)
      .replace(
        'tls-server-address=*',
        `tls-server-address=127.0.0.1\ntls-server-port=${ports[machine]}\nlock-path=${etc}/lock`,
      )
      .replace(
        `${role}-host=${machines[other]}`,
        `${role}-host=localhost\n${role}-host-port=${ports[other]}\n${role}-host-config-path=${join(folder, other)}`,
      )
    writeOwn(join(etc, 'pgbackrest.conf'), `${changed}\n${server.join('\n')}\n`)
  }
  const key = `[global]\nrepo1-cipher-pass=${randomBytes(48).toString('base64')}\n`
  writeOwn(join(folder, 'repository/conf.d/key.conf'), key)
}

function makeFolder(path: string): void {
  mkdirSync(path, { mode: 0o700 })
  giveToServer(path)
}

function writeOwn(path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600 })
  giveToServer(path)
}

/** pgBackRest runs as the server's user, like PostgreSQL. */
function giveToServer(path: string): void {
  const user = serverUserFor(null)
  if (user !== null) chownSync(path, user.uid, user.gid)
}
