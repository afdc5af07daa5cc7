import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import type { Db } from './pool.ts'

/**
 * Claims an unused database for this mode, or checks that it has this mode.
 * @throws StartupError (exit 78) if it has the other mode
 */
export async function requireMode(db: Db, mode: 'demo' | 'live'): Promise<void> {
  await db
    .insertInto('app.installation')
    .values({ mode })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const first = await db.selectFrom('app.installation').select('mode').executeTakeFirstOrThrow()
  if (first.mode === mode) return
  throw new StartupError(
    first.mode === 'demo'
      ? 'DATABASE_URL: this database holds a demonstration, which MODE=live never serves. Name an empty one.'
      : "DATABASE_URL: this database is a live firm's, which MODE=demo never touches. Set MODE=live, or name another one.",
    EXIT_CONFIG,
  )
}
