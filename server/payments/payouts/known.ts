import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'

/**
 * What was known of a network when a batch was made: what came after it is the batch's own, where its sender sends it. It is the network's own
 * measure, so that a wrong clock of this machine makes no payment older than it is, nor an older one the batch's.
 */
export type Known = {
  /**
   * The median of the times of the last blocks that had been read, as they say themselves (as BIP-113 takes eleven): one that is dated ahead does not
   * make what is sent later older. Also where those blocks are replaced, what is sent later lies in a later one.
   */
  time: Date
  /** The last transfer that had been written down, by its id in app.chain_transfers. */
  transfer: bigint
}

/** Blocks whose times are looked at. */
const medianOf = 11

/**
 * What is known now. To be read before anything else is asked of what was seen: what is written down meanwhile is taken for later.
 * @throws AppError wrong_state where no block of the network was read
 */
export async function knownNow(db: Kysely<Schema>, method: DepositMethod): Promise<Known> {
  const { rows } = await sql<{ time: Date | null; transfer: bigint }>`
    SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY k.time) AS time,
           (SELECT coalesce(max(id), 0) FROM app.chain_transfers) AS transfer
      FROM (SELECT b.time FROM app.chain_blocks b JOIN app.chain_cursors c ON c.method = b.method AND b.height <= c.synced_height
             WHERE b.method = ${method} ORDER BY b.height DESC LIMIT ${medianOf}) k`.execute(db)
  const { time, transfer } = rows[0]!
  if (time !== null) return { time, transfer }
  throw new AppError(
    'wrong_state',
    'The network that pays this coin has not been looked at yet. Wait for the next look; if the console shows a fault of the network, mend that first.',
  )
}
