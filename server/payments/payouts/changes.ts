import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { isTriedElsewhere } from './came.ts'
import { canStillPay } from './given-out.ts'
import { type Batch, type Change, changesOf, type Item, type Sighting, transferName } from './recognise.ts'

/** What is to be written down of a batch by what is in the tables now. */
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
    known: row.sender === null ? null : { time: row.median_time_past!, transfer: row.last_transfer_id! },
  }
  const { sightings, taken } = await sightingsOf(db, id, row.method)
  return changesOf(batch, await itemsOf(db, id, clock.now()), sightings, {
    taken,
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
           AND app.address_key(o.address) = app.address_key(p.address))`.as('awaited_elsewhere'),
    )
    .select(canStillPay(now).as('can_still_pay'))
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
    awaitedElsewhere: row.awaited_elsewhere.map(BigInt),
    canStillPay: row.can_still_pay,
  }))
}

/** All that pays an address of the batch, and which of it is something else's: what another batch has sent, or what has paid a withdrawal by hand. */
async function sightingsOf(
  db: Kysely<Schema>,
  batchId: string,
  method: DepositMethod,
): Promise<{ sightings: Sighting[]; taken: Set<string> }> {
  const rows = await db
    .selectFrom('app.chain_transfers as t')
    .selectAll('t')
    .select(
      sql<boolean>`(EXISTS (SELECT FROM app.payout_items o WHERE o.batch_id <> ${batchId}
          AND o.transaction_id = t.transaction_id AND o.transfer_position = t.position)
        OR EXISTS (SELECT FROM app.payout_items p
          WHERE p.batch_id = ${batchId} AND app.address_key(p.address) = t.address AND ${isTriedElsewhere})
        OR EXISTS (SELECT FROM app.withdrawals w
          WHERE lower(w.transaction_id) = t.transaction_id AND app.address_key(w.address) = t.address
            AND NOT EXISTS (SELECT FROM app.payout_items p WHERE p.withdrawal_id = w.id AND p.batch_id = ${batchId})))`.as(
        'is_taken',
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
  const sightings = rows.map(row => ({
    id: row.id,
    transactionId: row.transaction_id,
    position: row.position,
    address: row.address,
    token: row.token,
    units: row.units,
    from: row.senders,
    seenAt: row.seen_at,
    block: row.block_height === null ? null : { height: row.block_height, time: row.block_time! },
    isGone: row.dropped_at !== null,
  }))
  const taken = new Set(rows.flatMap((row, index) => (row.is_taken ? transferName(sightings[index]!) : [])))
  return { sightings, taken }
}
