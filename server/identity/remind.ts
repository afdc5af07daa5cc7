import { sql } from 'kysely'
import type { Services } from '#server/context.ts'
import { notifyOfCheck } from '#server/notifications/notices.ts'
import { processEach } from '#server/queries/process-each.ts'
import { identityReminderDays } from '#shared/limits.ts'
import { dayOf } from '#shared/moments.ts'

type Event = 'check.ending' | 'check.ended'
const told = { 'check.ending': 'reminded_at', 'check.ended': 'ended_at' } as const

/**
 * Reminds people some days before what they proved stops counting, and tells them once it has, unless a newer proof counts for longer.
 * @returns how many
 */
export async function remindOfProofs(services: Pick<Services, 'db' | 'clock' | 'log'>): Promise<number> {
  const today = dayOf(services.clock.now())
  return (await tell(services, 'check.ended', today)) + (await tell(services, 'check.ending', today))
}

async function tell(
  services: Pick<Services, 'db' | 'clock' | 'log'>,
  event: Event,
  today: string,
): Promise<number> {
  const { db, clock } = services
  const column = sql.ref(`c.${told[event]}`)
  const isDue =
    event === 'check.ended'
      ? sql`c.expires_on < ${today}::date`
      : sql`c.expires_on >= ${today}::date AND c.expires_on < ${today}::date + ${identityReminderDays}::int`
  const { done } = await processEach(services, {
    what: 'identity check',
    ids: async (after, most) => {
      const { rows } = await sql<{ id: string }>`
        SELECT c.id FROM app.identity_checks c JOIN app.users u ON u.id = c.user_id
         WHERE c.decision = 'verified' AND c.ended_at IS NULL AND ${column} IS NULL AND ${isDue} AND u.closed_at IS NULL
           AND NOT EXISTS (SELECT FROM app.valid_checks v
                            WHERE v.user_id = c.user_id AND v.kind = c.kind AND v.expires_on > c.expires_on)
           AND (${after ?? null}::uuid IS NULL OR c.id > ${after ?? null}::uuid)
         ORDER BY c.id LIMIT ${most}`.execute(db)
      return rows.map(({ id }) => id)
    },
    act: async (tx, id) => {
      const now = clock.now()
      const check = await tx
        .updateTable('app.identity_checks')
        .set({ [told[event]]: now })
        .where('id', '=', id)
        .where(told[event], 'is', null)
        .returning(['id', 'user_id'])
        .executeTakeFirst()
      if (check) await notifyOfCheck(tx, event, check, now)
      return check !== undefined
    },
  })
  return done
}
