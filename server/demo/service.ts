import { z } from 'zod'
import type { SignedInContext, Tx } from '#server/context.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'
import { type DemoPart, demoParts } from '#shared/contract/demo.ts'
import { AppError } from '#shared/errors.ts'

/** Sends a part of a deposit's payment on the demonstration's chain. */
export const sendFromDemoWallet = defineTask(
  'send_from_demo_wallet',
  z.object({ deposit: z.uuid(), part: z.enum(demoParts) }),
)

/**
 * Queues the payment of one's own pending deposit on the local chain.
 * @throws AppError not_found where there is no such chain; forbidden, wrong_state
 */
export async function askDemoWallet(
  tx: Tx,
  { services: { config }, caller }: SignedInContext,
  id: string,
  part: DemoPart,
): Promise<void> {
  if (config.demoChain === null) throw new AppError('not_found', 'There is no such call; see /api/docs')
  const deposit = await tx
    .selectFrom('app.deposits as d')
    .leftJoin('app.payment_addresses as a', 'a.deposit_id', 'd.id')
    .select(['d.status', 'a.method'])
    .where('d.id', '=', id)
    .where('d.user_id', '=', caller.userId)
    .executeTakeFirst()
  if (!deposit) throw new AppError('forbidden', 'You can pay your own deposits only')
  if (deposit.status !== 'pending' || deposit.method !== 'ethereum') {
    throw new AppError(
      'wrong_state',
      'The demo wallet pays pending deposits in ether, at addresses of their own',
    )
  }
  await enqueue(tx, sendFromDemoWallet, { deposit: id, part }, `demo ${id} ${part}`)
}
