import { z } from 'zod'
import type { SignedInContext, Tx } from '#server/context.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'
import { type DemoPart, demoParts } from '#shared/contract/demo.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { demoRefusals } from './messages.ts'

/** Pays a part of a deposit on the demonstration's chain. */
export const sendFromDemoWallet = defineTask(
  'send_from_demo_wallet',
  z.object({ deposit: z.uuid(), part: z.enum(demoParts) }),
)

/**
 * Queues a payment of the caller's own deposit on the local chain.
 * @throws AppError not_found without such a chain; forbidden; not_payable
 */
export async function requestDemoPayment(
  tx: Tx,
  { services: { config }, caller }: SignedInContext,
  id: string,
  part: DemoPart,
): Promise<void> {
  if (config.demoChain === null) throw new AppError('not_found', t('There is no such call; see /api/docs'))
  const deposit = await tx
    .selectFrom('app.deposits as d')
    .leftJoin('app.payment_addresses as a', 'a.deposit_id', 'd.id')
    .select(['d.status', 'd.method', 'a.account'])
    .where('d.id', '=', id)
    .where('d.user_id', '=', caller.userId)
    .executeTakeFirst()
  if (!deposit) throw new AppError('forbidden', t('You can only pay your own deposits'))
  // One credited in part can still be paid in full.
  const isOpen = deposit.status === 'pending' || deposit.status === 'paid'
  if (!isOpen || deposit.account === null || deposit.method !== 'ethereum') {
    throw demoRefusals.error({ reason: 'not_payable' })
  }
  await enqueue(tx, sendFromDemoWallet, { deposit: id, part }, `demo ${id} ${part}`)
}
