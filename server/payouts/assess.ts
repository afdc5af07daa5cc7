import { type Kysely, sql, type UpdateObject } from 'kysely'
import { type AuditLine, asSystem, audit, type Origin } from '#server/audit/log.ts'
import type { Services, Tx } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { lockBatch, noAlert, updateStatus } from './batch.ts'
import type { BatchRow } from './batch-row.ts'
import { readChanges } from './changes.ts'
import { lockWithdrawal, settleWithdrawal } from './pay.ts'
import { coinAmount } from './queries.ts'
import type { Alert, Change } from './recognise.ts'
import { watchedBatches } from './watched-batches.ts'

type Assessing = Pick<Services, 'db' | 'clock' | 'log'>

export type Assessed = {
  /** Number of withdrawals marked as paid. */
  paid: number
  /** Ids of withdrawals that could not be assessed; the log says why. If a whole batch failed, its unpaid withdrawals. */
  failed: string[]
}

/**
 * Compares stored transfers with a method's watched batches, after each committed sync: marks confirmed payments as paid, each in its own
 * transaction, and raises alerts. Idempotent, also when two processes call it at once.
 */
export async function assessPayouts(services: Assessing, method: DepositMethod): Promise<Assessed> {
  // Open batches first: a transfer that pays one of them does not belong to a cancelled batch.
  const batches = await watchedBatches(services.db, method)
    .select('b.id')
    .orderBy(sql`b.status IN ('open', 'seen')`, 'desc')
    .orderBy('b.id')
    .execute()
  let paid = 0
  const failed = new Set<string>()
  for (const { id } of batches) {
    const failing = new Set<number>()
    try {
      paid += await assessBatch(services, id, failing)
    } catch (err) {
      services.log.error({ err, batch: id }, 'a payout batch could not be assessed')
      for (const withdrawal of await unpaidWithdrawals(services.db, id)) failed.add(withdrawal)
    }
    for (const withdrawal of await withdrawalsAt(services.db, id, failing)) failed.add(withdrawal)
  }
  return { paid, failed: [...failed].toSorted() }
}

async function unpaidWithdrawals(db: Kysely<Schema>, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select('w.id')
    .where('p.batch_id', '=', id)
    .where('w.status', '=', 'approved')
    .execute()
  return rows.map(row => row.id)
}

async function withdrawalsAt(
  db: Kysely<Schema>,
  id: string,
  positions: ReadonlySet<number>,
): Promise<string[]> {
  if (positions.size === 0) return []
  const rows = await db
    .selectFrom('app.payout_items')
    .select('withdrawal_id')
    .where('batch_id', '=', id)
    .where('position', 'in', [...positions])
    .execute()
  return rows.map(({ withdrawal_id }) => withdrawal_id)
}

/**
 * Applies one change after the other, each checked again under the batch's lock, until none is left.
 * @param failing collects the positions of items whose change failed @returns how many items it marked as paid
 */
async function assessBatch(services: Assessing, id: string, failing: Set<number>): Promise<number> {
  let paid = 0
  const skipped = new Set<number>()
  for (;;) {
    const next = (await readChanges(services, id)).find(({ item }) => !skipped.has(item.position))
    if (next === undefined) return paid
    const { position } = next.item
    const done = await tryToApply(services, { id, position })
    if (done === undefined) continue
    if (done === 'failed') failing.add(position)
    if (done === 'frozen' || done === 'failed') skipped.add(position)
    else if (done.kind === 'paid') paid += 1
    else if (done.kind === 'alert') logAlert(services, id, done.alert)
  }
}

/** A failure of one item does not hold up the others. */
async function tryToApply(
  services: Assessing,
  { id, position }: { id: string; position: number },
): Promise<Change | 'frozen' | 'failed' | undefined> {
  try {
    return await retrying(() =>
      services.db.transaction().execute(tx => applyTo(tx, services, { id, position })),
    )
  } catch (err) {
    services.log.error({ err, batch: id, position }, 'an item of a payout batch could not be assessed')
    return 'failed'
  }
}

/** Alerts also go to the log, whose errors operators hear of at once. */
function logAlert({ log }: Assessing, batch: string, { kind, transfer }: Alert): void {
  const { transactionId } = transfer
  if (kind === 'wrong_amount') log.warn({ batch, transactionId }, 'a payout sent a wrong amount')
  else log.error({ batch, transactionId, alert: kind }, alertWords[kind])
}

const alertWords = {
  dropped: 'a reorg removed the transaction of a paid payout',
  paid_after_cancel: 'a cancelled payout was broadcast',
  paid_twice: 'a withdrawal was paid twice',
} as const satisfies Record<Exclude<Alert['kind'], 'wrong_amount'>, string>

/** @returns the applied change; `frozen`: the item is marked as paid once the investor's account is unfrozen */
async function applyTo(
  tx: Tx,
  services: Assessing,
  { id, position }: { id: string; position: number },
): Promise<Change | 'frozen' | undefined> {
  const batch = await lockBatch(tx, id)
  const due = (await readChanges({ db: tx, clock: services.clock }, id)).find(
    ({ item }) => item.position === position,
  )
  if (due === undefined) return undefined
  const mustWait = due.kind === 'paid' && (await isFrozen(tx, id, position))
  if (mustWait && due.item.transactionId !== null) return 'frozen'
  const change: Change = mustWait ? { ...due, kind: 'seen' } : due
  await apply(tx, asSystem(services), batch, change)
  await updateStatus(tx, id, services.clock.now())
  return change
}

async function isFrozen(tx: Tx, batchId: string, position: number): Promise<boolean> {
  const row = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .innerJoin('app.users as u', 'u.id', 'w.user_id')
    .select('u.frozen_at')
    .where('p.batch_id', '=', batchId)
    .where('p.position', '=', position)
    .executeTakeFirstOrThrow()
  return row.frozen_at !== null
}

/** Applies a change, with its line in the audit log. */
async function apply(tx: Tx, origin: Origin, batch: BatchRow, change: Change): Promise<void> {
  const { item } = change
  const withdrawal = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['w.id', 'w.invoice_id'])
    .where('p.batch_id', '=', batch.id)
    .where('p.position', '=', item.position)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('app.payout_items')
    .set(itemUpdate(change, origin.services.clock.now()))
    .where('batch_id', '=', batch.id)
    .where('position', '=', item.position)
    .executeTakeFirstOrThrow()
  if (change.kind === 'paid') return payItem(tx, origin, batch, withdrawal.id, change.transfer.transactionId)
  if (change.kind === 'replaced') {
    await tx
      .updateTable('app.withdrawals')
      .set({ transaction_id: change.transfer.transactionId })
      .where('id', '=', withdrawal.id)
      .executeTakeFirstOrThrow()
  }
  const line = auditLine(change)
  // The investor reads in the withdrawal's history that it was broadcast; the rest concerns our team only.
  const subject =
    change.kind === 'seen' ? { kind: 'withdrawal', id: withdrawal.id } : { kind: 'payout', id: batch.id }
  const details = { withdrawal: withdrawal.invoice_id, ...line.details }
  await audit(tx, origin, { ...line, subject, details })
}

function itemUpdate(change: Change, now: Date): UpdateObject<Schema, 'app.payout_items'> {
  if (change.kind === 'dropped') return { transaction_id: null, transfer_position: null }
  if (change.kind === 'alert_cleared') return noAlert
  if (change.kind === 'alert') {
    const { kind, transfer } = change.alert
    const { transactionId, token, units } = transfer
    // A wrong amount, or a transfer of a cancelled batch, is an attempt to pay the item that may still confirm.
    const isAttempt = kind === 'wrong_amount' || change.item.state === 'released'
    return {
      ...noAlert,
      alert: kind,
      alert_transaction: transactionId,
      alert_token: token,
      alert_units: units,
      alert_at: now,
      ...(isAttempt ? { seen_transaction: transactionId } : {}),
    }
  }
  const { transactionId, position } = change.transfer
  const payment = {
    transaction_id: transactionId,
    transfer_position: position,
    seen_transaction: transactionId,
  }
  return change.kind === 'seen' ? payment : { ...payment, state: 'paid' }
}

function auditLine(change: Exclude<Change, { kind: 'paid' }>): Pick<AuditLine, 'action' | 'details'> {
  const { item } = change
  if (change.kind === 'seen') {
    return { action: 'payout.seen', details: { transactionId: change.transfer.transactionId } }
  }
  if (change.kind === 'dropped') {
    return { action: 'payout.dropped', details: { transactionId: item.transactionId } }
  }
  if (change.kind === 'alert_cleared') {
    return {
      action: 'payout.alert_cleared',
      details: { alert: item.alert, transactionId: item.alertTransaction },
    }
  }
  if (change.kind === 'replaced') {
    const after = { transactionId: change.transfer.transactionId }
    return { action: 'payout.replaced', details: { before: { transactionId: item.transactionId }, after } }
  }
  const { kind, transfer } = change.alert
  const received = coinAmount(transfer.units, transfer.token)
  return {
    action: 'payout.alert_raised',
    details: { alert: kind, transactionId: transfer.transactionId, received },
  }
}

async function payItem(
  tx: Tx,
  origin: Origin,
  { number }: BatchRow,
  withdrawalId: string,
  transactionId: string,
): Promise<void> {
  const withdrawal = await lockWithdrawal(tx, withdrawalId)
  if (withdrawal.status !== 'approved') {
    throw new Error(`withdrawal ${withdrawalId} of open batch ${number} is ${withdrawal.status}`)
  }
  await settleWithdrawal(tx, origin, withdrawal, transactionId, { batch: number })
}
