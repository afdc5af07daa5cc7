import { sql } from 'kysely'
import type { SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { letter } from '#server/platform/mail/letter.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { AppError } from '#shared/errors.ts'

export type Admin = { id: string; name: string; email: string }

/**
 * Begins an act that changes who is staff. Of two admins who end each other's role at the same time one comes second, and
 * is an admin no more.
 * @returns the other admins
 * @throws AppError forbidden
 */
export async function lockStaff(tx: Tx, { caller }: SignedInContext): Promise<Admin[]> {
  const admins = await lockAdmins(tx)
  if (!admins.some(({ id }) => id === caller.userId)) {
    throw new AppError('forbidden', 'Your account may not do this')
  }
  return admins.filter(({ id }) => id !== caller.userId)
}

/** The same without anybody who calls: all admins. */
export async function lockAdmins(tx: Tx): Promise<Admin[]> {
  await sql`SELECT pg_advisory_xact_lock(${sql.lit(lockKeys.staff)})`.execute(tx)
  return tx
    .selectFrom('app.users')
    .select(['id', 'name', 'email'])
    .where('type', '=', 'admin')
    .where('role', '=', 'admin')
    .where('access_ended_at', 'is', null)
    .orderBy('id')
    .execute()
}

/**
 * Whether nobody but this admin has ever been one. Whoever is alone because others have left is not: he may have ended
 * their access himself, to be the only one.
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

/** Whether the operator's command makes an admin: where there is none, or one of several is left, who could invite nobody alone. */
export async function operatorMayAppoint(tx: Tx, [one, ...others]: readonly Admin[]): Promise<boolean> {
  return one === undefined || (others.length === 0 && !(await isOnlyAdminEver(tx, one.id)))
}

/** Writes to admins what another one has done, or has proposed. */
export async function tellAdmins(
  tx: Tx,
  { services }: Pick<SignedInContext, 'services'>,
  admins: readonly Admin[],
  { subject, paragraphs }: { subject: string; paragraphs: string[] },
): Promise<void> {
  // Nobody is told by the first admin's command, which may come before the firm has a profile.
  if (admins.length === 0) return
  const firm = await currentFirm(tx, services.config)
  for (const { name, email } of admins) {
    const greeting = `Hello ${name},`
    await queueMail(tx, letter({ to: email, subject, greeting, paragraphs, from: firm.productName, footer }))
  }
}

const footer = { words: 'Every admin gets this email. It cannot be turned off.' }

/** The name of who calls, for what others are told of his act. */
export async function nameOf(tx: Tx, userId: string): Promise<string> {
  const { name } = await tx
    .selectFrom('app.users')
    .select('name')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return name
}
