import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'

/**
 * What was known of a network when a batch was made: what came after it is the batch's own, where its payer sends it. It is the network's own
 * measure, so that a wrong clock of this machine makes no payment older than it is, nor an older one the batch's.
 */
export type Known = {
  /** Of the last block that had been read, as it says itself. Also where that block is replaced, what is sent later lies in a later one. */
  time: Date
  /** The last transfer that had been written down, by its id in app.chain_transfers. */
  transfer: bigint
}

/**
 * What is known now. To be read before anything else is asked of what was seen: what is written down meanwhile is taken for later.
 * @throws AppError wrong_state where no block of the network was read
 */
export async function knownNow(db: Kysely<Schema>, method: DepositMethod): Promise<Known> {
  const known = await db
    .selectFrom('app.chain_cursors as c')
    .innerJoin('app.chain_blocks as k', join =>
      join.onRef('k.method', '=', 'c.method').onRef('k.height', '=', 'c.height'),
    )
    .select('k.time')
    .select(sql<bigint>`coalesce((SELECT max(id) FROM app.chain_transfers), 0)`.as('transfer'))
    .where('c.method', '=', method)
    .executeTakeFirst()
  if (known) return known
  throw new AppError(
    'wrong_state',
    'The network that pays this coin has not been looked at yet. Wait for the next look; if the console shows a fault of the network, mend that first.',
  )
}
