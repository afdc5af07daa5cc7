import type { Pool } from 'pg'

/** Databases that a process waits for at its start, by its pool; each resolves once requests may be answered. */
const awaited = new WeakMap<Pool, Promise<void>>()

/**
 * From now on requests to this process are refused.
 * @returns ends that: the database is reached, migrated, and of this process's mode
 */
export function refuseRequests(pool: Pool): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  awaited.set(pool, promise)
  return () => {
    awaited.delete(pool)
    resolve()
  }
}

/** True while this process must not answer from the pool's database. */
export function isAwaited(pool: Pool): boolean {
  return awaited.has(pool)
}

/** Resolves once requests are answered; never if the process ends before. */
export async function whenAnswering(pool: Pool): Promise<void> {
  await awaited.get(pool)
}
