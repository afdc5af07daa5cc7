import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { type Chain, ChainError, type Scanned } from '#server/rails/chain.ts'
import { isStorable } from './transfers.ts'
import type { Watchlist } from './watchlist.ts'

/** The node tells something else of a block than when it was read: nothing from there on is certain. */
export class MisreadBlock extends ChainError {
  readonly height: number

  constructor(height: number) {
    super(`the node shows other transactions of block ${height} than when it was read`)
    this.height = height
  }
}

/** True if what the block shows of the address now is not what it showed when it was read. */
export async function isMisread(
  db: Kysely<Schema>,
  chain: Chain,
  {
    of: { address, height },
    scanned,
    watched,
  }: { of: { address: string; height: number }; scanned: Scanned; watched: Watchlist },
): Promise<boolean> {
  const now = movementsIn(await chain.scan({ from: height, to: height }, watched))
  const isStored = !scanned.blocks.some(block => block.height === height)
  const then = isStored ? await storedMovements(db, height) : movementsIn(scanned)
  const shown = (all: readonly Movement[]) =>
    all
      .filter(one => one.address === address && one.height === height)
      .map(({ id, units }) => `${id} ${units}`)
      .toSorted()
      .join()
  return shown(now) !== shown(then)
}

/** A payment to an address, or what a transaction of the address cost it: negative. */
export type Movement = { id: string; address: string; height: number; units: bigint }

export function movementsIn({ transfers, sent = [] }: Scanned): Movement[] {
  return [
    ...transfers
      .filter(transfer => transfer.token === 'ETH' && isStorable(transfer))
      .map(({ transactionId, address, units, block }) => ({
        id: transactionId,
        address,
        height: block!.height,
        units,
      })),
    ...sent.map(({ transactionId, address, units, height }) => ({
      id: transactionId,
      address,
      height,
      units: -units,
    })),
  ]
}

async function storedMovements(db: Kysely<Schema>, height: number): Promise<Movement[]> {
  const { rows } = await sql<Movement>`
    SELECT transaction_id AS id, address, block_height AS height, units FROM app.chain_transfers
     WHERE rail = 'ethereum' AND token = 'ETH' AND block_height = ${height} AND NOT by_contract
     UNION ALL
    SELECT transaction_id, address, height, -units FROM app.ether_sent WHERE height = ${height}`.execute(db)
  return rows
}
