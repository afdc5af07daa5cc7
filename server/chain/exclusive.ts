import type { Pool } from 'pg'
import { apartFrom } from '#server/platform/database/direct.ts'
import { LimitedClient } from '#server/platform/database/limited-client.ts'
import { chainWatchers, coverageReaders, holdingReaders } from '#server/platform/database/lock-keys.ts'
import { type RailName, railNames } from '#shared/coins.ts'

const lockKeyOf = { sync: chainWatchers, coverage: coverageReaders, holdings: holdingReaders }

/**
 * Runs `work` under a session lock for the network, so that only one process does. It saves duplicate requests; rows guard against
 * duplicate writes. The session is not the pool's, because a slow node can hold it for long.
 * @returns undefined if another process holds the lock
 */
export async function exclusively<Result>(
  pool: Pool,
  rail: RailName,
  work: () => Promise<Result>,
  at: keyof typeof lockKeyOf = 'sync',
): Promise<Result | undefined> {
  const session = new LimitedClient(apartFrom(pool, { name: `probity ${at}` }))
  try {
    await session.connect()
    const keys = [lockKeyOf[at], railNames.indexOf(rail)]
    const { rows } = await session.query<{ mine: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS mine',
      keys,
    )
    if (!rows[0]?.mine) return undefined
    const result = await work()
    // Throws if the connection, and with it the lock, was lost meanwhile.
    await session.query('SELECT pg_advisory_unlock($1, $2)', keys)
    return result
  } finally {
    await session.end().catch(() => {})
  }
}
