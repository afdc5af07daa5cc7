import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type FirmProfile, firmProfile } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'

/**
 * The firm: in live mode the configured one, in a demonstration the sample's.
 * @throws AppError not_ready while the sample is not loaded
 */
export async function currentFirm(db: Kysely<Schema>, config: Pick<Config, 'firm'>): Promise<FirmProfile> {
  if (config.firm !== null) return config.firm
  const row = await db
    .selectFrom('app.firm_profiles')
    .select('profile')
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) throw new AppError('not_ready', 'The demonstration is still being loaded. Please try again.')
  return firmProfile.parse(row.profile)
}
