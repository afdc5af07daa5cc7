import type { Pool } from 'pg'
import { chainWatchers, coverageReaders } from '#server/platform/database/lock-keys.ts'
import { type DepositMethod, depositMethods } from '#shared/coins.ts'

/**
 * Does something while nobody else does it for the same network, in any process: a lock of a session of its own, which ends with the
 * process. It saves asking the network twice; that nothing is written twice is seen to where it is written.
 * @returns undefined where somebody else is at it
 */
export async function whileAlone<Result>(
  pool: Pool,
  method: DepositMethod,
  work: () => Promise<Result>,
  at: 'watching' | 'coverage' = 'watching',
): Promise<Result | undefined> {
  const session = await pool.connect()
  const keys = [at === 'watching' ? chainWatchers : coverageReaders, depositMethods.indexOf(method)]
  let isSound = false
  try {
    const { rows } = await session.query<{ mine: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS mine',
      keys,
    )
    const result = rows[0]?.mine ? await work().finally(() => unlock()) : undefined
    isSound = true
    return result
  } finally {
    // Where anything went wrong the session is closed, which gives its lock back for certain.
    session.release(!isSound)
  }
  async function unlock() {
    await session.query('SELECT pg_advisory_unlock($1, $2)', keys)
  }
}
