import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { type Block, type Chain, ChainError } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'
import { rollBackEther } from './contract-ether.ts'
import type { Cursor } from './cursor.ts'
import { disconnectSpends } from './spends.ts'

/** A reorg deeper than the stored blocks: a person must act. */
export class ReorgTooDeep extends Error {}

/**
 * The highest block that both the node's chain and ours contain: the blocks above it were replaced by a reorg.
 * @throws ReorgTooDeep if it is below the stored blocks
 */
export async function commonAncestor(
  db: Kysely<Schema>,
  chain: Chain,
  cursor: Cursor,
  tip: Block,
): Promise<number> {
  if (tip.height === cursor.synced_height && tip.hash === cursor.synced_hash) return cursor.synced_height
  const kept = await db
    .selectFrom('app.chain_blocks')
    .select(['height', 'hash'])
    .where('rail', '=', cursor.rail)
    .orderBy('height', 'desc')
    .limit(chain.maxReorgDepth + 1)
    .execute()
  for (const { height, hash } of kept) {
    const there = await chain.blockAt(height)
    if (there === undefined) throw new ChainError(`the node's block ${height} disappeared during the sync`)
    if (there.hash === hash) return height
  }
  throw new ReorgTooDeep(`None of the last ${kept.length} synced blocks is in the node's chain`)
}

/** Rolls back the blocks above the common ancestor; their transfers become unconfirmed. */
export async function disconnectBlocks(
  tx: Kysely<Schema>,
  rail: RailName,
  fork: number,
): Promise<{ address: string }[]> {
  await disconnectSpends(tx, rail, fork)
  if (rail === 'ethereum') await rollBackEther(tx, fork)
  await tx.deleteFrom('app.chain_blocks').where('rail', '=', rail).where('height', '>', fork).execute()
  return tx
    .updateTable('app.chain_transfers')
    .set({ block_height: null, block_hash: null, block_time: null })
    .where('rail', '=', rail)
    .where('block_height', '>', fork)
    .returning('address')
    .execute()
}
