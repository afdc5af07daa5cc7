import { type Kysely, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Block, Chain, NextNonce, Scanned } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'
import { type EtherReading, storeEtherReading, storeSent } from './contract-ether.ts'
import { type Cursor, lockCursor } from './cursor.ts'
import { disconnectBlocks } from './reorg.ts'
import { noteTransfers } from './seen.ts'
import { dropSpends, storeSpends } from './spends.ts'
import { storeTransfers } from './transfers.ts'
import type { Watchlist } from './watchlist.ts'

/** The result of scanning one step. */
type ScanResult = {
  chain: Pick<Chain, 'confirmations' | 'maxReorgDepth'>
  /** As read before the scan. */
  cursor: Cursor
  /** Height of the common ancestor. */
  fork: number
  tip: Block
  /** The blocks after it, with our transfers. */
  scanned: Scanned
  /** Unconfirmed transfers; undefined where they were not read. */
  pending: Pick<Scanned, 'transfers' | 'spends'> | undefined
  /** True if the tip moved during the scan: a transfer missing from the mempool may then be in the new block. */
  hasMoved: boolean
  watched: Watchlist
  /** Balances on Ethereum, where a reading was due. */
  ether: EtherReading | undefined
  /** Nonces of the payout senders, where read. */
  nonces: ReadonlyMap<string, NextNonce>
  /** True if nothing is missing: blocks to the tip and, where wanted, mempool and nonces. */
  isWhole: boolean
  /** When the missing blocks will have been read; null at the tip. */
  caughtUpBy: Date | null
  /** Start of the sync; it may have missed anything later. */
  startedAt: Date
  now: Date
}

/**
 * Stores a scan and moves the cursor, in one transaction.
 * @returns false, having written nothing, if another process was quicker
 */
export async function store(tx: Tx, result: ScanResult): Promise<boolean> {
  const { cursor, fork, scanned, pending, watched, now } = result
  const { rail } = cursor
  const at = { rail, watched, now }
  const locked = await lockCursor(tx, cursor)
  if (locked === undefined) return false
  const touched = new Set<string>()
  const arrivals: bigint[] = []
  const touch = (rows: readonly { address: string; arrival?: bigint | null }[]) => {
    for (const { address, arrival } of rows) {
      touched.add(address)
      if (arrival) arrivals.push(arrival)
    }
  }
  if (fork < cursor.synced_height) touch(await disconnectBlocks(tx, rail, fork))
  touch(await storeTransfers(tx, at, scanned.transfers))
  await storeTransactions(tx, result)
  await storeSpends(tx, at, scanned.spends)
  if (pending) {
    touch(await storeTransfers(tx, at, pending.transfers))
    if (!result.hasMoved) {
      touch(await markDropped(tx, rail, { pending, now }))
      await dropSpends(tx, at, pending.spends)
    }
    await storeSpends(tx, at, pending.spends)
  }
  await storeNonces(tx, result)
  await storeSent(tx, scanned.sent ?? [])
  if (result.ether) touch(await storeTransfers(tx, at, result.ether.transfers))
  await moveCursor(tx, result)
  await markAddressesUsed(tx, touched, now)
  const depositsOf = (addresses: ReadonlySet<string>) => depositsAt(tx, rail, addresses)
  await noteTransfers(tx, await depositsOf(touched), arrivals)
  if (result.ether) await storeEtherReading(tx, result.ether, { chain: result.chain, depositsOf })
  return true
}

/** Stores the raw transactions of our incoming transfers: a PSBT includes those it spends. */
async function storeTransactions(tx: Tx, { scanned, watched: { own } }: ScanResult): Promise<void> {
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

async function storeNonces(tx: Tx, { cursor, nonces, now }: ScanResult): Promise<void> {
  for (const [address, { nonce, safe }] of nonces) {
    const state = { next_nonce: nonce, safe_version: safe, synced_at: now }
    await tx
      .insertInto('app.sender_nonces')
      .values({ rail: cursor.rail, address, ...state })
      .onConflict(conflict => conflict.columns(['rail', 'address']).doUpdateSet(state))
      .execute()
  }
}

/** Marks transfers that are in neither a block nor the mempool: replaced or evicted. They may return. */
async function markDropped(
  tx: Tx,
  rail: RailName,
  { pending, now }: { pending: Pick<Scanned, 'transfers'>; now: Date },
): Promise<{ address: string }[]> {
  const names = pending.transfers.map(({ transactionId, position }) => `${transactionId}:${position}`)
  return tx
    .updateTable('app.chain_transfers')
    .set({ dropped_at: now })
    .where('rail', '=', rail)
    .where('block_height', 'is', null)
    .where('dropped_at', 'is', null)
    .where(sql<boolean>`NOT transaction_id || ':' || position = ANY (${names}::text[])`)
    .returning('address')
    .execute()
}

async function moveCursor(
  tx: Tx,
  { chain, cursor, fork, tip, scanned, isWhole, startedAt, caughtUpBy, now }: ScanResult,
): Promise<void> {
  const { rail } = cursor
  const last = scanned.blocks.at(-1)
  const height = last?.height ?? fork
  // Keep only blocks that a reorg may still replace.
  const oldest = height - chain.maxReorgDepth
  const kept = scanned.blocks.filter(block => block.height >= oldest)
  if (kept.length > 0) {
    const rows = kept.map(block => ({ rail, height: block.height, hash: block.hash, time: block.time }))
    await tx.insertInto('app.chain_blocks').values(rows).execute()
  }
  await tx.deleteFrom('app.chain_blocks').where('rail', '=', rail).where('height', '<', oldest).execute()
  await tx
    .updateTable('app.chain_cursors')
    .set({
      synced_height: height,
      ...(last === undefined ? {} : { synced_hash: last.hash }),
      tip_height: tip.height,
      confirmations: chain.confirmations,
      ...(height === tip.height ? { synced_at: now } : {}),
      caught_up_by: caughtUpBy,
      // An incomplete sync keeps its error; consumers clear their own errors.
      ...(isWhole ? { polled_at: startedAt } : {}),
      ...(isWhole && cursor.sync_error_kind !== 'crediting' && cursor.sync_error_kind !== 'payouts'
        ? { sync_error: null, sync_error_since: null }
        : {}),
    })
    .where('rail', '=', rail)
    .executeTakeFirstOrThrow()
}

/** A used address is never shown again. */
async function markAddressesUsed(tx: Tx, addresses: ReadonlySet<string>, now: Date): Promise<void> {
  if (addresses.size === 0) return
  await tx
    .updateTable('app.payment_addresses')
    .set({ used_at: now })
    .where(sql<boolean>`app.address_key(address) = ANY (${[...addresses]}::text[])`)
    .where('used_at', 'is', null)
    .execute()
}

/** The deposits with these addresses. */
export async function depositsAt(
  tx: Kysely<Schema>,
  rail: RailName,
  addresses: ReadonlySet<string>,
): Promise<string[]> {
  if (addresses.size === 0) return []
  const rows = await tx
    .selectFrom('app.payment_addresses')
    .select('deposit_id')
    .where('rail', '=', rail)
    .where(sql<boolean>`app.address_key(address) = ANY (${[...addresses]}::text[])`)
    .where('deposit_id', 'is not', null)
    .execute()
  return rows.map(row => row.deposit_id!)
}
