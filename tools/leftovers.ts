import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { testFolders } from './test-folder.ts'

/** Leftovers of an interrupted `npm test`: servers, browsers and nodes of its tests. */

/** Prefix of the runs' temporary folders; the process id follows. */
export const runPrefix = 'probity-tests-'

/** How long leftover processes may take to end before they are killed. */
const END_LIMIT_MS = 10_000
const POLL_MS = 50

/** Ends every process of the run with this temporary folder, then removes the folder. */
export async function endRun(folder: string): Promise<void> {
  signal(processesOf(folder), 'SIGTERM')
  const deadline = Date.now() + END_LIMIT_MS
  for (let left = processesOf(folder); left.length > 0; left = processesOf(folder)) {
    if (Date.now() > deadline) signal(left, 'SIGKILL')
    await delay(POLL_MS)
  }
  unmountBelow(folder)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Cleans up after earlier runs that were killed. */
export async function endAbandonedRuns(): Promise<void> {
  for (const parent of testFolders.filter(existsSync)) {
    for (const name of readdirSync(parent)) {
      const pid = new RegExp(`^${runPrefix}(\\d+)-`).exec(name)?.[1]
      if (pid === undefined || exists(Number(pid))) continue
      const folder = join(parent, name)
      // Another user's are that user's to remove.
      if (statSync(folder).uid === process.getuid?.()) await endRun(folder)
    }
  }
}

/**
 * Processes whose environment, arguments or working folder name the folder, including those of other users or sessions.
 * Linux only; elsewhere programs that have left their process group are not found.
 */
function processesOf(folder: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && pid !== process.pid && belongsTo(pid, folder))
}

function belongsTo(pid: number, folder: string): boolean {
  const files = [
    () => readFileSync(`/proc/${pid}/environ`, 'utf8'),
    () => readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
    () => readlinkSync(`/proc/${pid}/cwd`),
  ]
  return files.some(read => {
    try {
      return read().includes(folder)
    } catch {
      // It has ended, or is another user's.
      return false
    }
  })
}

/** The small disks of a test that was killed stay mounted. Linux only, like those tests. */
function unmountBelow(folder: string): void {
  if (process.platform !== 'linux') return
  for (const line of readFileSync('/proc/self/mounts', 'utf8').split('\n')) {
    const [, place = ''] = line.split(' ')
    if (place.startsWith(`${folder}/`)) spawnSync('umount', ['--lazy', place])
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has just ended.
    }
  }
}
