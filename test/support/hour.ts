import { until } from './processes.ts'

/**
 * Waits, at most half a minute, if a whole hour of UTC is about to begin, and perhaps a day, month or year with it:
 * what a test does next is then all on one side.
 */
export function clearOfTheHour(): Promise<void> {
  return until(() => 3_600_000 - (Date.now() % 3_600_000) > 30_000)
}
