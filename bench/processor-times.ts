import { readdirSync, readFileSync } from 'node:fs'

/** `USER_HZ`, Linux's unit of process times. */
const TICK_MS = 10

/** Processor milliseconds of a process, and of a PostgreSQL with all its children, ended ones included, since their start. */
export function processorMsOf(pid: number, postmaster: number): { worker: number; database: number } {
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const ticks = { worker: 0, database: 0 }
  for (const name of processes) {
    const times = timesOf(Number(name))
    if (times === undefined) continue
    if (Number(name) === pid) ticks.worker += times.own
    if (times.parent === postmaster) ticks.database += times.own
    if (Number(name) === postmaster) ticks.database += times.own + times.ofEnded
  }
  return { worker: ticks.worker * TICK_MS, database: ticks.database * TICK_MS }
}

/** proc_pid_stat(5), in ticks; undefined if the process has just ended. */
function timesOf(pid: number): { parent: number; own: number; ofEnded: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The process's name precedes the last parenthesis.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map(at => fields[at]!)
    return { parent: parent!, own: user! + system!, ofEnded: endedUser! + endedSystem! }
  } catch {
    return undefined
  }
}
