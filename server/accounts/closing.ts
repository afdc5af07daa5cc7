import { type Kysely, sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { OpenMatter } from '#shared/contract/closing.ts'
import { AppError } from '#shared/errors.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { locales } from '#shared/i18n/locales.ts'
import { t } from '#shared/i18n/t.ts'
import { usdToJson } from '#shared/money.ts'
import { requireCanAdminister } from './can-administer.ts'
import { dropEmailChange } from './email-change.ts'
import { dropResetLinks } from './email-codes.ts'
import { requireUnlistedOwner } from './freeze.ts'
import { ownAccountFrozen } from './frozen.ts'
import { accountRefusals } from './messages.ts'
import { reauthenticate } from './reauthenticate.ts'
import { endSessions } from './sessions.ts'

/** Why a closed account counts as frozen; only staff see it. */
const reasonOfClosing = 'Closed by its owner'

/** What must end before the account can be closed (app.open_matters). */
export async function openMatters(db: Kysely<Schema>, userId: string): Promise<OpenMatter[]> {
  const { rows } = await sql<{ kind: OpenMatter['kind']; number: bigint; cents: bigint | null }>`
    SELECT * FROM app.open_matters(${userId})`.execute(db)
  return rows.map(({ kind, number, cents }) => ({
    kind,
    count: Number(number),
    amount: cents === null ? null : usdToJson(cents),
  }))
}

/**
 * Closes the caller's account for good, as far as they are concerned: every session ends, and no login opens another. Its
 * records and the books stay (docs/decisions/0161-closed-accounts.md).
 * @throws AppError as `reauthenticate`; forbidden to staff; account_frozen; something_open
 */
export async function closeAccount(
  ctx: SignedInContext,
  proof: { password: string; code?: string | undefined },
): Promise<void> {
  await reauthenticate(ctx, proof)
  await ctx.services.db.transaction().execute(tx => close(tx, ctx))
}

async function close(tx: Tx, ctx: SignedInContext): Promise<void> {
  const { services, caller } = ctx
  const { userId } = caller
  const now = services.clock.now()
  const { type, frozen_at } = await lockAccount(tx, userId)
  if (type === 'admin') throw new AppError('forbidden', t('Ask an admin to end your access.'))
  if (frozen_at !== null) throw await ownAccountFrozen({ ...services, db: tx })
  if ((await openMatters(tx, userId)).length > 0) throw accountRefusals.error({ reason: 'something_open' })
  await dropResetLinks(tx, userId)
  await dropEmailChange(tx, ctx, userId)
  await tx.deleteFrom('app.email_codes').where('user_id', '=', userId).execute()
  await tx
    .updateTable('app.users')
    .set({ closed_at: now, frozen_at: now, frozen_by: userId, freeze_reason: reasonOfClosing })
    .where('id', '=', userId)
    .execute()
  await audit(tx, ctx, { action: 'account.closed', subject: { kind: 'user', id: userId } })
  await notifySecurity(tx, ctx, 'account.closed', { userId })
  await endSessions(tx, ctx, { userId })
}

/**
 * Opens a closed account again, as it was: its owner logs in with their password and factors.
 * @param reason for staff
 * @throws AppError own_request, forbidden, not_found; not_closed, owner_listed
 */
export async function reopenAccount(
  tx: Tx,
  ctx: SignedInContext,
  userId: string,
  reason: string,
): Promise<void> {
  await requireCanAdminister(tx, ctx.caller, userId)
  const { closed_at } = await lockAccount(tx, userId)
  if (closed_at === null) throw accountRefusals.error({ reason: 'not_closed' })
  await requireUnlistedOwner(tx, userId)
  await tx
    .updateTable('app.users')
    .set({ closed_at: null, frozen_at: null, frozen_by: null, freeze_reason: null })
    .where('id', '=', userId)
    .execute()
  await audit(tx, ctx, { action: 'account.reopened', subject: { kind: 'user', id: userId }, reason })
  await notifySecurity(tx, ctx, 'account.reopened', { userId })
}

/** Locks the row against every movement of the account's money and every login. */
function lockAccount(tx: Tx, userId: string) {
  return tx
    .selectFrom('app.users')
    .select(['type', 'frozen_at', 'closed_at'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** What the owner of a closed account reads, after their password: nobody else learns that it is closed. */
export async function accountClosed(
  tx: Kysely<Schema>,
  { config }: Pick<SignedInContext['services'], 'config'>,
  closedAt: Date,
): Promise<AppError> {
  const { supportEmail } = await currentFirm(tx, config)
  const { dates } = locales[languageNow()]
  const day = closedAt.toLocaleDateString(dates, { dateStyle: 'long', timeZone: 'UTC' })
  return new AppError(
    'forbidden',
    t(
      'This account was closed on {day}. Write to {supportEmail} if you have questions or want to open it again.',
      { day, supportEmail },
    ),
    { reason: 'account_closed' },
  )
}
