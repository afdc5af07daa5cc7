import { audit, type Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import { notify } from '#server/notifications/notices.ts'
import type { Investment } from './locks.ts'

/** Where a payment did not cover its investment, that was declined: it is in the log, and its owner is told. */
export async function tellDeclinedBy(
  tx: Tx,
  by: Origin,
  of: { investment: Investment | null; became: 'kept' | { declined: string } | null; now: Date },
): Promise<void> {
  const { investment, became, now } = of
  if (investment === null || became === null || became === 'kept') return
  await audit(tx, by, {
    action: 'investment.declined',
    subject: { kind: 'investment', id: investment.id },
    moved: ['pending', 'declined'],
    reason: became.declined,
  })
  await notify(tx, 'investment.declined', investment, now)
}
