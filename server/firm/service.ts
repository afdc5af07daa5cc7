import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { lockVersions, requireLatestVersion } from '#server/queries/versions.ts'
import { type FirmProfile, firmProfile } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { firmErrors } from '#shared/firm.ts'
import { t } from '#shared/i18n/t.ts'
import { latestFirm } from './queries.ts'

/**
 * Stores a new version of the firm's profile (N-14).
 * @param by the version that was edited, and the reason
 * @throws AppError not_ready before the first version; wrong_state if another admin was faster; invalid_input for a missing
 *   mandatory field or no change
 */
export async function updateFirm(
  tx: Tx,
  ctx: SignedInContext,
  after: FirmProfile,
  by: { version: number; reason: string },
): Promise<FirmProfile> {
  const { mode } = ctx.services.config
  await lockVersions(tx, 'firm')
  const latest = await latestFirm(tx, { mode })
  if (!latest) throw new AppError('not_ready', t('The demonstration is still loading. Please try again.'))
  requireLatestVersion(latest.version, by.version, 'profile')
  const now = ctx.services.clock.now()
  const fields = firmErrors(after, mode, now.getUTCFullYear())
  const [error] = Object.values(fields)
  if (error) throw new AppError('invalid_input', error, { fields })
  const before = firmProfile.parse(latest.profile)
  requireChange(before, after)
  await tx
    .insertInto('app.firm_profiles')
    .values({
      mode,
      version: latest.version + 1,
      profile: after,
      reason: by.reason,
      created_by: ctx.caller.userId,
      created_at: now,
    })
    .execute()
  await audit(tx, ctx, {
    action: 'firm.updated',
    subject: { kind: 'firm', id: null },
    reason: by.reason,
    details: { version: latest.version + 1, before, after },
  })
  return after
}

function requireChange(before: FirmProfile, after: FirmProfile): void {
  const names = Object.keys(after) as (keyof FirmProfile)[]
  if (names.some(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))) return
  throw new AppError('invalid_input', t('Nothing has been changed'))
}
