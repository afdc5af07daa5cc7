import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type Block, type Chain, ChainError } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'
import { blockClockMinutes } from '#shared/limits.ts'

export type Cursor = Selectable<Schema['app.chain_cursors']>

export async function cursorOf(db: Kysely<Schema>, rail: RailName): Promise<Cursor | undefined> {
  return db.selectFrom('app.chain_cursors').selectAll().where('rail', '=', rail).executeTakeFirst()
}

/**
 * Locks the cursor for writing.
 * @returns undefined if it has moved since it was read, which makes the scan obsolete
 */
export async function lockCursor(tx: Tx, known: Cursor): Promise<Cursor | undefined> {
  const now = await tx
    .selectFrom('app.chain_cursors')
    .selectAll()
    .where('rail', '=', known.rail)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return marks(now) === marks(known) ? now : undefined
}

/** Every complete sync changes these, even without new blocks. */
function marks({ synced_height, synced_hash, halted, polled_at }: Cursor): string {
  return `${synced_height} ${synced_hash} ${halted} ${polled_at.getTime()}`
}

/** Locks the cursor of a deposit's network against rollbacks in this transaction. Call it before locking the payment (deposits/locks.ts). */
export async function holdCursorOf(tx: Tx, depositId: string): Promise<Cursor | undefined> {
  return holdCursorWhere(tx, sql`(SELECT app.rail_of(method) FROM app.deposits WHERE id = ${depositId})`)
}

/** The same for a network. */
export async function holdCursor(tx: Tx, rail: RailName): Promise<Cursor | undefined> {
  return holdCursorWhere(tx, sql`${rail}`)
}

function holdCursorWhere(tx: Tx, rail: RawBuilder<unknown>): Promise<Cursor | undefined> {
  return tx
    .selectFrom('app.chain_cursors')
    .selectAll()
    .where(sql<boolean>`rail = ${rail}`)
    .forShare()
    .executeTakeFirst()
}

/** Where the first sync starts: no earlier block can pay an address that was shown. */
export async function firstBlock(
  db: Kysely<Schema>,
  chain: Chain,
  rail: RailName,
  tip: Block,
): Promise<Block> {
  const { first } = await db
    .selectFrom('app.payment_addresses')
    .select(({ fn }) => fn.min('created_at').as('first'))
    .where('rail', '=', rail)
    .executeTakeFirstOrThrow()
  // Addresses may have been shown before the first sync.
  if (first === null || tip.height === 0) return tip
  const before = new Date(first.getTime() - blockClockMinutes * 60_000)
  return tip.time < before ? tip : blockBefore(chain, tip, before)
}

/** The last block before a time, or the first of all, by binary search; block times ascend approximately. */
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
  throw new ChainError(`the node has no block ${height}`)
}

/** Enough for a new cursor to find a common ancestor. */
const FIRST_BLOCKS = 12

/** The last blocks up to this height, to detect a reorg. @throws ChainError */
export async function blocksUpTo(chain: Chain, height: number): Promise<Block[]> {
  const blocks: Block[] = []
  for (let at = Math.max(0, height - FIRST_BLOCKS + 1); at <= height; at += 1) {
    blocks.push(await blockThere(chain, at))
  }
  return blocks
}
