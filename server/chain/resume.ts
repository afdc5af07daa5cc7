import type { Services } from '#server/context.ts'
import type { Chain } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'
import { rejectFutureBlocks } from './block-times.ts'
import { blocksUpTo } from './cursor.ts'
import { disconnectBlocks } from './reorg.ts'
import { noteTransfers } from './seen.ts'
import { depositsAt } from './store.ts'

/**
 * Resumes a halted network from the block after `height`, once a person has made sure that the node is on the right chain. Credits that are
 * not found again are reversed once the sync reaches the tip.
 * @param height a block that surely counts, not above the synced height
 * @throws ChainError if the node has no such block; RangeError
 */
export async function resumeAfter(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { rail, chain, height }: { rail: RailName; chain: Chain; height: number },
): Promise<void> {
  const tip = await chain.tip()
  const blocks = await blocksUpTo(chain, height)
  rejectFutureBlocks(rail, [tip, ...blocks], clock.now())
  const last = blocks.at(-1)!
  await db.transaction().execute(async tx => {
    const cursor = await tx
      .selectFrom('app.chain_cursors')
      .select('synced_height')
      .where('rail', '=', rail)
      .forUpdate()
      .executeTakeFirst()
    if (cursor === undefined || height > cursor.synced_height) {
      throw new RangeError(`${rail} is synced up to block ${cursor?.synced_height ?? 'none'}`)
    }
    const touched = await disconnectBlocks(tx, rail, height)
    await tx.deleteFrom('app.chain_blocks').where('rail', '=', rail).execute()
    const rows = blocks.map(block => ({ rail, height: block.height, hash: block.hash, time: block.time }))
    await tx.insertInto('app.chain_blocks').values(rows).execute()
    await tx
      .updateTable('app.chain_cursors')
      .set({ synced_height: height, synced_hash: last.hash, tip_height: Math.max(tip.height, height) })
      // Later blocks are yet to be synced.
      .set({
        synced_at: last.time,
        halted: false,
        sync_error: null,
        sync_error_since: null,
        sync_error_kind: 'reading',
      })
      .where('rail', '=', rail)
      .execute()
    await noteTransfers(tx, await depositsAt(tx, rail, new Set(touched.map(({ address }) => address))))
  })
}
