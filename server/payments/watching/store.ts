import { type Kysely, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Block, Chain, Nonces, Scanned, Spend } from '#server/rails/chain.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { type Cursor, lockCursor } from './cursor.ts'
import { keepTransfers } from './keep-transfers.ts'
import { refreshSeen } from './seen.ts'
import type { WatchedHere } from './watched.ts'

/** What one step has learnt of a network. */
type Learnt = {
  chain: Pick<Chain, 'confirmations' | 'horizon'>
  /** As it was read before. */
  cursor: Cursor
  /** The highest block that was read before and counts still. */
  fork: number
  tip: Block
  /** The blocks after the fork as far as they were read, and what is in them for us. */
  scanned: Scanned
  /** What is in no block yet; undefined where the step has not come to the tip. */
  pending: Pick<Scanned, 'transfers' | 'spends'> | undefined
  /** Whether a block has come since the tip was asked for: what is not pending any more may be in that. */
  hasMoved: boolean
  watched: WatchedHere
  /** How far the transactions of each payer are numbered, where that was asked. */
  nonces: ReadonlyMap<string, Nonces>
  /** Whether all that a look asks for was learnt: what waits for a block, and those numbers. */
  isWhole: boolean
  /** When the look began: what came later, it may not have asked for any more. */
  began: Date
  now: Date
}

/**
 * Writes down what a step has learnt, and that it is known from now on, in one transaction.
 * @returns false where somebody else has been quicker: then nothing is written
 */
export async function store(tx: Tx, learnt: Learnt): Promise<boolean> {
  const { cursor, fork, scanned, pending, watched, now } = learnt
  const { method } = cursor
  const at = { method, watched, now }
  const locked = await lockCursor(tx, cursor)
  if (locked === undefined) return false
  const touched = new Set<string>()
  const touch = (rows: readonly { address: string }[]) => {
    for (const { address } of rows) touched.add(address)
  }
  if (fork < cursor.synced_height) touch(await takeBack(tx, method, fork))
  touch(await keepTransfers(tx, at, scanned.transfers))
  await keepTransactions(tx, learnt)
  await keepSpends(tx, method, scanned.spends)
  if (pending) {
    touch(await keepTransfers(tx, at, pending.transfers))
    if (!learnt.hasMoved) touch(await markGone(tx, method, { pending, now }))
    await keepSpends(tx, method, pending.spends)
  }
  await keepNonces(tx, learnt)
  await moveCursor(tx, learnt)
  await keepUsed(tx, touched, now)
  await refreshSeen(tx, await depositsAt(tx, method, touched))
  return true
}

/** The blocks above the fork do not count any more: what was in them is in no block. */
export async function takeBack(
  tx: Kysely<Schema>,
  method: DepositMethod,
  fork: number,
): Promise<{ address: string }[]> {
  await tx
    .updateTable('app.chain_transfers')
    .set({ spent_height: null })
    .where('method', '=', method)
    .where('spent_height', '>', fork)
    .execute()
  await tx.deleteFrom('app.chain_blocks').where('method', '=', method).where('height', '>', fork).execute()
  return tx
    .updateTable('app.chain_transfers')
    .set({ block_height: null, block_hash: null, block_time: null })
    .where('method', '=', method)
    .where('block_height', '>', fork)
    .returning('address')
    .execute()
}

/** What has paid the firm is spent with its whole transaction beside it. */
async function keepTransactions(tx: Tx, { scanned, watched: { own } }: Learnt): Promise<void> {
  const { transactions, transfers } = scanned
  if (transactions === undefined) return
  const ours = new Set(
    transfers.flatMap(({ transactionId, address }) => (own.has(address) ? transactionId : [])),
  )
  for (const id of ours) {
    const raw = transactions.get(id)
    if (raw === undefined) continue
    await tx
      .insertInto('app.bitcoin_transactions')
      .values({ transaction_id: id, raw: Buffer.from(raw) })
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
}

async function keepNonces(tx: Tx, { cursor, nonces, now }: Learnt): Promise<void> {
  for (const [address, { next, settled }] of nonces) {
    const known = { next_nonce: next, confirmed_nonce: settled, synced_at: now }
    await tx
      .insertInto('app.sender_nonces')
      .values({ method: cursor.method, address, ...known })
      .onConflict(conflict => conflict.columns(['method', 'address']).doUpdateSet(known))
      .execute()
  }
}

/** What is in no block, and unknown to the network: replaced by another transaction, or dropped. It may come back. */
async function markGone(
  tx: Tx,
  method: DepositMethod,
  { pending, now }: { pending: Pick<Scanned, 'transfers' | 'spends'>; now: Date },
): Promise<{ address: string }[]> {
  const names = pending.transfers.map(({ transactionId, position }) => `${transactionId}:${position}`)
  await tx
    .updateTable('app.chain_transfers')
    .set({ spent_by: null })
    .where('method', '=', method)
    .where('spent_by', 'is not', null)
    .where('spent_height', 'is', null)
    .where(sql<boolean>`NOT spent_by = ANY (${pending.spends.map(spend => spend.transactionId)}::text[])`)
    .execute()
  return tx
    .updateTable('app.chain_transfers')
    .set({ dropped_at: now })
    .where('method', '=', method)
    .where('block_height', 'is', null)
    .where('dropped_at', 'is', null)
    .where(sql<boolean>`NOT transaction_id || ':' || position = ANY (${names}::text[])`)
    .returning('address')
    .execute()
}

async function keepSpends(tx: Tx, method: DepositMethod, spends: readonly Spend[]): Promise<void> {
  for (const { outpoint, transactionId, block } of spends) {
    const [id, index] = outpoint.split(':') as [string, string]
    await tx
      .updateTable('app.chain_transfers')
      .set({ spent_by: transactionId, spent_height: block?.height ?? null })
      .where('method', '=', method)
      .where('transaction_id', '=', id)
      .where('position', '=', Number(index))
      .$if(block === null, query => query.where('spent_height', 'is', null))
      .execute()
  }
}

async function moveCursor(
  tx: Tx,
  { chain, cursor, fork, tip, scanned, isWhole, began, now }: Learnt,
): Promise<void> {
  const { method } = cursor
  const last = scanned.blocks.at(-1)
  const height = last?.height ?? fork
  // As many as may be replaced; while a long way is caught up most of them are passed by.
  const oldest = height - chain.horizon
  const kept = scanned.blocks.filter(block => block.height >= oldest)
  if (kept.length > 0) {
    const rows = kept.map(block => ({ method, height: block.height, hash: block.hash, time: block.time }))
    await tx.insertInto('app.chain_blocks').values(rows).execute()
  }
  await tx.deleteFrom('app.chain_blocks').where('method', '=', method).where('height', '<', oldest).execute()
  await tx
    .updateTable('app.chain_cursors')
    .set({
      synced_height: height,
      ...(last === undefined ? {} : { synced_hash: last.hash }),
      tip_height: tip.height,
      confirmations: chain.confirmations,
      ...(height === tip.height ? { synced_at: now } : {}),
      // A look that did not come to its end leaves the words of what stopped it; what could not be assessed is no matter of reading.
      ...(isWhole ? { polled_at: began } : {}),
      ...(isWhole && cursor.sync_error_kind !== 'crediting' && cursor.sync_error_kind !== 'payouts'
        ? { sync_error: null, sync_error_since: null }
        : {}),
    })
    .where('method', '=', method)
    .executeTakeFirstOrThrow()
}

/** An address that something has come to is shown to nobody again. */
async function keepUsed(tx: Tx, addresses: ReadonlySet<string>, now: Date): Promise<void> {
  if (addresses.size === 0) return
  await tx
    .updateTable('app.payment_addresses')
    .set({ used_at: now })
    .where(sql<boolean>`app.address_key(address) = ANY (${[...addresses]}::text[])`)
    .where('used_at', 'is', null)
    .execute()
}

/** The deposits whose addresses these are. */
export async function depositsAt(
  tx: Kysely<Schema>,
  method: DepositMethod,
  addresses: ReadonlySet<string>,
): Promise<string[]> {
  if (addresses.size === 0) return []
  const rows = await tx
    .selectFrom('app.payment_addresses')
    .select('deposit_id')
    .where('method', '=', method)
    .where(sql<boolean>`app.address_key(address) = ANY (${[...addresses]}::text[])`)
    .where('deposit_id', 'is not', null)
    .execute()
  return rows.map(row => row.deposit_id!)
}
