import type { Services } from '#server/context.ts'
import type { Chain } from '#server/rails/chain.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { blocksUpTo } from './cursor.ts'
import { requireDated } from './dated.ts'
import { refreshSeen } from './seen.ts'
import { depositsAt, takeBack } from './store.ts'

/**
 * Has a network read again from the block after this height: where its watching has stopped, and somebody has made sure that the node
 * has the right chain. What was credited and is not found again is taken back once everything is read.
 * @param height of a block that surely counts; not above the last one that was read
 * @throws ChainFault where the node has no such block; RangeError
 */
export async function resumeAfter(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { method, chain, height }: { method: DepositMethod; chain: Chain; height: number },
): Promise<void> {
  const tip = await chain.tip()
  const blocks = await blocksUpTo(chain, height)
  requireDated(method, [tip, ...blocks], clock.now())
  const last = blocks.at(-1)!
  await db.transaction().execute(async tx => {
    const cursor = await tx
      .selectFrom('app.chain_cursors')
      .select('synced_height')
      .where('method', '=', method)
      .forUpdate()
      .executeTakeFirst()
    if (cursor === undefined || height > cursor.synced_height) {
      throw new RangeError(`${method} was read up to block ${cursor?.synced_height ?? 'none'}`)
    }
    const touched = await takeBack(tx, method, height)
    await tx.deleteFrom('app.chain_blocks').where('method', '=', method).execute()
    const rows = blocks.map(block => ({ method, height: block.height, hash: block.hash, time: block.time }))
    await tx.insertInto('app.chain_blocks').values(rows).execute()
    await tx
      .updateTable('app.chain_cursors')
      .set({ synced_height: height, synced_hash: last.hash, tip_height: Math.max(tip.height, height) })
      // What came after it is still to be read.
      .set({
        synced_at: last.time,
        halted: false,
        sync_error: null,
        sync_error_since: null,
        sync_error_kind: 'reading',
      })
      .where('method', '=', method)
      .execute()
    await refreshSeen(tx, await depositsAt(tx, method, new Set(touched.map(({ address }) => address))))
  })
}
