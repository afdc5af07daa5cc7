import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { Caller, SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type AlertChoice, alertsFor, alertType, defaultChoice } from '#shared/alerts.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

type Reader = Pick<Caller, 'userId' | 'role'>

/** How somebody is notified of each kind that their rights let them see now. */
export async function choicesOf(db: Kysely<Schema>, { userId, role }: Reader): Promise<AlertChoice[]> {
  const rows = await db
    .selectFrom('app.staff_alert_choices')
    .select(['kind', 'bell', 'email', 'only_assigned'])
    .where('user_id', '=', userId)
    .execute()
  const chosen = new Map(
    rows.map(({ only_assigned: onlyAssigned, ...row }) => [row.kind, { ...row, onlyAssigned }]),
  )
  return alertsFor(role).map(kind => chosen.get(kind) ?? defaultChoice(role, kind))
}

/**
 * Chooses how the caller is told; kinds that are left out stay as they are.
 * @throws AppError forbidden for a kind that the caller may not see
 */
export async function keepChoices(tx: Tx, ctx: SignedInContext, wanted: AlertChoice[]): Promise<void> {
  const { userId, role } = ctx.caller
  const before = await choicesOf(tx, ctx.caller)
  const mine = alertsFor(role)
  if (wanted.some(({ kind }) => !mine.includes(kind)))
    throw new AppError('forbidden', t('Your role does not see all of these alerts'))
  // The last one counts of several for a kind.
  const last = new Map(wanted.map(choice => [choice.kind, choice])).values()
  const choices = [...last].map(({ kind, bell, email, onlyAssigned }) => ({
    user_id: userId,
    kind,
    bell,
    email: email && alertType(kind).email !== 'own',
    only_assigned: onlyAssigned && kind === 'message.waiting',
  }))
  if (choices.length > 0) {
    await tx
      .insertInto('app.staff_alert_choices')
      .values(choices)
      .onConflict(conflict =>
        conflict.columns(['user_id', 'kind']).doUpdateSet(({ ref }) => ({
          bell: ref('excluded.bell'),
          email: ref('excluded.email'),
          only_assigned: ref('excluded.only_assigned'),
        })),
      )
      .execute()
  }
  const after = await choicesOf(tx, ctx.caller)
  await audit(tx, ctx, {
    action: 'alerts.chosen',
    subject: { kind: 'user', id: userId },
    details: { before: inShort(before), after: inShort(after) },
  })
}

function inShort(choices: readonly AlertChoice[]) {
  return {
    bell: choices.filter(({ bell }) => bell).map(({ kind }) => kind),
    email: choices.filter(({ email }) => email).map(({ kind }) => kind),
    onlyAssigned: choices.some(({ onlyAssigned }) => onlyAssigned),
  }
}

/** True of an alert `a` that somebody is notified of in this way: neither their own act nor somebody else's conversation. */
export function isFor(
  userId: string,
  choices: readonly AlertChoice[],
  way: 'bell' | 'email',
): Expression<SqlBool> {
  const chosen = choices.filter(choice => choice[way])
  const onlyAssigned = chosen.some(choice => choice.onlyAssigned)
  const assigned = sql<SqlBool>`(a.kind <> 'message.waiting' OR EXISTS (
    SELECT FROM app.contact_messages m WHERE m.id = a.subject_id AND m.assigned_to = ${userId}))`
  return sql<SqlBool>`(a.kind = ANY (${chosen.map(({ kind }) => kind)}::text[])
    AND a.author_id IS DISTINCT FROM ${userId} AND ${onlyAssigned ? assigned : sql`true`})`
}

/** True of an alert `a` that somebody has not read. */
export function isUnread(userId: string): Expression<SqlBool> {
  return sql<SqlBool>`(a.closed_at IS NULL AND NOT EXISTS (
    SELECT FROM app.staff_alert_reads r WHERE r.alert_id = a.id AND r.user_id = ${userId}))`
}
