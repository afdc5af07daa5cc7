import { type Insertable, type Kysely, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Block, Chain, Nonces, Scanned, Spend, Transfer } from '#server/rails/chain.ts'
import { type DepositMethod, paymentMethods } from '#shared/coins.ts'
import { dustUnits, paymentWindowMinutes } from '#shared/limits.ts'
import { type Cursor, lockCursor } from './cursor.ts'
import { MOST_UNITS, refreshSeen } from './seen.ts'
import { concerns, type WatchedHere } from './watched.ts'

/** What one step has learnt of a network. */
export type Learnt = {
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
  const { cursor, fork, scanned, pending, now } = learnt
  const { method } = cursor
  const locked = await lockCursor(tx, cursor)
  if (locked === undefined) return false
  const touched = new Set<string>()
  const touch = (rows: readonly { address: string }[]) => {
    for (const { address } of rows) touched.add(address)
  }
  if (fork < cursor.height) touch(await takeBack(tx, method, fork))
  touch(await keepTransfers(tx, learnt, scanned.transfers))
  await keepTransactions(tx, learnt)
  await keepSpends(tx, method, scanned.spends)
  if (pending) {
    touch(await keepTransfers(tx, learnt, pending.transfers))
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

type Row = Insertable<Schema['app.chain_transfers']>

/** New ones are added; one that is known gets its block, or is back again. */
async function keepTransfers(
  tx: Tx,
  { cursor, watched, now }: Learnt,
  transfers: readonly Transfer[],
): Promise<{ address: string }[]> {
  const { method } = cursor
  const ours = transfers.filter(transfer => isStorable(transfer) && concerns(watched, transfer))
  await keepSpare(tx, watched, ours, now)
  const rows = distinct(ours).map(transfer => rowOf(method, transfer, { watched, now }))
  const kept: { address: string }[] = []
  // A statement has 65,535 values at most.
  for (let from = 0; from < rows.length; from += 1000) {
    kept.push(...(await upsert(tx, rows.slice(from, from + 1000))))
  }
  await setOwnAside(tx, method, { addresses: rows.map(({ address }) => address), payers: watched.payers })
  return kept
}

/** Change that the wallet has sent to an address of its own choice: the firm's from now on, as what the batches chose. */
async function keepSpare(
  tx: Tx,
  { spare }: WatchedHere,
  transfers: readonly Transfer[],
  now: Date,
): Promise<void> {
  const found = new Map(
    transfers.flatMap(({ address }) => {
      const known = spare.get(address)
      return known === undefined ? [] : [[known.index, known]]
    }),
  )
  if (found.size === 0) return
  await tx
    .insertInto('app.payment_addresses')
    .values(
      [...found.values()].map(({ account, index, address }) => ({
        account,
        branch: 1 as const,
        address_index: index,
        method: 'bitcoin' as const,
        address,
        user_id: null,
        deposit_id: null,
        used_at: now,
        created_at: now,
      })),
    )
    .onConflict(conflict => conflict.doNothing())
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
    const known = { next_nonce: next, settled_nonce: settled, read_at: now }
    await tx
      .insertInto('app.payer_nonces')
      .values({ method: cursor.method, address, ...known })
      .onConflict(conflict => conflict.columns(['method', 'address']).doUpdateSet(known))
      .execute()
  }
}

export function isStorable({ units }: Pick<Transfer, 'units'>): boolean {
  return units > 0n && units <= MOST_UNITS
}

/** One statement can change a row once, whatever a node answers. */
function distinct(transfers: readonly Transfer[]): Transfer[] {
  const name = (transfer: Transfer) =>
    [transfer.transactionId, transfer.position, transfer.address, transfer.token, transfer.units].join(' ')
  return [...new Map(transfers.map(transfer => [name(transfer), transfer])).values()]
}

/**
 * How long what is in no block may be missed and still be the same payment, in minutes: a node that was started, or another server of the
 * same service, knows it again within a few. It is as long as a window: who shows a payment, takes it back and brings it again within that
 * has no longer choice of rates than everybody has before he pays.
 */
const OUT_OF_SIGHT_MINUTES = paymentWindowMinutes

function upsert(tx: Tx, rows: Row[]): Promise<{ address: string }[]> {
  return tx
    .insertInto('app.chain_transfers')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .columns(['method', 'transaction_id', 'position', 'address', 'token', 'units'])
        .doUpdateSet({
          block_height: sql`excluded.block_height`,
          block_hash: sql`excluded.block_hash`,
          block_time: sql`excluded.block_time`,
          gone_at: null,
          // What was gone and is sent again comes then, not when it was first shown; unless it was only out of sight.
          seen_at: sql`CASE WHEN coalesce(excluded.seen_at - chain_transfers.gone_at < make_interval(mins => ${OUT_OF_SIGHT_MINUTES}), true)
                            THEN least(chain_transfers.seen_at, excluded.seen_at)
                            ELSE excluded.seen_at END`,
        })
        // What a node still calls pending may be in a block that was read: the block counts.
        .where(
          sql<boolean>`excluded.block_height IS NOT NULL
                         AND (chain_transfers.block_height, chain_transfers.block_hash) IS DISTINCT FROM (excluded.block_height, excluded.block_hash)
                       OR excluded.block_height IS NULL AND chain_transfers.block_height IS NULL
                         AND chain_transfers.gone_at IS NOT NULL`,
        ),
    )
    .returning('address')
    .execute()
}

function rowOf(
  method: DepositMethod,
  { transactionId, position, address, token, units, from, block }: Transfer,
  { watched, now }: { watched: WatchedHere; now: Date },
): Row {
  return {
    method,
    transaction_id: transactionId,
    position,
    address,
    token,
    units,
    senders: [...from],
    // When it came: what is first seen in a block came with that at the latest.
    seen_at: block && block.time < now ? block.time : now,
    block_height: block?.height ?? null,
    block_hash: block?.hash ?? null,
    block_time: block?.time ?? null,
    gone_at: null,
    set_aside: watched.receiving.has(address) ? asideOf(method, { token, units }) : null,
    receiving: watched.receiving.has(address),
    spent_by: null,
    spent_height: null,
    credited_by: null,
    credited_cents: null,
    exchanged_units: null,
    rate_e8: null,
    rate_source: null,
    late: null,
  }
}

function asideOf(method: DepositMethod, { token, units }: Pick<Transfer, 'token' | 'units'>) {
  if (units < dustUnits[token]) return 'dust'
  return token === paymentMethods[method].asset ? null : 'wrong_asset'
}

/**
 * What spends nothing but the firm's own (outputs at its addresses; of the other networks an address of its own sends it) is no
 * investor's payment, although it came to an address that one was shown: a wallet gathers small amounts there, or takes a payment
 * back. Unless a withdrawal is paid to that address: that is its owner's.
 */
async function setOwnAside(
  tx: Tx,
  method: DepositMethod,
  { addresses, payers }: { addresses: readonly string[]; payers: ReadonlySet<string> },
): Promise<void> {
  if (addresses.length === 0) return
  const isOwn =
    method === 'bitcoin'
      ? sql<boolean>`EXISTS (SELECT FROM app.chain_transfers o
                               JOIN app.payment_addresses a ON a.method = o.method AND app.address_key(a.address) = o.address
                              WHERE o.method = 'bitcoin' AND o.transaction_id = split_part(s.sender, ':', 1)
                                AND o.position::text = split_part(s.sender, ':', 2))`
      : sql<boolean>`(s.sender = ANY (${[...payers]}::text[])
                      OR EXISTS (SELECT FROM app.payment_addresses a
                                  WHERE a.method = t.method AND app.address_key(a.address) = s.sender)
                      OR EXISTS (SELECT FROM app.payout_batches b
                                  WHERE b.method = t.method AND app.address_key(b.payer) = s.sender))`
  await sql`
    UPDATE app.chain_transfers t SET set_aside = 'own'
     WHERE t.method = ${method} AND t.address = ANY (${[...new Set(addresses)]}::text[])
       AND t.set_aside IS NULL AND t.credited_by IS NULL AND t.by_hand_units = 0 AND cardinality(t.senders) > 0
       AND EXISTS (SELECT FROM app.payment_addresses a
                    WHERE a.method = t.method AND a.branch = 0 AND app.address_key(a.address) = t.address)
       AND NOT EXISTS (SELECT FROM unnest(t.senders) AS s (sender) WHERE NOT ${isOwn})
       AND NOT EXISTS (SELECT FROM app.payout_items i WHERE app.address_key(i.address) = t.address)`.execute(
    tx,
  )
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
    .set({ gone_at: now })
    .where('method', '=', method)
    .where('block_height', 'is', null)
    .where('gone_at', 'is', null)
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
      height,
      ...(last === undefined ? {} : { hash: last.hash }),
      tip_height: tip.height,
      confirmations: chain.confirmations,
      ...(height === tip.height ? { read_at: now } : {}),
      // A look that did not come to its end leaves the words of what stopped it; what could not be assessed is no matter of reading.
      ...(isWhole ? { looked_at: began } : {}),
      ...(isWhole && cursor.fault_kind !== 'crediting' && cursor.fault_kind !== 'payouts'
        ? { fault: null, fault_since: null }
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
