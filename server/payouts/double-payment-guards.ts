import { type Kysely, sql } from 'kysely'
import { nameOf } from '#server/accounts/queries.ts'
import { isSynced } from '#server/chain/synced.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { may } from '#shared/roles.ts'
import type { BatchRow } from './batch-row.ts'
import { hasExpired } from './expiry.ts'
import { inputsSpent } from './exported-files.ts'
import { hasDroppedMatch, hasMatch, hasMatchingTransfer, matchingTransfer } from './matching-transfer.ts'
import type { PayoutRefusal } from './messages.ts'
import { coinAmount } from './queries.ts'

/**
 * Guards against paying a withdrawal twice. A signed transaction stays valid wherever it is: before we give one up, either the
 * network's rules must have invalidated it, or the only person who could broadcast it must attest that they did not.
 */

/**
 * Why the caller cannot cancel an open batch, or null.
 * @param hasSynced by `isSyncedSinceExport`, called before this
 */
export async function cancelRefusal(
  db: Kysely<Schema>,
  ctx: SignedInContext,
  batch: BatchRow,
  hasSynced: boolean,
): Promise<PayoutRefusal | null> {
  if (batch.sender === null) {
    if (await isInvalidated(db, batch.id)) return null
    if (batch.seen_at !== null || (await hasMatchingTransfer(db, batch.id))) return { reason: 'may_confirm' }
  } else {
    if (await hasExpired(db, batch.id, ctx.services.clock.now())) return null
    const refusal = await transferRefusal(db, batch)
    if (refusal) return refusal
  }
  if (batch.exported_at === null) return null
  if (batch.assignee_id !== ctx.caller.userId) {
    return { reason: 'assignee_must_cancel', name: await nameOf(db, batch.assignee_id) }
  }
  return hasSynced ? null : notSyncedSinceExport(batch)
}

/**
 * On Ethereum and TRON every withdrawal has its own transaction. A dropped one may still confirm, unless another transaction has used
 * its nonce.
 */
async function transferRefusal(db: Kysely<Schema>, { id, asset }: BatchRow): Promise<PayoutRefusal | null> {
  const seen = await db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['p.transaction_id', 'p.alert', 'p.alert_units', 'p.alert_token', 'p.units', 'w.invoice_id'])
    .select(matchingTransfer.as('matching'))
    .where('p.batch_id', '=', id)
    .where('p.state', '=', 'open')
    .where(sql<boolean>`${nonceUsed} IS NOT TRUE`)
    .where(
      sql<boolean>`(p.seen_transaction IS NOT NULL OR p.alert IS NOT NULL OR ${matchingTransfer} IS NOT NULL OR ${hasDroppedMatch})`,
    )
    .orderBy('p.transaction_id', order => order.asc().nullsFirst())
    .orderBy('matching', order => order.asc().nullsFirst())
    .limit(1)
    .executeTakeFirst()
  if (!seen) return null
  if (seen.transaction_id === null && seen.alert === 'wrong_amount') {
    const sent = coinAmount(seen.alert_units!, seen.alert_token!)
    return { reason: 'wrong_amount', invoice: seen.invoice_id, sent, due: coinAmount(seen.units, asset) }
  }
  const isDropped = seen.transaction_id === null && seen.matching === null
  return { reason: isDropped ? 'transfer_dropped' : 'transfers_unsettled' }
}

/**
 * True if a confirmed transaction that does not pay open item `p` of batch `b` has used its nonce: a network takes one transaction per
 * sender and nonce (Yellow Paper, 6), so the item's own can never confirm.
 */
const nonceUsed = sql<boolean>`(p.nonce IS NOT NULL AND p.transaction_id IS NULL AND p.alert IS NULL AND ${matchingTransfer} IS NULL
  AND p.nonce < (SELECT n.confirmed_nonce FROM app.sender_nonces n WHERE n.method = 'ethereum' AND n.address = p.sender))`

/** True if a Bitcoin batch can never confirm: another transaction, which pays none of its open items, has spent one of its inputs. */
async function isInvalidated(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM app.payout_batches b WHERE b.id = ${id} AND ${inputsSpent} AND NOT ${hasMatch}`.execute(
      db,
    )
  return rows.length > 0
}

/**
 * Why another person cannot take over an open batch, or null. Two people who sign one PSBT send conflicting transactions; two who sign
 * the separate transfers of a file could pay them twice.
 */
export async function takeOverRefusal(
  db: Kysely<Schema>,
  ctx: SignedInContext,
  batch: BatchRow,
): Promise<PayoutRefusal | null> {
  if (batch.assignee_id === ctx.caller.userId) return { reason: 'already_assignee' }
  if (batch.exported_at === null && batch.seen_at === null) return null
  const assignee = await db
    .selectFrom('app.users')
    .select(['name', 'role'])
    .where('id', '=', batch.assignee_id)
    .executeTakeFirstOrThrow()
  if (!may(assignee.role, 'decide')) return null
  if (batch.seen_at !== null) return { reason: 'already_broadcast' }
  return batch.sender === null ? null : { reason: 'assignee_may_broadcast', name: assignee.name }
}

export type ExportableBatch = Pick<
  BatchRow,
  'id' | 'method' | 'network' | 'sender' | 'exported_at' | 'seen_at' | 'expires_at'
>

/**
 * Why the assignee cannot download a batch's file, or null. A file of separate transfers can be signed twice, so only one person ever
 * gets it, and only until one of them is seen.
 */
export async function exportRefusal(
  tx: Tx,
  ctx: SignedInContext,
  batch: ExportableBatch,
): Promise<PayoutRefusal | null> {
  const refusal =
    (await unreviewedPayment(tx, await openWithdrawals(tx, batch.id), batch.id)) ??
    (await frozenPayee(tx, batch.id)) ??
    expiryRefusal(batch, ctx.services.clock.now())
  if (refusal || batch.sender === null) return refusal
  const hasSynced = await isSyncedSinceExport(tx, ctx, batch)
  if (batch.seen_at !== null || (await hasMatchingTransfer(tx, batch.id))) return { reason: 'transfers_seen' }
  if (batch.exported_at === null) return null
  if (await wasExportedByOther(tx, ctx, batch.id)) return { reason: 'exported_by_other' }
  return hasSynced ? null : notSyncedSinceExport(batch)
}

function expiryRefusal({ expires_at }: ExportableBatch, now: Date): PayoutRefusal | null {
  return expires_at === null || now < expires_at ? null : { reason: 'file_expired', expiredAt: expires_at }
}

async function wasExportedByOther(tx: Tx, { caller }: SignedInContext, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('app.audit_log')
    .select('id')
    .where('subject_kind', '=', 'payout')
    .where('subject_id', '=', id)
    .where('action', '=', 'payout.exported')
    .where('actor_id', '<>', caller.userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function frozenPayee(tx: Tx, id: string): Promise<PayoutRefusal | null> {
  const frozen = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .innerJoin('app.users as u', 'u.id', 'w.user_id')
    .select('w.invoice_id')
    .where('p.batch_id', '=', id)
    .where('p.state', '=', 'open')
    .where('u.frozen_at', 'is not', null)
    .orderBy('p.position')
    .limit(1)
    .executeTakeFirst()
  return frozen ? { reason: 'payee_frozen', invoice: frozen.invoice_id } : null
}

async function openWithdrawals(tx: Tx, id: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('app.payout_items')
    .select('withdrawal_id')
    .where('batch_id', '=', id)
    .where('state', '=', 'open')
    .execute()
  return rows.map(({ withdrawal_id }) => withdrawal_id)
}

/**
 * Refuses to pay withdrawals for which a batch that no longer pays them has an alert or a matching transfer.
 * @param except the batch that is to pay them
 */
export async function unreviewedPayment(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  except: string | null = null,
): Promise<PayoutRefusal | null> {
  if (withdrawals.length === 0) return null
  const payment = await db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['b.number', 'w.invoice_id'])
    .where('p.withdrawal_id', 'in', [...withdrawals])
    .where(sql<boolean>`(p.alert IS NOT NULL OR p.state = 'released' AND ${matchingTransfer} IS NOT NULL)`)
    .$if(except !== null, query => query.where('p.batch_id', '<>', except!))
    .orderBy('w.id')
    .limit(1)
    .executeTakeFirst()
  return payment
    ? { reason: 'unreviewed_payment', invoice: payment.invoice_id, number: payment.number }
    : null
}

/**
 * Absence of a transfer proves nothing unless we have synced to the tip since the export. Call this before reading transfers, so that a
 * concurrent sync cannot slip in between.
 */
export function isSyncedSinceExport(
  tx: Tx,
  { services }: SignedInContext,
  { method, exported_at }: Pick<BatchRow, 'method' | 'exported_at'>,
): Promise<boolean> {
  return isSynced(tx, method, { now: services.clock.now(), since: exported_at })
}

function notSyncedSinceExport({ network }: Pick<BatchRow, 'network'>): PayoutRefusal {
  return { reason: 'not_synced', network, effect: 'we cannot tell whether this file was broadcast' }
}
