import { type Insertable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Transfer } from '#server/rails/chain.ts'
import { type DepositMethod, paymentMethods } from '#shared/coins.ts'
import { dustUnits, paymentWindowMinutes } from '#shared/limits.ts'
import { MOST_UNITS } from './seen.ts'
import { concerns, type WatchedHere } from './watched.ts'

type Row = Insertable<Schema['app.chain_transfers']>

/**
 * Writes down what of a network's transfers has to do with the firm: new ones are added; one that is known gets its block, or is back again.
 * @returns where something is new
 */
export async function keepTransfers(
  tx: Tx,
  { method, watched, now }: { method: DepositMethod; watched: WatchedHere; now: Date },
  transfers: readonly Transfer[],
): Promise<{ address: string }[]> {
  const ours = transfers.filter(transfer => isStorable(transfer) && concerns(watched, transfer))
  await keepSpare(tx, watched, ours, now)
  const rows = distinct(ours).map(transfer => rowOf(method, transfer, { watched, now }))
  const kept: { address: string }[] = []
  // A statement has 65,535 values at most.
  for (let from = 0; from < rows.length; from += 1000) {
    kept.push(...(await upsert(tx, rows.slice(from, from + 1000))))
  }
  await setOwnAside(tx, method, { addresses: rows.map(({ address }) => address), senders: watched.senders })
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
          dropped_at: null,
          // What was gone and is sent again comes then, not when it was first shown; unless it was only out of sight.
          seen_at: sql`CASE WHEN coalesce(excluded.seen_at - chain_transfers.dropped_at < make_interval(mins => ${OUT_OF_SIGHT_MINUTES}), true)
                            THEN least(chain_transfers.seen_at, excluded.seen_at)
                            ELSE excluded.seen_at END`,
        })
        // What a node still calls pending may be in a block that was read: the block counts.
        .where(
          sql<boolean>`excluded.block_height IS NOT NULL
                         AND (chain_transfers.block_height, chain_transfers.block_hash) IS DISTINCT FROM (excluded.block_height, excluded.block_hash)
                       OR excluded.block_height IS NULL AND chain_transfers.block_height IS NULL
                         AND chain_transfers.dropped_at IS NOT NULL`,
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
    dropped_at: null,
    ignored_reason: watched.receiving.has(address) ? asideOf(method, { token, units }) : null,
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
  { addresses, senders }: { addresses: readonly string[]; senders: ReadonlySet<string> },
): Promise<void> {
  if (addresses.length === 0) return
  const isOwn =
    method === 'bitcoin'
      ? sql<boolean>`EXISTS (SELECT FROM app.chain_transfers o
                               JOIN app.payment_addresses a ON a.method = o.method AND app.address_key(a.address) = o.address
                              WHERE o.method = 'bitcoin' AND o.transaction_id = split_part(s.sender, ':', 1)
                                AND o.position::text = split_part(s.sender, ':', 2))`
      : sql<boolean>`(s.sender = ANY (${[...senders]}::text[])
                      OR EXISTS (SELECT FROM app.payment_addresses a
                                  WHERE a.method = t.method AND app.address_key(a.address) = s.sender)
                      OR EXISTS (SELECT FROM app.payout_batches b
                                  WHERE b.method = t.method AND app.address_key(b.sender) = s.sender))`
  await sql`
    UPDATE app.chain_transfers t SET ignored_reason = 'internal'
     WHERE t.method = ${method} AND t.address = ANY (${[...new Set(addresses)]}::text[])
       AND t.ignored_reason IS NULL AND t.credited_by IS NULL AND t.manual_units = 0 AND cardinality(t.senders) > 0
       AND EXISTS (SELECT FROM app.payment_addresses a
                    WHERE a.method = t.method AND a.branch = 0 AND app.address_key(a.address) = t.address)
       AND NOT EXISTS (SELECT FROM unnest(t.senders) AS s (sender) WHERE NOT ${isOwn})
       AND NOT EXISTS (SELECT FROM app.payout_items i WHERE app.address_key(i.address) = t.address)`.execute(
    tx,
  )
}
