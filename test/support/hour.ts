import { until } from './processes.ts'

/**
 * Waits, half a minute at most, where a whole hour of UTC is about to begin, and with it perhaps a day, a month or a
 * year: what a test does next is all before that or all after it.
 */
export function clearOfTheHour(): Promise<void> {
  return until(() => 3_600_000 - (Date.now() % 3_600_000) > 30_000)
}
