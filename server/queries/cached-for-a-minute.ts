import type { Services } from '#server/context.ts'
import { measuredSeconds } from '#shared/limits.ts'

type Sources = Pick<Services, 'db' | 'clock'>
type Measured<T> = { at: number; value: Promise<T> }

type Measure<T> = (db: Services['db'], now: Date) => Promise<T>

/** An expensive database query, run at most once in `measuredSeconds` for all callers. */
export function cachedForAMinute<T>(measure: Measure<T>): (services: Sources) => Promise<T> {
  return cachedFor(measuredSeconds, measure)
}

/** The same for queries that are worth a longer wait. */
export function cachedFor<T>(seconds: number, measure: Measure<T>): (services: Sources) => Promise<T> {
  const latest = new WeakMap<Services['db'], Measured<T>>()
  return ({ db, clock }) => {
    const now = clock.now()
    const known = latest.get(db)
    if (known && now.getTime() - known.at < seconds * 1000) return known.value
    const measured = { at: now.getTime(), value: measure(db, now) }
    latest.set(db, measured)
    measured.value.catch(() => latest.delete(db))
    return measured.value
  }
}
