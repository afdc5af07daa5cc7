import type { Kysely } from 'kysely'
import type { Caller } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { may } from '#shared/roles.ts'

/**
 * Who cares for accounts cares for those of investors; those of staff are in the hands of who manages staff.
 * @throws AppError own_request, forbidden, not_found
 */
export async function requireCareOf(db: Kysely<Schema>, { userId, role }: Caller, id: string): Promise<void> {
  if (id === userId) {
    throw new AppError('own_request', 'This account is your own. Somebody else has to decide about it.')
  }
  const row = await db.selectFrom('app.users').select('type').where('id', '=', id).executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such user')
  if (row.type === 'admin' && !may(role, 'manage')) {
    throw new AppError(
      'forbidden',
      'Only an admin of the firm may do this to the account of somebody of its staff',
    )
  }
}
