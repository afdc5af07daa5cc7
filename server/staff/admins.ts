import { sql } from 'kysely'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { inLanguage, localUrl } from '#server/platform/language.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { type Mail, queueMail } from '#server/platform/mail/queue.ts'
import { AppError } from '#shared/errors.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'

export type Admin = { id: string; name: string; email: string; language: Language }

type AdminMessage = {
  subject: string
  paragraphs: string[]
  action?: { label: string /** Of the console. */; path: string }
}

/**
 * Serialises changes to staff: of two admins who end each other's role in parallel, the second is no longer an admin.
 * @returns the other admins
 * @throws AppError forbidden
 */
export async function lockStaff(tx: Tx, { caller }: SignedInContext): Promise<Admin[]> {
  const admins = await lockAdmins(tx)
  if (!admins.some(({ id }) => id === caller.userId)) {
    throw new AppError('forbidden', t('Your account may not do this'))
  }
  return admins.filter(({ id }) => id !== caller.userId)
}

/** Takes the same lock without a caller and returns all admins. */
export async function lockAdmins(tx: Tx): Promise<Admin[]> {
  await sql`SELECT pg_advisory_xact_lock(${sql.lit(lockKeys.staff)})`.execute(tx)
  return tx
    .selectFrom('app.users')
    .select(['id', 'name', 'email', 'language'])
    .where('type', '=', 'admin')
    .where('role', '=', 'admin')
    .where('access_ended_at', 'is', null)
    .orderBy('id')
    .execute()
}

/**
 * True if nobody else has ever been an admin. An admin who is alone because others left does not count: they may have ended
 * the others' access to become the only one.
 */
export async function isOnlyAdminEver(tx: Tx, adminId: string): Promise<boolean> {
  const { rows } = await sql<{ only: boolean }>`
    SELECT NOT EXISTS (SELECT FROM app.users WHERE type = 'admin' AND role = 'admin' AND id <> ${adminId})
       AND NOT EXISTS (SELECT FROM app.audit_log
             WHERE action IN ('staff.joined', 'staff.role_changed', 'staff.access_ended')
               AND subject_id IS DISTINCT FROM ${adminId}
               AND 'admin' IN (details ->> 'role', details ->> 'before', details ->> 'after')) AS only`.execute(
    tx,
  )
  return rows[0]!.only
}

/** True if the operator's command may create an admin: there is none, or only one of several is left, who cannot act alone. */
export async function operatorCanAppoint(tx: Tx, [one, ...others]: readonly Admin[]): Promise<boolean> {
  return one === undefined || (others.length === 0 && !(await isOnlyAdminEver(tx, one.id)))
}

/**
 * Emails admins about what another one has done or proposed.
 * @param write in the language of each
 */
export async function emailAdmins(
  tx: Tx,
  { services }: Pick<SignedInContext, 'services'>,
  admins: readonly Admin[],
  write: () => AdminMessage,
): Promise<void> {
  // The first admin's command may run before the firm has a profile.
  if (admins.length === 0) return
  const { productName } = await currentFirm(tx, services.config)
  for (const admin of admins) {
    const mail = inLanguage(admin.language, () => mailTo(admin, services, productName, write()))
    await queueMail(tx, mail)
  }
}

function mailTo(
  { name, email }: Admin,
  { config }: Services,
  productName: string,
  { subject, paragraphs, action }: AdminMessage,
): Mail {
  return composeEmail({
    to: email,
    subject,
    greeting: t('Hello {name},', { name }),
    paragraphs,
    ...(action && { action: { label: action.label, url: localUrl(config, action.path) } }),
    from: productName,
    footer: { words: t('Every admin gets this email. It cannot be turned off.') },
  })
}
