import { audit, type Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import { notify } from '#server/notifications/notices.ts'
import type { Investment } from './locks.ts'

/** If the payment did not cover its investment, the investment was declined: audit it and notify the investor. */
export async function reportDeclinedInvestment(
  tx: Tx,
  by: Origin,
  of: { investment: Investment | null; outcome: 'kept' | { declined: string } | null; now: Date },
): Promise<void> {
  const { investment, outcome, now } = of
  if (investment === null || outcome === null || outcome === 'kept') return
  await audit(tx, by, {
    action: 'investment.declined',
    subject: { kind: 'investment', id: investment.id },
    moved: ['pending', 'declined'],
    reason: outcome.declined,
  })
  await notify(tx, 'investment.declined', investment, now)
}
