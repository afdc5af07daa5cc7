import { sql } from 'kysely'
import { type Binding, query } from '#server/context.ts'
import { pendingMigrations } from '#server/platform/database/migrate.ts'
import * as call from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'

export const routes: Binding[] = [
  query(call.health, async () => ({})),

  query(call.ready, async (_input, { services }) => {
    try {
      await sql`SELECT 1`.execute(services.db)
      if ((await pendingMigrations(services.pool)).length === 0) return {}
    } catch (cause) {
      throw new AppError('not_ready', 'The database cannot be reached', { retryAfterSeconds: 5, cause })
    }
    throw new AppError('not_ready', 'The database has not been migrated yet', { retryAfterSeconds: 5 })
  }),
]
