import { type Binding, query, type Services } from '#server/context.ts'
import { pendingMigrations } from '#server/platform/database/migrate.ts'
import * as call from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'

/** Databases seen fully migrated. Migrations are never undone, so a probe reads the files only until then. */
const migrated = new WeakSet<Services['pool']>()

/** Probes in progress: any number of them ask the database once. */
const probes = new WeakMap<Services['pool'], Promise<unknown>>()

/** Services of processes that are about to stop. */
const stopping = new WeakSet<Services>()

/** From now on `/api/ready` answers 503, so that load balancers send nothing new. */
export function announceStop(services: Services): void {
  stopping.add(services)
}

function reached(pool: Services['pool']): Promise<unknown> {
  const running = probes.get(pool)
  if (running) return running
  const probe = pool.query('SELECT').finally(() => probes.delete(pool))
  probes.set(pool, probe)
  return probe
}

export const routes: Binding[] = [
  query(call.health, async () => ({})),

  query(call.ready, async (_input, { services }) => {
    if (stopping.has(services)) {
      throw new AppError('not_ready', 'This process is about to stop', { retryAfterSeconds: 5 })
    }
    const { pool, clock } = services
    if (clock.trust?.problem !== undefined) {
      throw new AppError('not_ready', `Not deciding: ${clock.trust.problem}`, { retryAfterSeconds: 5 })
    }
    try {
      if (migrated.has(pool)) await reached(pool)
      else if ((await pendingMigrations(pool)).length === 0) migrated.add(pool)
    } catch (cause) {
      throw new AppError('not_ready', 'The database cannot be reached', { retryAfterSeconds: 5, cause })
    }
    if (migrated.has(pool)) return {}
    throw new AppError('not_ready', 'The database has not been migrated yet', { retryAfterSeconds: 5 })
  }),
]
