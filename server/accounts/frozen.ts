import { type Kysely, sql } from 'kysely'
import type { RequestContext, Services } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

/** SQLSTATE the database raises for a frozen account (0025_frozen_accounts.sql); its detail is the owner's id. */
const frozenState = 'PB911'

/**
 * Refuses frozen accounts and holds off a freeze until the transaction ends. Writing a row about money needs no call: the
 * database checks that itself.
 * @throws a database error that `frozenRefusal` recognises
 */
export async function requireUnfrozen(tx: Kysely<Schema>, userIds: readonly string[]): Promise<void> {
  await sql`SELECT app.require_unfrozen(${userIds}::uuid[])`.execute(tx)
}

export async function isFrozen(db: Kysely<Schema>, userId: string): Promise<boolean> {
  const { frozen_at } = await db
    .selectFrom('app.users')
    .select('frozen_at')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return frozen_at !== null
}

/**
 * The refusal for a database error raised by a freeze, or undefined for any other error. The owner learns whom to contact,
 * never why.
 */
export async function frozenRefusal(
  error: unknown,
  { services, caller }: Pick<RequestContext, 'services' | 'caller'>,
): Promise<AppError | undefined> {
  const { code, detail } = error as { code?: unknown; detail?: unknown }
  if (code !== frozenState) return undefined
  if (caller === null || detail !== caller.userId) return frozenAccount()
  return ownAccountFrozen(services)
}

export async function ownAccountFrozen({ db, config }: Pick<Services, 'db' | 'config'>): Promise<AppError> {
  const { supportEmail } = await currentFirm(db, config)
  return new AppError(
    'account_frozen',
    t(
      'Your account is frozen: deposits, investments and withdrawals are not possible for now. Your money stays where it is. Contact {supportEmail} if you have questions.',
      { supportEmail },
    ),
  )
}

function frozenAccount(): AppError {
  return new AppError(
    'account_frozen',
    t(
      'This account is frozen or closed. Nothing can be approved, credited, closed or paid out until it is unfrozen or reopened; pending requests can be declined.',
    ),
  )
}
