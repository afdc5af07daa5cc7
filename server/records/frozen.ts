import { type Kysely, sql } from 'kysely'
import type { RequestContext, Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { currentFirm } from './firm.ts'

/** SQLSTATE of what the database refuses to a frozen account (0025_frozen_accounts.sql); its detail is whose. */
const frozenState = 'PB911'

/**
 * Refuses what belongs to a frozen account, until the transaction ends also to a freeze that comes meanwhile. What writes a
 * row about money needs it not: the database asks by itself.
 * @throws an error of the database that `frozenRefusal` knows
 */
export async function requireUnfrozen(tx: Kysely<Schema>, userId: string): Promise<void> {
  await sql`SELECT app.require_unfrozen(${[userId]}::uuid[])`.execute(tx)
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
 * The refusal in an error that the database raised because an account is frozen, or undefined for any other error. Its owner
 * is told whom to ask, and never why.
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
    `Your account is frozen: deposits, investments and withdrawals are not possible for now. Your money stays where it is. Write to ${supportEmail} to ask about it.`,
  )
}

function frozenAccount(): AppError {
  return new AppError(
    'account_frozen',
    'This account is frozen: until it is unfrozen nothing of it can be approved, credited, closed or paid out. What is pending can be declined.',
  )
}
