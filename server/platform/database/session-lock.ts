import type { Pool } from 'pg'
import { apartFrom } from './direct.ts'
import { LimitedClient } from './limited-client.ts'

/**
 * Runs `work` under a session lock, so that only one process does. It saves duplicate work; rows guard against duplicate
 * writes. The session is not the pool's, because something outside can hold it for long.
 * @param lock one key of `lockKeys`, or two
 * @returns undefined if another process holds the lock
 */
export async function underSessionLock<Result>(
  pool: Pool,
  { name, lock }: { name: string; lock: readonly number[] },
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const session = new LimitedClient(apartFrom(pool, { name }))
  const keys = lock.map((_, index) => `$${index + 1}`).join(', ')
  try {
    await session.connect()
    const { rows } = await session.query<{ mine: boolean }>(`SELECT pg_try_advisory_lock(${keys}) AS mine`, [
      ...lock,
    ])
    if (!rows[0]?.mine) return undefined
    const result = await work()
    // Throws if the connection, and with it the lock, was lost meanwhile.
    await session.query(`SELECT pg_advisory_unlock(${keys})`, [...lock])
    return result
  } finally {
    await session.end().catch(() => {})
  }
}
