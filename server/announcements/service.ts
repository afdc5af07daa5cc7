import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import type { newAnnouncement } from '#shared/contract/announcements.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { announcementDays } from '#shared/limits.ts'
import { dayAfter, dayOf } from '#shared/moments.ts'
import { announcementRefusals } from './messages.ts'
import { publishedOn } from './queries.ts'

/**
 * Publishes an announcement.
 * @returns its id
 * @throws AppError invalid_input if it would begin before today or end too late
 */
export async function announce(
  tx: Tx,
  ctx: SignedInContext,
  { title, text, from, until }: ParsedInput<typeof newAnnouncement>['body'],
): Promise<string> {
  const now = ctx.services.clock.now()
  if (from < dayOf(now)) throw invalidDay('from', t('The first day cannot be in the past (UTC)'))
  if (until < from) throw invalidDay('until', t('The last day cannot be before the first'))
  if (until > dayAfter(now, announcementDays))
    throw invalidDay('until', t('The last day can be at most {days} days ahead', { days: announcementDays }))
  const id = newId(now)
  const shown = { shown_from: from, shown_until: until }
  await tx
    .insertInto('app.announcements')
    .values({ id, title, text, ...shown, created_by: ctx.caller.userId, created_at: now })
    .execute()
  const subject = { kind: 'announcement', id }
  await audit(tx, ctx, { action: 'announcement.published', subject, details: { title, text, from, until } })
  return id
}

function invalidDay(field: 'from' | 'until', message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } })
}

/** @throws AppError not_found; already_withdrawn */
export async function withdraw(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const row = await tx
    .selectFrom('app.announcements')
    .select(['title', 'withdrawn_at'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', t('Announcement not found'))
  if (row.withdrawn_at) throw announcementRefusals.error({ reason: 'already_withdrawn' })
  await tx
    .updateTable('app.announcements')
    .set({ withdrawn_at: ctx.services.clock.now(), withdrawn_by: ctx.caller.userId })
    .where('id', '=', id)
    .execute()
  const subject = { kind: 'announcement', id }
  await audit(tx, ctx, { action: 'announcement.withdrawn', subject, reason })
}

/**
 * Marks an announcement as read; marking it again changes nothing.
 * @throws AppError not_found, alike for an unknown one and for one that is not published
 */
export async function markAnnouncementRead(
  tx: Tx,
  { services, caller }: SignedInContext,
  id: string,
): Promise<void> {
  const now = services.clock.now()
  const published = await publishedOn(tx, now).select('a.id').where('a.id', '=', id).executeTakeFirst()
  if (!published) throw new AppError('not_found', t('Announcement not found'))
  await tx
    .insertInto('app.announcement_reads')
    .values({ announcement_id: id, user_id: caller.userId, read_at: now })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
