import { type Insertable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Transfer } from '#server/rails/chain.ts'
import type { CoinAsset } from '#server/rails/rail.ts'
import type { RailName } from '#shared/coins.ts'
import { dustUnits, shortestPaymentWindowMinutes } from '#shared/limits.ts'
import { lastIndex, lockNumbering, stopNumbering } from './numbering.ts'
import { MOST_UNITS } from './seen.ts'
import { concerns, type GapAddress, type Watchlist } from './watchlist.ts'

type Row = Insertable<Schema['app.chain_transfers']>

/** The address of a stored transfer that has changed; `arrival` is the transfer's id if it is new, or was dropped and is back. */
type Stored = { address: string; arrival: bigint | null }

/**
 * Stores the transfers that concern us: adds new ones, and updates a known one that is confirmed or back in the mempool.
 * @returns those that changed
 */
export async function storeTransfers(
  tx: Tx,
  { rail, watched, now }: { rail: RailName; watched: Watchlist; now: Date },
  transfers: readonly Transfer[],
): Promise<Stored[]> {
  const ours = transfers.filter(transfer => isStorable(transfer) && concerns(watched, transfer))
  const since = await storeGapAddresses(tx, { rail, watched, now }, ours)
  const isReceiving = (address: string) => watched.receiving.has(address) || since.has(address)
  const assets = await depositAssets(tx, rail, ours)
  const isCreditable = ({ address, token }: Transfer) => {
    const asset = assets.get(address)
    return asset === undefined ? watched.creditable.has(token) : asset === token
  }
  const isOwn = (address: string) => watched.own.has(address)
  const rows = distinct(ours).map(transfer =>
    rowOf(rail, transfer, { isReceiving, isOwn, isCreditable, now }),
  )
  const kept: Stored[] = []
  // A statement has 65,535 values at most.
  for (let from = 0; from < rows.length; from += 1000) {
    kept.push(...(await upsert(tx, rows.slice(from, from + 1000))))
  }
  await ignoreInternal(tx, rail, {
    addresses: rows.map(({ address }) => address),
    payers: watched.payers,
  })
  return kept
}

/**
 * Stores gap addresses that have received something as addresses of ours: change that the wallet chose, and receiving addresses that nobody
 * got from us. One of those stops the numbering.
 * @returns keys of receiving addresses that an investor has got since the watchlist was read
 */
async function storeGapAddresses(
  tx: Tx,
  { rail, watched: { gap }, now }: { rail: RailName; watched: Watchlist; now: Date },
  transfers: readonly Transfer[],
): Promise<Set<string>> {
  const found = new Map(
    transfers.flatMap(({ address }) => {
      const known = gap.get(address)
      return known === undefined ? [] : [[address, known]]
    }),
  )
  const paid = [...found.values()]
  await insertUnassigned(
    tx,
    paid.filter(({ branch }) => branch === 1).map(one => ({ ...one, rail, used_at: now, created_at: now })),
  )
  const ahead = paid.filter(({ branch }) => branch === 0)
  if (ahead.length === 0) return new Set()
  const { account } = ahead[0]!
  await lockNumbering(tx, account)
  const last = await lastIndex(tx, account)
  const highest = Math.max(...ahead.map(({ index }) => index))
  const unassigned = [...gap.values()].filter(
    ({ branch, index }) => branch === 0 && index > last && index <= highest,
  )
  const isPaid = (index: number) => ahead.some(one => one.index === index)
  await insertUnassigned(
    tx,
    unassigned.map(one => ({ ...one, rail, used_at: isPaid(one.index) ? now : null, created_at: now })),
  )
  if (unassigned.length > 0) {
    await stopNumbering(tx, { account, rail, now, because: 'chain', knownIndex: highest })
  }
  return new Set(
    [...found].flatMap(([key, { branch, index }]) => (branch === 0 && index <= last ? [key] : [])),
  )
}

type NewAddress = GapAddress & { rail: RailName; used_at: Date | null; created_at: Date }

async function insertUnassigned(tx: Tx, addresses: readonly NewAddress[]): Promise<void> {
  if (addresses.length === 0) return
  await tx
    .insertInto('app.payment_addresses')
    .values(
      addresses.map(({ index, ...of }) => ({ ...of, address_index: index, user_id: null, deposit_id: null })),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

export function isStorable({ units }: Pick<Transfer, 'units'>): boolean {
  return units > 0n && units <= MOST_UNITS
}

/** Removes duplicates, since a statement can upsert a row only once. */
function distinct(transfers: readonly Transfer[]): Transfer[] {
  const name = (transfer: Transfer) =>
    [transfer.transactionId, transfer.position, transfer.address, transfer.token, transfer.units].join(' ')
  return [...new Map(transfers.map(transfer => [name(transfer), transfer])).values()]
}

/**
 * Minutes that an unconfirmed transfer may be missing and keep its arrival time, because a restarted node may forget it for a while. No
 * longer than any payment window, so that hiding and resending a payment gains no choice of rates.
 */
const REAPPEARANCE_MINUTES = shortestPaymentWindowMinutes

function upsert(tx: Tx, rows: Row[]): Promise<Stored[]> {
  return tx
    .insertInto('app.chain_transfers')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .columns(['rail', 'transaction_id', 'position', 'address', 'token', 'units'])
        .doUpdateSet({
          block_height: sql`excluded.block_height`,
          block_hash: sql`excluded.block_hash`,
          block_time: sql`excluded.block_time`,
          dropped_at: null,
          // A dropped transfer that returns later arrives anew.
          seen_at: sql`CASE WHEN coalesce(excluded.seen_at - chain_transfers.dropped_at < make_interval(mins => ${REAPPEARANCE_MINUTES}), true)
                            THEN least(chain_transfers.seen_at, excluded.seen_at)
                            ELSE excluded.seen_at END`,
        })
        // A lagging node may report a confirmed transfer as pending: the block counts.
        .where(
          sql<boolean>`excluded.block_height IS NOT NULL
                         AND (chain_transfers.block_height, chain_transfers.block_hash) IS DISTINCT FROM (excluded.block_height, excluded.block_hash)
                       OR excluded.block_height IS NULL AND chain_transfers.block_height IS NULL
                         AND chain_transfers.dropped_at IS NOT NULL`,
        ),
    )
    .returning([
      'address',
      sql<bigint | null>`CASE WHEN old.id IS NULL OR old.dropped_at IS NOT NULL THEN new.id END`.as(
        'arrival',
      ),
    ])
    .execute()
}

type IsAddress = (address: string) => boolean

function rowOf(
  rail: RailName,
  transfer: Transfer,
  {
    isReceiving,
    isOwn,
    isCreditable,
    now,
  }: {
    isReceiving: IsAddress
    isOwn: IsAddress
    isCreditable: (transfer: Transfer) => boolean
    now: Date
  },
): Row {
  const { transactionId, position, address, token, units, from, block, byContract } = transfer
  return {
    rail,
    transaction_id: transactionId,
    position,
    address,
    token,
    units,
    senders: [...from],
    by_contract: byContract ?? false,
    // A transfer first seen in a block arrived with it at the latest.
    seen_at: block && block.time < now ? block.time : now,
    block_height: block?.height ?? null,
    block_hash: block?.hash ?? null,
    block_time: block?.time ?? null,
    dropped_at: null,
    ignored_reason: isReceiving(address) ? ignoredReasonOf(transfer, isCreditable(transfer)) : null,
    receiving: isReceiving(address),
    own: isOwn(address),
    agreed_hash: null,
  }
}

function ignoredReasonOf({ token, units }: Transfer, isCreditable: boolean) {
  if (units < dustUnits[token]) return 'dust'
  return isCreditable ? null : 'wrong_asset'
}

/** The assets of the deposits at the addresses that were paid. */
async function depositAssets(
  tx: Tx,
  rail: RailName,
  transfers: readonly Transfer[],
): Promise<Map<string, CoinAsset>> {
  if (transfers.length === 0) return new Map()
  const rows = await tx
    .selectFrom('app.payment_addresses as a')
    .innerJoin('app.deposits as d', 'd.id', 'a.deposit_id')
    .select([sql<string>`app.address_key(a.address)`.as('key'), 'd.asset'])
    .where('a.rail', '=', rail)
    .where(
      sql<boolean>`app.address_key(a.address) = ANY (${transfers.map(({ address }) => address)}::text[])`,
    )
    .execute()
  return new Map(rows.map(({ key, asset }) => [key, asset]))
}

/**
 * Compares the transfers that came before a deposit took its address with its asset. Call it with the cursor held, so that no sync stores
 * others by what is credited at an address without a deposit.
 */
export async function markWrongAssets(tx: Tx, depositId: string): Promise<void> {
  await sql`
    UPDATE app.chain_transfers t
       SET ignored_reason = CASE WHEN t.token <> d.asset THEN 'wrong_asset' END
      FROM app.deposits d
      JOIN app.payment_addresses a ON a.deposit_id = d.id
     WHERE d.id = ${depositId} AND t.rail = a.rail AND t.address = app.address_key(a.address) AND t.receiving
       AND coalesce(t.ignored_reason, 'wrong_asset') = 'wrong_asset'
       AND (t.token <> d.asset) <> (t.ignored_reason IS NOT NULL)`.execute(tx)
}

/**
 * Marks internal transfers, which spend only our own funds and are no investor's payment: consolidations, or payments returned by our
 * wallet, or top-ups. A payout to an investor's address at ours is not internal.
 */
async function ignoreInternal(
  tx: Tx,
  rail: RailName,
  { addresses, payers }: { addresses: readonly string[]; payers: ReadonlySet<string> },
): Promise<void> {
  if (addresses.length === 0) return
  const isOwn =
    rail === 'bitcoin'
      ? sql<boolean>`EXISTS (SELECT FROM app.chain_transfers o
                               JOIN app.payment_addresses a ON a.rail = o.rail AND app.address_key(a.address) = o.address
                              WHERE o.rail = 'bitcoin' AND o.transaction_id = split_part(s.sender, ':', 1)
                                AND o.position::text = split_part(s.sender, ':', 2))`
      : sql<boolean>`(s.sender = ANY (${[...payers]}::text[])
                      OR EXISTS (SELECT FROM app.payment_addresses a
                                  WHERE a.rail = t.rail AND app.address_key(a.address) = s.sender)
                      OR EXISTS (SELECT FROM app.payout_batches b
                                  WHERE b.rail = t.rail AND app.address_key(b.sender) = s.sender))`
  await sql`
    UPDATE app.chain_transfers t SET ignored_reason = 'internal'
     WHERE t.rail = ${rail} AND t.address = ANY (${[...new Set(addresses)]}::text[])
       AND (t.ignored_reason IS NULL OR t.ignored_reason = 'wrong_asset') AND t.credited_units = 0
       AND cardinality(t.senders) > 0
       AND EXISTS (SELECT FROM app.payment_addresses a
                    WHERE a.rail = t.rail AND a.branch = 0 AND app.address_key(a.address) = t.address)
       AND NOT EXISTS (SELECT FROM unnest(t.senders) AS s (sender) WHERE NOT ${isOwn})
       AND NOT EXISTS (SELECT FROM app.payout_items i WHERE i.kind = 'withdrawal' AND app.address_key(i.address) = t.address)`.execute(
    tx,
  )
}
