import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { canStillConfirm } from './exported-files.ts'
import { claimedByOtherBatch } from './matching-transfer.ts'
import { type Batch, type Change, changesOf, type Item, type Transfer, transferKey } from './recognise.ts'

/** The changes that a batch's rows need, as the tables are now. */
export async function readChanges(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  id: string,
): Promise<Change[]> {
  const row = await db
    .selectFrom('app.payout_batches')
    .select(['method', 'status', 'asset', 'sender', 'median_time_past', 'last_transfer_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const cursor = await db
    .selectFrom('app.chain_cursors')
    .select(['synced_height', 'confirmations'])
    .where('method', '=', row.method)
    .executeTakeFirst()
  if (!cursor) return []
  const inputs = await db
    .selectFrom('app.payout_inputs')
    .select('outpoint')
    .where('batch_id', '=', id)
    .execute()
  const batch: Batch = {
    status: row.status,
    token: row.asset,
    sender: row.sender,
    outpoints: new Set(inputs.map(({ outpoint }) => outpoint)),
    checkpoint:
      row.sender === null
        ? null
        : { medianTimePast: row.median_time_past!, lastTransferId: row.last_transfer_id! },
  }
  const { transfers, claimed } = await transfersTo(db, id, row.method)
  return changesOf(batch, await itemsOf(db, id, clock.now()), transfers, {
    claimed,
    height: cursor.synced_height,
    needed: cursor.confirmations,
  })
}

async function itemsOf(db: Kysely<Schema>, batchId: string, now: Date): Promise<Item[]> {
  const rows = await db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['p.position', 'p.address', 'p.units', 'p.state', 'p.transaction_id', 'p.transfer_position'])
    .select(['p.alert', 'p.alert_transaction', 'w.transaction_id as paid_by'])
    .select(
      sql<string[]>`ARRAY(SELECT o.units::text FROM app.payout_items o
          JOIN app.payout_batches other ON other.id = o.batch_id
         WHERE o.batch_id <> p.batch_id AND o.state = 'open' AND o.transaction_id IS NULL
           AND other.method = b.method AND other.asset = b.asset AND other.sender = b.sender
           AND app.address_key(o.address) = app.address_key(p.address))`.as('owed_by_other_batches'),
    )
    .select(canStillConfirm(now).as('can_still_confirm'))
    .where('p.batch_id', '=', batchId)
    .orderBy('p.position')
    .execute()
  return rows.map(row => ({
    position: row.position,
    address: row.address,
    units: row.units,
    state: row.state,
    transactionId: row.transaction_id,
    transferPosition: row.transfer_position,
    alert: row.alert,
    alertTransaction: row.alert_transaction,
    paidBy: row.paid_by,
    owedByOtherBatches: row.owed_by_other_batches.map(BigInt),
    canStillConfirm: row.can_still_confirm,
  }))
}

/** All transfers to the batch's addresses, and those claimed by another batch or by a withdrawal that was paid manually. */
async function transfersTo(
  db: Kysely<Schema>,
  batchId: string,
  method: DepositMethod,
): Promise<{ transfers: Transfer[]; claimed: Set<string> }> {
  const rows = await db
    .selectFrom('app.chain_transfers as t')
    .selectAll('t')
    .select(
      sql<boolean>`(EXISTS (SELECT FROM app.payout_items o WHERE o.batch_id <> ${batchId}
          AND o.transaction_id = t.transaction_id AND o.transfer_position = t.position)
        OR EXISTS (SELECT FROM app.payout_items p
          WHERE p.batch_id = ${batchId} AND app.address_key(p.address) = t.address AND ${claimedByOtherBatch})
        OR EXISTS (SELECT FROM app.withdrawals w
          WHERE lower(w.transaction_id) = t.transaction_id AND app.address_key(w.address) = t.address
            AND NOT EXISTS (SELECT FROM app.payout_items p WHERE p.withdrawal_id = w.id AND p.batch_id = ${batchId})))`.as(
        'is_claimed',
      ),
    )
    .where('t.method', '=', method)
    .where(
      't.address',
      'in',
      db
        .selectFrom('app.payout_items as i')
        .select(sql<string>`app.address_key(i.address)`.as('key'))
        .where('i.batch_id', '=', batchId),
    )
    .orderBy('t.id')
    .execute()
  const transfers = rows.map(row => ({
    id: row.id,
    transactionId: row.transaction_id,
    position: row.position,
    address: row.address,
    token: row.token,
    units: row.units,
    from: row.senders,
    seenAt: row.seen_at,
    block: row.block_height === null ? null : { height: row.block_height, time: row.block_time! },
    isDropped: row.dropped_at !== null,
  }))
  const claimed = new Set(
    rows.flatMap((row, index) => (row.is_claimed ? transferKey(transfers[index]!) : [])),
  )
  return { transfers, claimed }
}
