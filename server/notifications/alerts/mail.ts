import { sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { type PushMessage, queuePushes } from '#server/notifications/push/send.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { type AlertKind, alertType } from '#shared/alerts.ts'
import { alertMailMinutes } from '#shared/limits.ts'
import type { Role } from '#shared/roles.ts'
import { choicesOf, isFor, isUnread } from './choices.ts'

type Reader = { id: string; name: string; email: string; role: Role | null; newest_alert: string | null }
type Count = { kind: AlertKind; count: number }

/**
 * Emails each member of staff, and shows on their devices, what has begun to wait since their last one and still does, unread: how many of each kind, and
 * no names or amounts. Nobody gets more than one in `alertMailMinutes`.
 */
export async function mailAlerts(tx: Tx, services: Services): Promise<void> {
  const newest = await tx
    .selectFrom('app.staff_alerts')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!newest) return
  const firm = await currentFirm(tx, services.config)
  const pushes: PushMessage[] = []
  for (const reader of await dueReaders(tx, newest.id, services.clock.now())) {
    const counts = await countsFor(tx, reader)
    if (counts.length === 0) continue
    const subject = subjectOf(counts)
    await queueMail(tx, mailTo(services, firm, reader, { subject, counts }))
    pushes.push({ userId: reader.id, words: `${subject}.`, path: '/admin/home', tag: 'alerts' })
    const mailed = { mailed_at: services.clock.now(), newest_alert: newest.id }
    await tx
      .insertInto('app.staff_alert_mails')
      .values({ user_id: reader.id, ...mailed })
      .onConflict(conflict => conflict.column('user_id').doUpdateSet(mailed))
      .execute()
  }
  await queuePushes(tx, services, pushes)
}

/** Staff whose last email is old enough, and older than the newest alert. */
async function dueReaders(tx: Tx, newest: string, now: Date): Promise<Reader[]> {
  return tx
    .selectFrom('app.users as u')
    .leftJoin('app.staff_alert_mails as m', 'm.user_id', 'u.id')
    .select(['u.id', 'u.name', 'u.email', 'u.role', 'm.newest_alert'])
    .where('u.type', '=', 'admin')
    .where('u.role', 'is not', null)
    .where('u.access_ended_at', 'is', null)
    .where('u.email_verified_at', 'is not', null)
    .where(
      sql<boolean>`(m.user_id IS NULL OR m.newest_alert < ${newest}
        AND m.mailed_at <= ${now}::timestamptz - make_interval(mins => ${alertMailMinutes}))`,
    )
    .orderBy('u.id')
    .execute()
}

async function countsFor(tx: Tx, { id, role, newest_alert }: Reader): Promise<Count[]> {
  const choices = await choicesOf(tx, { userId: id, role })
  const rows = await tx
    .selectFrom('app.staff_alerts as a')
    .select(({ fn }) => ['a.kind', fn.countAll<bigint>().as('count')])
    .where(isFor(id, choices, 'email'))
    .where(isUnread(id))
    .$if(newest_alert !== null, query => query.where('a.id', '>', newest_alert))
    .groupBy('a.kind')
    .execute()
  const counts = new Map(rows.map(({ kind, count }) => [kind, Number(count)]))
  return choices.flatMap(({ kind }) => (counts.has(kind) ? [{ kind, count: counts.get(kind)! }] : []))
}

function mailTo(
  { config }: Services,
  firm: { productName: string },
  { name, email }: Reader,
  { subject, counts }: { subject: string; counts: readonly Count[] },
) {
  return composeEmail({
    to: email,
    subject,
    greeting: `Hello ${name},`,
    paragraphs: [`New in the console: ${counts.map(inWords).join('; ')}.`],
    action: { label: 'Open the console', url: `${config.publicUrl}/admin/home` },
    from: firm.productName,
    footer: {
      words: `You get at most one of these emails in ${alertMailMinutes} minutes. You can choose what they tell you.`,
      action: { label: 'Choose your alerts', url: `${config.publicUrl}/admin/profile#alerts` },
    },
  })
}

function subjectOf(counts: readonly Count[]): string {
  return counts.length === 1 ? inWords(counts[0]!) : 'New alerts in the console'
}

function inWords({ kind, count }: Count): string {
  const { counted, label } = alertType(kind)
  if (counted === undefined) return label
  return `${count} ${count === 1 ? counted[0] : counted[1]}`
}
