import { type Binding, query, type Services } from '#server/context.ts'
import { pendingMigrations } from '#server/platform/database/migrate.ts'
import * as call from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'

/** Databases seen fully migrated. Migrations are never undone, so a probe reads the files only until then. */
const migrated = new WeakSet<Services['pool']>()

export const routes: Binding[] = [
  query(call.health, async () => ({})),

  query(call.ready, async (_input, { services: { pool } }) => {
    try {
      if (migrated.has(pool)) await pool.query('SELECT')
      else if ((await pendingMigrations(pool)).length === 0) migrated.add(pool)
    } catch (cause) {
      throw new AppError('not_ready', 'The database cannot be reached', { retryAfterSeconds: 5, cause })
    }
    if (migrated.has(pool)) return {}
    throw new AppError('not_ready', 'The database has not been migrated yet', { retryAfterSeconds: 5 })
  }),
]
