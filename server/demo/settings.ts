import type { Config } from '#server/config.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { changeSettings } from '#server/staff/settings.ts'
import { configured, presentSettings } from '#server/staff/settings-queries.ts'
import { sampleId } from './catalogue.ts'

/** Up to here, investors of the sample prove nothing. */
export const unprovedDollars = 25_000
/** In cents. */
const limits = { identityLimitCents: BigInt(unprovedDollars) * 100n, fundsLimitCents: 10_000_000n }

/**
 * The operator's settings, to which the firm's two admins add the limits of identity.
 * @param ctx of the admin who approves
 */
export async function loadSettings(
  tx: Tx,
  ctx: SignedInContext,
  { config, proposer }: { config: Config; proposer: string },
): Promise<void> {
  const before = configured(config)
  const content = { before: presentSettings(before), after: presentSettings({ ...before, ...limits }) }
  const now = ctx.services.clock.now()
  const id = sampleId('settings')
  const proposal = { id, kind: 'settings', content, reason: 'What the law asks of us' } as const
  await tx
    .insertInto('app.proposals')
    .values({ ...proposal, proposed_by: proposer, created_at: now })
    .execute()
  await tx
    .updateTable('app.proposals')
    .set({ status: 'approved', decided_by: ctx.caller.userId, decided_at: now })
    .where('id', '=', id)
    .execute()
  await changeSettings(tx, ctx, proposal)
}
