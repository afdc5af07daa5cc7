import { spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'

/** The account that runs initdb and the server if we do not. */
export interface ServerUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const OTHERWISE = 'Start Probity as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.'

/**
 * The user that PostgreSQL runs as: ourselves (null), or, since it refuses root, the owner of an existing cluster, else
 * the account `postgres`, else `nobody` (initdb needs an entry in /etc/passwd).
 */
export function serverUserFor(existingHome: string | null): ServerUser | null {
  if (process.getuid?.() !== 0) {
    requireOwnPasswdEntry()
    return null
  }
  const owner = existingHome === null ? null : ownerOf(existingHome)
  const user = owner ?? findUser('postgres') ?? findUser('nobody')
  if (user === null) {
    throw new StartupError(
      `PostgreSQL does not run as root, and there is no user 'postgres' or 'nobody'. ${OTHERWISE}`,
      EXIT_CONFIG,
    )
  }
  requireSwitch(user)
  return user
}

/** True if `user` (null: ourselves) can use the file or folder: every parent counts, ACLs included. */
export function canReach(user: ServerUser | null, path: string): boolean {
  if (user === null) {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  }
  const probe = spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], {
    ...spawnAs(user),
    stdio: 'ignore',
  })
  return probe.status === 0
}

/** Spawn options that run a child as `user`, in a folder that everyone may enter. */
export function spawnAs(user: ServerUser | null): { cwd: string; uid?: number; gid?: number } {
  return user === null ? { cwd: '/' } : { cwd: '/', uid: user.uid, gid: user.gid }
}

function ownerOf(home: string): ServerUser | null {
  const { uid, gid } = statSync(home)
  if (uid === 0) {
    throw new StartupError(
      `${home} belongs to root, and PostgreSQL does not run as root. Give it to another user (chown -R).`,
      EXIT_CONFIG,
    )
  }
  return { name: passwdEntries().find(entry => entry.uid === uid)?.name ?? `uid ${uid}`, uid, gid }
}

function findUser(name: string): ServerUser | null {
  return passwdEntries().find(entry => entry.name === name) ?? null
}

function passwdEntries(): ServerUser[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'))
    .filter(fields => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

/** A container's root may lack the right to change users; report this before any work begins. */
function requireSwitch(user: ServerUser): void {
  const probe = spawnSync('/bin/sh', ['-c', 'true'], { ...spawnAs(user), stdio: 'ignore' })
  if (probe.error === undefined && probe.status === 0) return
  throw new StartupError(
    `PostgreSQL does not run as root, and this process may not switch to '${user.name}'. ${OTHERWISE}`,
    EXIT_CONFIG,
  )
}

function requireOwnPasswdEntry(): void {
  try {
    userInfo()
  } catch {
    throw new StartupError(
      `User id ${process.getuid?.()} has no entry in /etc/passwd, and PostgreSQL's initdb needs one. Add one, or set DATABASE_URL.`,
      EXIT_CONFIG,
    )
  }
}
