import type { Kysely } from 'kysely'
import type { RequestContext } from '#server/context.ts'
import { emailNotVerified } from '#server/ledger/refusals.ts'
import type { Schema } from '#server/platform/database/schema.ts'

/** @throws AppError email_not_verified, whose words the client looks for */
export async function requireVerified(
  db: Kysely<Schema>,
  { caller }: Pick<RequestContext, 'caller'>,
): Promise<void> {
  const row = await db
    .selectFrom('app.users')
    .select('email_verified_at')
    .where('id', '=', caller?.userId ?? '')
    .executeTakeFirst()
  if (!row?.email_verified_at) throw emailNotVerified()
}
