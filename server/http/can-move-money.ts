import type { Kysely } from 'kysely'
import { ownAccountFrozen } from '#server/accounts/frozen.ts'
import type { RequestContext } from '#server/context.ts'
import { emailNotVerified } from '#server/ledger/refusals.ts'
import type { Schema } from '#server/platform/database/schema.ts'

/**
 * Reading is free; moving money needs a verified address and an account that is not frozen.
 * @throws AppError email_not_verified, whose words the client looks for; account_frozen
 */
export async function requireCanMoveMoney(
  db: Kysely<Schema>,
  { caller, services }: Pick<RequestContext, 'caller' | 'services'>,
): Promise<void> {
  const row = await db
    .selectFrom('app.users')
    .select(['email_verified_at', 'frozen_at'])
    .where('id', '=', caller?.userId ?? '')
    .executeTakeFirst()
  if (!row?.email_verified_at) throw emailNotVerified()
  if (row.frozen_at) throw await ownAccountFrozen(services)
}
