import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
/** Free bytes that a run must find there. Its unit and integration tests used 0.9 GB at most. */
const ROOM = 4 * 2 ** 30

/** The folders in which runs have their temporary files. */
export const testFolders = [...new Set([tmpdir(), MEMORY])]

/**
 * Where this run has its temporary files. In memory if there is room: PostgreSQL creates a database there in a tenth of
 * the time, because each is some 650 files. TMPDIR decides if it is set.
 */
export function testFolder(): string {
  return process.env.TMPDIR === undefined && hasRoomInMemory() ? MEMORY : tmpdir()
}

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM && process.availableMemory() >= ROOM && runsPrograms(MEMORY)
  } catch {
    // No such folder.
    return false
  }
}

/** Tests put programs of their own there. */
function runsPrograms(folder: string): boolean {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  const options = mounts.map(line => line.split(' ')).find(([, place]) => place === folder)?.[3]
  return options !== undefined && !options.split(',').includes('noexec')
}
