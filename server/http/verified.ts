import type { RequestContext } from '#server/context.ts'
import { emailNotVerified } from '#server/ledger/refusals.ts'

/** @throws AppError email_not_verified, whose words the client looks for */
export async function requireVerified({ services, caller }: RequestContext): Promise<void> {
  const row = await services.db
    .selectFrom('app.users')
    .select('email_verified_at')
    .where('id', '=', caller?.userId ?? '')
    .executeTakeFirst()
  if (!row?.email_verified_at) {
    throw emailNotVerified()
  }
}
