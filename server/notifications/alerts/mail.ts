import { sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { type PushMessage, queuePushes } from '#server/notifications/push/send.ts'
import { inLanguage, localUrl } from '#server/platform/language.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { type AlertKind, alertType } from '#shared/alerts.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { alertMailMinutes } from '#shared/limits.ts'
import type { Role } from '#shared/roles.ts'
import { choicesOf, isFor, isUnread } from './choices.ts'

type Reader = {
  id: string
  name: string
  email: string
  language: Language
  role: Role | null
  newest_alert: string | null
}
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
    const mail = inLanguage(reader.language, () => mailTo(services, firm, reader, counts))
    await queueMail(tx, mail)
    pushes.push({ userId: reader.id, words: `${mail.subject}.`, path: '/admin/home', tag: 'alerts' })
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
    .select(['u.id', 'u.name', 'u.email', 'u.language', 'u.role', 'm.newest_alert'])
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
  counts: readonly Count[],
) {
  const alerts = counts.map(inWords)
  return composeEmail({
    to: email,
    subject: alerts.length === 1 ? alerts[0]! : t('New alerts in the console'),
    greeting: t('Hello {name},', { name }),
    paragraphs: [t('New in the console: {alerts}.', { alerts: alerts.join('; ') })],
    action: { label: t('Open the console'), url: localUrl(config, '/admin/home') },
    from: firm.productName,
    footer: {
      words: t(
        'You get at most one of these emails in {minutes} minutes. You can choose what they tell you.',
        { minutes: alertMailMinutes },
      ),
      action: { label: t('Choose your alerts'), url: localUrl(config, '/admin/profile#alerts') },
    },
  })
}

function inWords({ kind, count }: Count): string {
  const { counted, label } = alertType(kind)
  return counted === undefined ? translate(label) : counted(count)
}
