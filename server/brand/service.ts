import { isDeepStrictEqual } from 'node:util'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { lockStaff } from '#server/staff/admins.ts'
import { type ProposalRow, propose } from '#server/staff/proposals.ts'
import { brandThemes, colourError } from '#shared/brand.ts'
import type { BrandValues } from '#shared/contract/brand.ts'
import { AppError } from '#shared/errors.ts'
import { requireUploaded } from './logos.ts'
import { brandRefusals } from './messages.ts'
import { currentBrand } from './queries.ts'

/**
 * Proposes a look; the current one stays in force until another admin approves.
 * @returns the proposal's id
 * @throws AppError forbidden; invalid_input for a colour that cannot be read or a missing logo; brand_unchanged, already_proposed, needs_second_admin
 */
export async function proposeBrand(
  tx: Tx,
  ctx: SignedInContext,
  { reason, ...after }: BrandValues & { reason: string },
): Promise<string> {
  const others = await lockStaff(tx, ctx)
  requireReadable(after)
  await requireUploaded(tx, after)
  const { values: before } = await currentBrand(tx)
  if (isDeepStrictEqual(before, after)) throw brandRefusals.error({ reason: 'brand_unchanged' })
  return propose(tx, ctx, others, { kind: 'brand', content: { before, after }, reason })
}

function requireReadable({ accent }: BrandValues): void {
  if (accent === null) return
  const wrong = brandThemes.flatMap(theme => {
    const message = colourError(accent[theme], theme)
    return message === undefined ? [] : [[`accent.${theme}`, message] as const]
  })
  if (wrong[0]) throw new AppError('invalid_input', wrong[0][1], { fields: Object.fromEntries(wrong) })
}

/** Puts an approved look into force on every page. */
export async function changeBrand(tx: Tx, ctx: SignedInContext, proposal: ProposalRow): Promise<void> {
  const { before, after } = proposal.content as { before: BrandValues; after: BrandValues }
  await tx
    .insertInto('app.brand_versions')
    .values({ look: after, proposal_id: proposal.id, created_at: ctx.services.clock.now() })
    .execute()
  const subject = { kind: 'proposal', id: proposal.id }
  const details = { before, after }
  await audit(tx, ctx, { action: 'brand.changed', subject, reason: proposal.reason, details })
}
