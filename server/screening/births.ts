import { requireCanAdminister } from '#server/accounts/can-administer.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { openProof } from '#server/identity/sealed.ts'
import type { IdentityDetails } from '#shared/contract/identity.ts'
import type { BirthVerdict } from '#shared/sanctions.ts'
import { matchDetail } from './queries.ts'

/**
 * Compares the sealed date of birth of a person's verified identity with what the list says about an entry. The date itself stays sealed
 * and nothing is stored; the audit log keeps who compared.
 * @throws AppError own_request, forbidden, not_found
 */
export async function compareBirths(tx: Tx, ctx: SignedInContext, id: string): Promise<BirthVerdict> {
  const { user, details } = await matchDetail(tx, id)
  await requireCanAdminister(tx, ctx.caller, user)
  const check = await tx
    .selectFrom('app.identity_checks')
    .select(['id', 'sealed_answers'])
    .where('user_id', '=', user)
    .where('kind', '=', 'identity')
    .where('decision', '=', 'verified')
    .where('sealed_answers', 'is not', null)
    .orderBy('decided_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  await audit(tx, ctx, {
    action: 'screening.births_compared',
    subject: { kind: 'user', id: user },
    details: { match: id, check: check?.id ?? null },
  })
  if (!check) return 'unknown'
  const { birth } = JSON.parse(
    openProof(ctx.services, check.id, check.sealed_answers!).toString(),
  ) as IdentityDetails
  return verdictOf(birth, details.births)
}

/**
 * @param birth as 2026-01-31
 * @param listed as lists write dates: 1965-03-15, 1965-03 or 1965; others, such as 'circa 1965', contradict nothing
 */
export function verdictOf(birth: string, listed: readonly string[]): BirthVerdict {
  const isExact = (date: string) => /^\d{4}(-\d{2}){0,2}$/.test(date)
  if (listed.some(date => isExact(date) && birth.startsWith(date))) return 'agrees'
  return listed.length > 0 && listed.every(isExact) ? 'contradicts' : 'unclear'
}
