import { sql } from 'kysely'
import type { Services } from '#server/context.ts'

/** Removes what has served its time: counters that ran out, codes and links that expired, old mail of a demonstration. */
export async function cleanUp({ db, clock }: Services): Promise<void> {
  const now = clock.now()
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
  await sql`DELETE FROM app.rate_limits WHERE expire < ${now.getTime()}`.execute(db)
  await db.deleteFrom('app.email_codes').where('expires_at', '<', daysAgo(7)).execute()
  await db.deleteFrom('app.password_resets').where('expires_at', '<', daysAgo(7)).execute()
  await db.deleteFrom('app.mailbox').where('created_at', '<', daysAgo(90)).execute()
}
