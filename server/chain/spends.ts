import { type Kysely, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Spend } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'

/** Stores uses of slots; one that is mined again, or is back in the mempool, keeps its row. */
export async function storeSpends(
  tx: Tx,
  { rail, now }: { rail: RailName; now: Date },
  spends: readonly Spend[],
): Promise<void> {
  const distinct = new Map(spends.map(spend => [`${spend.slot} ${spend.transactionId}`, spend]))
  const rows = [...distinct.values()].map(({ slot, transactionId, sender, block, safeTxHash }) => ({
    rail,
    slot,
    transaction_id: transactionId,
    sender,
    safe_tx_hash: safeTxHash ?? null,
    seen_at: now,
    block_height: block?.height ?? null,
  }))
  // A statement has 65,535 values at most.
  for (let from = 0; from < rows.length; from += 1000) {
    await tx
      .insertInto('app.chain_spends')
      .values(rows.slice(from, from + 1000))
      .onConflict(conflict =>
        conflict
          .columns(['rail', 'slot', 'transaction_id'])
          // In another block, the same transaction can make a Safe execute another one for the nonce.
          .doUpdateSet({
            block_height: sql`excluded.block_height`,
            safe_tx_hash: sql`excluded.safe_tx_hash`,
            dropped_at: null,
          })
          // A lagging node may report a confirmed transaction as pending: the block counts.
          .where(
            sql<boolean>`excluded.block_height IS NOT NULL AND chain_spends.block_height IS DISTINCT FROM excluded.block_height
                         OR chain_spends.dropped_at IS NOT NULL`,
          ),
      )
      .execute()
  }
  await dropReplaced(tx, rail, rows)
}

/** A block takes one transaction of a slot: all others are dropped, although they may come back after a reorg. */
async function dropReplaced(
  tx: Tx,
  rail: RailName,
  rows: readonly { slot: string; block_height: number | null; seen_at: Date }[],
): Promise<void> {
  const mined = rows.filter(({ block_height }) => block_height !== null)
  if (mined.length === 0) return
  await tx
    .updateTable('app.chain_spends')
    .set({ dropped_at: mined[0]!.seen_at })
    .where('rail', '=', rail)
    .where(sql<boolean>`slot = ANY (${mined.map(({ slot }) => slot)}::text[])`)
    .where('block_height', 'is', null)
    .where('dropped_at', 'is', null)
    .execute()
}

/** Marks uses that are in neither a block nor the mempool: replaced or evicted. They may return. */
export async function dropSpends(
  tx: Tx,
  { rail, now }: { rail: RailName; now: Date },
  pending: readonly Spend[],
): Promise<void> {
  await tx
    .updateTable('app.chain_spends')
    .set({ dropped_at: now })
    .where('rail', '=', rail)
    .where('block_height', 'is', null)
    .where('dropped_at', 'is', null)
    .where(sql<boolean>`NOT transaction_id = ANY (${pending.map(spend => spend.transactionId)}::text[])`)
    .execute()
}

/** Uses in blocks above the common ancestor become unconfirmed. */
export async function disconnectSpends(db: Kysely<Schema>, rail: RailName, fork: number): Promise<void> {
  await db
    .updateTable('app.chain_spends')
    .set({ block_height: null })
    .where('rail', '=', rail)
    .where('block_height', '>', fork)
    .execute()
}
