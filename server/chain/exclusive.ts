import type { Pool } from 'pg'
import { LimitedClient } from '#server/platform/database/limited-client.ts'
import { chainWatchers, coverageReaders } from '#server/platform/database/lock-keys.ts'
import { type DepositMethod, depositMethods } from '#shared/coins.ts'

/**
 * Does something while nobody else does it for the same network, in any process: a lock of a session of its own, which ends with the
 * process. It saves asking the network twice; that nothing is written twice is seen to where it is written. The session is not one of
 * the pool's: it lasts as long as a slow node is waited for, and would be missing for everything else.
 * @returns undefined where somebody else is at it
 */
export async function whileAlone<Result>(
  pool: Pool,
  method: DepositMethod,
  work: () => Promise<Result>,
  at: 'watching' | 'coverage' = 'watching',
): Promise<Result | undefined> {
  const session = new LimitedClient({ ...pool.options, application_name: `probity ${at}` })
  // Without a listener a broken connection would end the process; what is written down is guarded by rows of its own.
  session.on('error', () => {})
  try {
    await session.connect()
    const keys = [at === 'watching' ? chainWatchers : coverageReaders, depositMethods.indexOf(method)]
    const { rows } = await session.query<{ mine: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS mine',
      keys,
    )
    if (!rows[0]?.mine) return undefined
    const result = await work()
    // Fails where the lock was lost on the way: then this was not alone.
    await session.query('SELECT pg_advisory_unlock($1, $2)', keys)
    return result
  } finally {
    await session.end().catch(() => {})
  }
}
