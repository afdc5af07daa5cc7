import type { Pool } from 'pg'
import { chainWatchers, coverageReaders, holdingReaders } from '#server/platform/database/lock-keys.ts'
import { underSessionLock } from '#server/platform/database/session-lock.ts'
import { type RailName, railNames } from '#shared/coins.ts'

const lockKeyOf = { sync: chainWatchers, coverage: coverageReaders, holdings: holdingReaders }

/**
 * Runs `work` for a network in one process at a time: a slow node can hold it for long.
 * @returns undefined if another process does it
 */
export function exclusively<Result>(
  pool: Pool,
  rail: RailName,
  work: () => Promise<Result>,
  at: keyof typeof lockKeyOf = 'sync',
): Promise<Result | undefined> {
  const lock = [lockKeyOf[at], railNames.indexOf(rail)]
  return underSessionLock(pool, { name: `probity ${at}`, lock }, work)
}
