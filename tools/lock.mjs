// A lock that one process of several holds, with words about what it does. It ends with its holder, killed or not.
// Built-in modules only: tools/run.mjs needs it before anything is installed, under any Node from 20 on.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 100

/**
 * @typedef {object} About what other processes read about a holder
 * @property {string} doing as in "Another start (process 1) is …"
 * @property {string} [address] where the product runs
 * @typedef {About & { pid: number }} Holder
 * @typedef {object} Lock
 * @property {(changes: Partial<About>) => void} update
 * @property {(childPid: number) => void} heldWith the lock is held until this child has ended, too, if we are killed
 * @property {() => void} release
 */

/**
 * Takes the lock of a folder by Lamport's bakery algorithm: each process draws a number into a file of its own, and the lowest
 * number of a living process holds the lock. A dead process' file can be deleted without a race, because no other has its name.
 * @param {string} folder made where it is missing
 * @param {About} about
 * @param {(holder: Holder) => void} onHeld called once per holder; waits for it unless it throws
 * @returns {Promise<Lock>} held until it is released or this process ends
 */
export async function takeLock(folder, about, onHeld) {
  const ticket = { ...about, number: null }
  const name = identityOf(process.pid)
  const path = join(folder, name)
  const write = () => writeFileSync(path, JSON.stringify(ticket))
  const release = () => {
    process.off('exit', release)
    rmSync(path, { force: true })
    removeIfEmpty(folder)
  }
  process.on('exit', release)
  try {
    enter(folder, write)
    ticket.number = 1 + Math.max(0, ...others(folder, name).map(other => other.number ?? 0))
    write()
    let told = ''
    for (;;) {
      const ahead = others(folder, name).filter(other => isAhead(other, ticket.number, name))
      if (ahead.length === 0) break
      const holder = ahead.reduce((first, other) =>
        isAhead(other, first.number, first.name) ? other : first,
      )
      // A process that still draws its number is reported once it has one.
      if (holder.number !== null && told !== holder.name) {
        told = holder.name
        onHeld(holder)
      }
      await delay(POLL_MS)
    }
  } catch (error) {
    release()
    throw error
  }
  return {
    update(changes) {
      Object.assign(ticket, changes)
      write()
    },
    heldWith(pid) {
      ticket.child = identityOf(pid)
      write()
    },
    release,
  }
}

/** The last one to leave removes the folder. */
function enter(folder, write) {
  for (;;) {
    mkdirSync(folder, { recursive: true })
    try {
      write()
      return
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
}

function removeIfEmpty(folder) {
  try {
    rmdirSync(folder)
  } catch {
    // Another process holds the lock or waits for it.
  }
}

/** One that is still drawing its number may draw a lower one than ours. */
function isAhead(other, number, name) {
  if (other.number === null || number === null) return other.number === null
  return other.number < number || (other.number === number && other.name < name)
}

/** The tickets of the other living processes; those of dead ones are deleted. */
function others(folder, own) {
  const living = []
  for (const name of readdirSync(folder)) {
    if (name === own) continue
    const ticket = readTicket(join(folder, name))
    const holder = [name, ticket.child].find(isRunning)
    if (holder === undefined) rmSync(join(folder, name), { force: true })
    else living.push({ ...ticket, name, pid: pidOf(holder) })
  }
  return living
}

/** Half-written counts as not drawn yet. */
function readTicket(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { number: null }
  }
}

function isRunning(identity) {
  return identity !== undefined && identityOf(pidOf(identity)) === identity
}

function pidOf(identity) {
  return Number(identity.split('-')[0])
}

/** A process id is used again, also after a reboot; together with the time of its start it names one process. */
function identityOf(pid) {
  return `${pid}-${process.platform === 'linux' ? startOnLinux(pid) : startElsewhere(pid)}`
}

function startOnLinux(pid) {
  const fields = statOf(pid)
  if (fields === null || fields[0] === 'Z') return 'gone'
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)}.${fields[19]}`
}

function startElsewhere(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  return (stdout ?? '').replace(/\W/g, '') || 'gone'
}

/**
 * The fields of /proc/<pid>/stat from the state on (proc_pid_stat(5), from field 3), or null.
 * @param {number} pid
 * @returns {string[] | null}
 */
export function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
