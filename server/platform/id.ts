import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

let last = { milliseconds: -1, sequence: 0 }

/**
 * A UUIDv7 of this moment. Within one process, ids of the same millisecond ascend in their order of creation, so that
 * lists by id are in the order of events (RFC 9562, 6.2).
 */
export function newId(at: Date): string {
  const milliseconds = at.getTime()
  const random = randomBytes16()
  // The sequence has 32 bits; starting in the lower half leaves room to count up.
  const sequence = milliseconds === last.milliseconds ? last.sequence + 1 : random.readUInt32BE() >>> 1
  last = { milliseconds, sequence }
  return v7({ msecs: milliseconds, seq: sequence, random })
}

/** The smallest id of a moment: everything created since has a larger one. */
export function firstIdAt(at: Date): string {
  return v7({ msecs: at.getTime(), seq: 0, random: new Uint8Array(16) })
}

/** Requests random bytes for many ids at once, because each request is a system call. */
const pool = Buffer.alloc(16 * 256)
let used = pool.length

function randomBytes16(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 16
  return pool.subarray(used - 16, used)
}
