import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'

/**
 * How far we had synced a network when a batch was created: later transfers from its sender are the batch's own. It relies on the
 * network's measures, so that a wrong clock of this machine cannot misattribute a payment.
 */
export type ChainCheckpoint = {
  /** Median time past (BIP-113): one block dated ahead does not make later transfers look older. */
  medianTimePast: Date
  /** Id of the last transfer in app.chain_transfers. */
  lastTransferId: bigint
}

/** Blocks in the median (BIP-113). */
const medianBlocks = 11

/**
 * To be read before any other question about transfers: those stored meanwhile then count as later.
 * @returns null before the first sync
 */
export async function currentCheckpoint(
  db: Kysely<Schema>,
  method: DepositMethod,
): Promise<ChainCheckpoint | null> {
  const { rows } = await sql<{ time: Date | null; transfer: bigint }>`
    SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY k.time) AS time,
           (SELECT coalesce(max(id), 0) FROM app.chain_transfers) AS transfer
      FROM (SELECT b.time FROM app.chain_blocks b JOIN app.chain_cursors c ON c.method = b.method AND b.height <= c.synced_height
             WHERE b.method = ${method} ORDER BY b.height DESC LIMIT ${medianBlocks}) k`.execute(db)
  const { time, transfer } = rows[0]!
  return time === null ? null : { medianTimePast: time, lastTransferId: transfer }
}
