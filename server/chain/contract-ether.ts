import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import {
  type Account,
  type Chain,
  ChainError,
  type ContractEther,
  type Scanned,
} from '#server/rails/chain.ts'
import { dustUnits } from '#shared/limits.ts'
import type { Cursor } from './cursor.ts'
import type { Watchlist } from './watchlist.ts'

/** Balances in a confirmed block, and what contracts sent until then. */
export type EtherReading = ContractEther & { height: number }

/** A finalised block; with more confirmations the transfers found there wait for them like any other. */
const DEEP_ENOUGH = 64
/** Blocks between two readings of an address: while its deposit is pending, for 30 days, and later (a day). */
const PENDING_BLOCKS = 5
const RECENT_BLOCKS = 50
const OLD_BLOCKS = 7_200
const RECENT_DAYS = 30
/** Addresses in one reading; the others follow with the next blocks. */
const MOST = 1_000

/**
 * Compares balances of our addresses with their stored transfers, every few blocks. Addresses within the gap limit are read too: what an
 * address has before it is given to an investor is not that investor's.
 * @returns undefined if no reading is due @throws ChainError
 */
export async function readContractEther(
  db: Kysely<Schema>,
  chain: Chain,
  {
    cursor,
    fork,
    scanned,
    watched,
    now,
  }: { cursor: Cursor; fork: number; scanned: Scanned; watched: Watchlist; now: Date },
): Promise<EtherReading | undefined> {
  const { confirmations, contractEther } = chain
  // After a reorg, stored blocks and balances are rolled back first.
  if (contractEther === undefined || fork < cursor.synced_height) return undefined
  const tip = scanned.blocks.at(-1)?.height ?? fork
  const height = tip - Math.min(confirmations, DEEP_ENOUGH) + 1
  if (height < cursor.balances_height + PENDING_BLOCKS) return undefined
  const hashAt = async (at: number) =>
    scanned.blocks.find(block => block.height === at)?.hash ?? (await storedHashAt(db, at))
  const hash = await hashAt(height)
  if (hash === undefined) return undefined
  const accounts = await dueAccounts(db, { watched, scanned }, { height, now })
  const isOwn = (address: string) => watched.own.has(address) || watched.senders.has(address)
  const found = await contractEther(accounts, { block: { height, hash }, tip, isOwn })
  for (const { block } of found.transfers) {
    const known = await hashAt(block!.height)
    if (known !== undefined && known !== block!.hash)
      throw new ChainError('the chain changed during the sync')
  }
  return { ...found, height }
}

/** Stores the balances, and flags the deposits that were paid by contracts; `storeTransfers` has stored the payments. */
export async function storeEtherReading(
  tx: Tx,
  { height, balances, transfers }: EtherReading,
  {
    chain: { maxReorgDepth },
    depositsOf,
  }: {
    chain: Pick<Chain, 'maxReorgDepth'>
    depositsOf: (addresses: ReadonlySet<string>) => Promise<string[]>
  },
): Promise<void> {
  const rows = [...balances].map(([address, units]) => ({ address, height, units }))
  if (rows.length > 0) await tx.insertInto('app.ether_balances').values(rows).execute()
  await sql`
    UPDATE app.payment_addresses SET balance_height = ${height}
     WHERE app.address_key(address) = ANY (${[...balances.keys()]}::text[]) AND rail = 'ethereum'`.execute(tx)
  // A reorg may roll back to the newest balance that it cannot reach.
  await sql`
    DELETE FROM app.ether_balances b
     WHERE b.address = ANY (${[...balances.keys()]}::text[])
       AND b.height < (SELECT max(o.height) FROM app.ether_balances o
                        WHERE o.address = b.address AND o.height <= ${height - maxReorgDepth})`.execute(tx)
  await tx
    .updateTable('app.chain_cursors')
    .set({ balances_height: height })
    .where('rail', '=', 'ethereum')
    .execute()
  const paid = transfers.filter(({ units }) => units >= dustUnits.ETH).map(({ address }) => address)
  const ids = await depositsOf(new Set(paid))
  if (ids.length === 0) return
  await tx
    .updateTable('app.deposits')
    .set({
      flags: sql`array_append(array_remove(flags, 'by_contract'), 'by_contract')`,
      needs_review: true,
    })
    .where('id', 'in', ids)
    // Any other deposit got a different coin, which its flag says.
    .where('asset', '=', 'ETH')
    .execute()
}

export async function storeSent(tx: Tx, sent: NonNullable<Scanned['sent']>): Promise<void> {
  if (sent.length === 0) return
  await tx
    .insertInto('app.ether_sent')
    .values(
      sent.map(({ transactionId, feeWei, ...of }) => ({
        ...of,
        transaction_id: transactionId,
        fee_wei: String(feeWei),
      })),
    )
    .onConflict(conflict =>
      conflict.column('transaction_id').doUpdateSet({
        height: sql`excluded.height`,
        units: sql`excluded.units`,
        fee_wei: sql`excluded.fee_wei`,
      }),
    )
    .execute()
}

/** Forgets what blocks above the common ancestor showed. */
export async function rollBackEther(db: Kysely<Schema>, fork: number): Promise<void> {
  await db.deleteFrom('app.ether_balances').where('height', '>', fork).execute()
  await sql`
    UPDATE app.payment_addresses p
       SET balance_height = (SELECT max(e.height) FROM app.ether_balances e WHERE e.address = app.address_key(p.address))
     WHERE p.balance_height > ${fork} AND p.rail = 'ethereum' AND p.branch = 0`.execute(db)
  await db.deleteFrom('app.ether_sent').where('height', '>', fork).execute()
  await db
    .updateTable('app.chain_cursors')
    .set({ balances_height: fork })
    .where('rail', '=', 'ethereum')
    .where('balances_height', '>', fork)
    .execute()
}

async function storedHashAt(db: Kysely<Schema>, height: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('app.chain_blocks')
    .select('hash')
    .where('rail', '=', 'ethereum')
    .where('height', '=', height)
    .executeTakeFirst()
  return row?.hash
}

type Due = { address: string; height: number | null; units: bigint | null }

/** Each part finds its addresses by an index, so that those that are not due cost nothing. @param gap addresses within the gap limit */
function dueQuery(gap: readonly string[], { height, now }: { height: number; now: Date }): RawBuilder<Due> {
  const since = sql`${now}::timestamptz - make_interval(days => ${RECENT_DAYS})`
  const isOurs = sql`p.rail = 'ethereum' AND p.branch = 0`
  // No index answers this, so the other condition's is used.
  const isDue = (pause: number) => sql`coalesce(p.balance_height <= ${height - pause}, true)`
  return sql<Due>`
    SELECT a.address, b.height, b.units
      FROM (SELECT each.address, min(each.pause) AS pause FROM (
            SELECT app.address_key(p.address) AS address, ${PENDING_BLOCKS}::int AS pause
              FROM app.deposits d JOIN app.payment_addresses p ON p.deposit_id = d.id
             WHERE d.status = 'pending' AND ${isOurs} AND ${isDue(PENDING_BLOCKS)}
             UNION ALL
            SELECT app.address_key(p.address), ${RECENT_BLOCKS} FROM app.payment_addresses p
             WHERE p.created_at > ${since} AND ${isOurs} AND ${isDue(RECENT_BLOCKS)}
             UNION ALL
            -- Kept for an earlier deposit that was not paid. An id is of its time.
            SELECT app.address_key(p.address), ${RECENT_BLOCKS} FROM app.payment_addresses p
             WHERE p.deposit_id > app.first_id(${since}) AND ${isOurs} AND ${isDue(RECENT_BLOCKS)}
             UNION ALL
            (SELECT app.address_key(p.address), ${OLD_BLOCKS} FROM app.payment_addresses p
              WHERE ${isOurs} AND p.balance_height IS NULL LIMIT ${MOST})
             UNION ALL
            (SELECT app.address_key(p.address), ${OLD_BLOCKS} FROM app.payment_addresses p
              WHERE ${isOurs} AND p.balance_height <= ${height - OLD_BLOCKS} ORDER BY p.balance_height LIMIT ${MOST})
             UNION ALL
            SELECT g.address, ${RECENT_BLOCKS} FROM unnest(${gap}::text[]) g (address)
             WHERE NOT EXISTS (SELECT FROM app.ether_balances e WHERE e.address = g.address AND e.height > ${height - RECENT_BLOCKS})) each
             -- One of the gap limit may have been assigned just now.
             GROUP BY each.address) a
      LEFT JOIN LATERAL (SELECT e.height, e.units FROM app.ether_balances e
                          WHERE e.address = a.address ORDER BY e.height DESC LIMIT 1) b ON true
     -- Old addresses, however many, never keep those waiting that may be paid now.
     ORDER BY a.pause, b.height NULLS FIRST
     LIMIT ${MOST}`
}

async function dueAccounts(
  db: Kysely<Schema>,
  { watched: { gap }, scanned }: { watched: Watchlist; scanned: Scanned },
  { height, now }: { height: number; now: Date },
): Promise<Account[]> {
  const { rows: due } = await dueQuery([...gap.keys()], { height, now }).execute(db)
  // Transfers of the blocks just scanned are not stored yet.
  const moved = [...(await movedSince(db, due, height)), ...movedIn(scanned, height)]
  return due.map(of => ({
    address: of.address,
    since: of.height === null ? null : { height: of.height, units: of.units! },
    moved: moved.filter(({ address }) => address === of.address),
  }))
}

type Moved = Account['moved'][number] & { address: string }

function movedIn({ transfers, sent = [] }: Scanned, height: number): Moved[] {
  const ether = transfers.filter(({ token, block }) => token === 'ETH' && block!.height <= height)
  return [
    ...ether.map(({ address, units, block }) => ({
      address,
      height: block!.height,
      units,
      byContract: false,
    })),
    ...sent
      .filter(of => of.height <= height)
      .map(({ address, units, height: at }) => ({ address, height: at, units: -units, byContract: false })),
  ]
}

/** What the chain has shown since the last balances: transfers to the addresses, and what their own transactions cost. */
async function movedSince(db: Kysely<Schema>, due: readonly Due[], height: number): Promise<Moved[]> {
  const known = due.filter(of => of.height !== null)
  const { rows } = await sql<Moved>`
    WITH known AS (SELECT * FROM unnest(${known.map(({ address }) => address)}::text[], ${known.map(of => of.height)}::integer[])
                                 AS k (address, height))
    SELECT k.address, t.block_height AS height, t.units, t.by_contract AS "byContract"
      FROM known k
      JOIN app.chain_transfers t ON t.address = k.address AND t.rail = 'ethereum' AND t.token = 'ETH'
     WHERE t.block_height > k.height AND t.block_height <= ${height}
     UNION ALL
    SELECT k.address, s.height, -s.units, false
      FROM known k
      JOIN app.ether_sent s ON s.address = k.address
     WHERE s.height > k.height AND s.height <= ${height}`.execute(db)
  return rows
}
