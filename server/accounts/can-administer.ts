import type { Kysely } from 'kysely'
import type { Caller } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { may } from '#shared/roles.ts'

/**
 * Support may administer investors' accounts; a staff account takes the right to manage.
 * @throws AppError own_request, forbidden, not_found
 */
export async function requireCanAdminister(
  db: Kysely<Schema>,
  { userId, role }: Caller,
  id: string,
): Promise<void> {
  if (id === userId) {
    throw new AppError(
      'own_request',
      t('You cannot do this to your own account. Ask another member of the team.'),
    )
  }
  const row = await db.selectFrom('app.users').select('type').where('id', '=', id).executeTakeFirst()
  if (!row) throw new AppError('not_found', t('User not found'))
  if (row.type === 'admin' && !may(role, 'manage')) {
    throw new AppError('forbidden', t('Only an admin can do this to a staff account'))
  }
}
