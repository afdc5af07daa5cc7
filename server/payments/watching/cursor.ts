import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type Block, type Chain, ChainFault } from '#server/rails/chain.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { blockClockMinutes } from '#shared/limits.ts'

export type Cursor = Selectable<Schema['app.chain_cursors']>

/** A network whose past has changed deeper than can be compared: a person has to look. */
export class TooDeep extends Error {}

export async function cursorOf(db: Kysely<Schema>, method: DepositMethod): Promise<Cursor | undefined> {
  return db.selectFrom('app.chain_cursors').selectAll().where('method', '=', method).executeTakeFirst()
}

/**
 * The cursor for what is written in this transaction.
 * @returns undefined where somebody has moved it since it was read: what was learnt beside is of no use then
 */
export async function lockCursor(tx: Tx, known: Cursor): Promise<Cursor | undefined> {
  const now = await tx
    .selectFrom('app.chain_cursors')
    .selectAll()
    .where('method', '=', known.method)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return marks(now) === marks(known) ? now : undefined
}

/** Each look that comes to its end changes these, whether there are new blocks or not. */
function marks({ synced_height, synced_hash, halted, polled_at }: Cursor): string {
  return `${synced_height} ${synced_hash} ${halted} ${polled_at.getTime()}`
}

/**
 * The cursor of a deposit's network, which stays as it is while this transaction lasts: nobody takes blocks back beside it. It is held
 * before the payment is locked (payments/locks.ts).
 */
export async function holdCursorOf(tx: Tx, depositId: string): Promise<Cursor | undefined> {
  return holdCursorWhere(tx, sql`(SELECT method FROM app.deposits WHERE id = ${depositId})`)
}

/** The same of a network. */
export async function holdCursor(tx: Tx, method: DepositMethod): Promise<Cursor | undefined> {
  return holdCursorWhere(tx, sql`${method}`)
}

function holdCursorWhere(tx: Tx, method: RawBuilder<unknown>): Promise<Cursor | undefined> {
  return tx
    .selectFrom('app.chain_cursors')
    .selectAll()
    .where(sql<boolean>`method = ${method}`)
    .forShare()
    .executeTakeFirst()
}

/**
 * Where the chain that counts now leaves the one that was read: the highest block that both have.
 * @throws TooDeep where none of the blocks that are kept is in it
 */
export async function forkOf(db: Kysely<Schema>, chain: Chain, cursor: Cursor, tip: Block): Promise<number> {
  if (tip.height === cursor.synced_height && tip.hash === cursor.synced_hash) return cursor.synced_height
  if (tip.height === cursor.synced_height + 1 && tip.parentHash === cursor.synced_hash)
    return cursor.synced_height
  const kept = await db
    .selectFrom('app.chain_blocks')
    .select(['height', 'hash'])
    .where('method', '=', cursor.method)
    .orderBy('height', 'desc')
    .limit(chain.horizon + 1)
    .execute()
  for (const { height, hash } of kept) {
    const there = await chain.blockAt(height)
    if (there === undefined) throw new ChainFault(`the network's block ${height} is gone again`)
    if (there.hash === hash) return height
  }
  throw new TooDeep(
    `None of the last ${kept.length} blocks that were read is in the chain that the node has now`,
  )
}

/** What a method is first read from: nothing before this block can hold a payment to an address that was shown. */
export async function firstBlock(
  db: Kysely<Schema>,
  chain: Chain,
  method: DepositMethod,
  tip: Block,
): Promise<Block> {
  const { first } = await db
    .selectFrom('app.payment_addresses')
    .select(({ fn }) => fn.min('created_at').as('first'))
    .where('method', '=', method)
    .executeTakeFirstOrThrow()
  // Addresses may have been shown while nobody looked: before the first worker ran, or while no node was configured.
  if (first === null || tip.height === 0) return tip
  const before = new Date(first.getTime() - blockClockMinutes * 60_000)
  return tip.time < before ? tip : blockBefore(chain, tip, before)
}

/** The last block before a moment, or the first of all; found by halving, since the times of blocks ascend but for their clocks. */
async function blockBefore(chain: Chain, tip: Block, moment: Date): Promise<Block> {
  let low = await blockThere(chain, 0)
  let high = tip.height
  for (let step = 1; step < tip.height; step *= 2) {
    const block = await blockThere(chain, tip.height - step)
    if (block.time < moment) {
      low = block
      break
    }
    high = block.height
  }
  while (high - low.height > 1) {
    const block = await blockThere(chain, (high + low.height) >> 1)
    if (block.time < moment) low = block
    else high = block.height
  }
  return low
}

async function blockThere(chain: Chain, height: number): Promise<Block> {
  const block = await chain.blockAt(height)
  if (block) return block
  throw new ChainFault(`the network has no block ${height}`)
}

/** As many as a young cursor needs to find back to where the chain has not changed. */
const FIRST_BLOCKS = 12

/** The last blocks up to this height, by which a replaced one is noticed. @throws ChainFault */
export async function blocksUpTo(chain: Chain, height: number): Promise<Block[]> {
  const blocks: Block[] = []
  for (let at = Math.max(0, height - FIRST_BLOCKS + 1); at <= height; at += 1) {
    blocks.push(await blockThere(chain, at))
  }
  return blocks
}
