import { type Kysely, sql, type UpdateObject } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type AuditLine, audit, byItself, type Origin } from '#server/records/audit.ts'
import { coinAmount } from '#server/records/payouts.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { type BatchOnFile, lockBatch, noAlert, updateStatus } from './batch.ts'
import { readChanges } from './changes.ts'
import { lockWithdrawal, settleWithdrawal } from './pay.ts'
import type { Alert, Change } from './recognise.ts'
import { watchedBatches } from './watched.ts'

type Assessing = Pick<Services, 'db' | 'clock' | 'log'>

export type Assessed = {
  /** How many withdrawals were marked as paid. */
  paid: number
  /**
   * Ids of the withdrawals that could not be assessed, each once; the log says why, and all others were. Of a batch that cannot be assessed
   * at all, those that are still to be paid.
   */
  failed: string[]
}

/**
 * Writes down what the watcher has seen of a method's batches: to be called after each of its looks, when that is committed. What has
 * enough confirmations marks its withdrawal as paid, in a transaction of its own, exactly once; what is not as it should be is flagged.
 * It goes by what is in the tables alone: calling it again, or from two processes at once, changes nothing.
 */
export async function assessPayouts(services: Assessing, method: DepositMethod): Promise<Assessed> {
  // Those under way first: a transfer that pays one of them is none of a cancelled batch.
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
      for (const withdrawal of await unpaidOf(services.db, id)) failed.add(withdrawal)
    }
    for (const withdrawal of await withdrawalsAt(services.db, id, failing)) failed.add(withdrawal)
  }
  return { paid, failed: [...failed].toSorted() }
}

/** Those of a batch's withdrawals that are still to be paid: of all others it is known what became of them. */
async function unpaidOf(db: Kysely<Schema>, id: string): Promise<string[]> {
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
 * One change after the other, each looked at again under the batch's lock, until nothing is left to do.
 * @param failing takes the positions of items that cannot be written @returns how many it has marked as paid
 */
async function assessBatch(services: Assessing, id: string, failing: Set<number>): Promise<number> {
  let paid = 0
  const refused = new Set<number>()
  for (;;) {
    const next = (await readChanges(services, id)).find(({ item }) => !refused.has(item.position))
    if (next === undefined) return paid
    const { position } = next.item
    const done = await applyAlone(services, { id, position })
    if (done === undefined) continue
    if (done === 'failed') failing.add(position)
    if (done === 'frozen' || done === 'failed') refused.add(position)
    else if (done.kind === 'paid') paid += 1
    else if (done.kind === 'alert') tell(services, id, done.alert)
  }
}

/** What cannot be written of one item keeps none of the others waiting. */
async function applyAlone(
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

/** In the log as well: what was sent twice, or against a cancellation, is to be heard of at once. */
function tell({ log }: Assessing, batch: string, { kind, sighting }: Alert): void {
  const { transactionId } = sighting
  if (kind === 'wrong_amount') log.warn({ batch, transactionId }, 'a payout has come with another amount')
  else log.error({ batch, transactionId, alert: kind }, alertWords[kind])
}

const alertWords = {
  dropped: 'a payout that was marked as paid is in no block any more',
  paid_after_cancel: 'a cancelled payout was sent all the same',
  paid_twice: 'a payout was sent twice',
} as const satisfies Record<Exclude<Alert['kind'], 'wrong_amount'>, string>

/** @returns what was done; `frozen`: it is marked as paid once the freeze of its owner's account ends */
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
  const isWaiting = due.kind === 'paid' && (await isFrozen(tx, id, position))
  if (isWaiting && due.item.transactionId !== null) return 'frozen'
  const change: Change = isWaiting ? { ...due, kind: 'seen' } : due
  await apply(tx, byItself(services), batch, change)
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

/** Writes one change down, with its line in the audit log. */
async function apply(tx: Tx, origin: Origin, batch: BatchOnFile, change: Change): Promise<void> {
  const { item } = change
  const of = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['w.id', 'w.invoice_id'])
    .where('p.batch_id', '=', batch.id)
    .where('p.position', '=', item.position)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('app.payout_items')
    .set(written(change, origin.services.clock.now()))
    .where('batch_id', '=', batch.id)
    .where('position', '=', item.position)
    .executeTakeFirstOrThrow()
  if (change.kind === 'paid') return payItem(tx, origin, batch, of.id, change.sighting.transactionId)
  if (change.kind === 'replaced') {
    await tx
      .updateTable('app.withdrawals')
      .set({ transaction_id: change.sighting.transactionId })
      .where('id', '=', of.id)
      .executeTakeFirstOrThrow()
  }
  const line = lineOf(change)
  // What the investor reads of his withdrawal: that it is on its way. The rest is the firm's own matter.
  const subject =
    change.kind === 'seen' ? { kind: 'withdrawal', id: of.id } : { kind: 'payout', id: batch.id }
  await audit(tx, origin, { ...line, subject, details: { withdrawal: of.invoice_id, ...line.details } })
}

/** What a change makes of an item's row. */
function written(change: Change, now: Date): UpdateObject<Schema, 'app.payout_items'> {
  if (change.kind === 'unseen') return { transaction_id: null, transfer_position: null }
  if (change.kind === 'right') return noAlert
  if (change.kind === 'alert') {
    const { kind, sighting } = change.alert
    const { transactionId, token, units } = sighting
    const of = { alert_transaction: transactionId, alert_token: token, alert_units: units, alert_at: now }
    const unlooked = { reviewed_at: null, reviewed_by: null, review_note: null }
    // Another amount from there is a try at paying it, which can still be mined as well; so is what comes of a batch that was cancelled.
    const isTry = kind === 'wrong_amount' || change.item.state === 'released'
    return {
      alert: kind,
      ...of,
      ...unlooked,
      ...(isTry ? { seen_transaction: transactionId } : {}),
    }
  }
  const { transactionId, position } = change.sighting
  const by = { transaction_id: transactionId, transfer_position: position, seen_transaction: transactionId }
  return change.kind === 'seen' ? by : { ...by, state: 'paid' }
}

function lineOf(change: Exclude<Change, { kind: 'paid' }>): Pick<AuditLine, 'action' | 'details'> {
  const { item } = change
  if (change.kind === 'seen') {
    return { action: 'payout.seen', details: { transactionId: change.sighting.transactionId } }
  }
  if (change.kind === 'unseen') {
    return { action: 'payout.dropped', details: { transactionId: item.transactionId } }
  }
  if (change.kind === 'right') {
    return {
      action: 'payout.alert_cleared',
      details: { alert: item.alert, transactionId: item.alertTransaction },
    }
  }
  if (change.kind === 'replaced') {
    const after = { transactionId: change.sighting.transactionId }
    return { action: 'payout.replaced', details: { before: { transactionId: item.transactionId }, after } }
  }
  const { kind, sighting } = change.alert
  const came = coinAmount(sighting.units, sighting.token)
  return {
    action: 'payout.alert_raised',
    details: { alert: kind, transactionId: sighting.transactionId, came },
  }
}

async function payItem(
  tx: Tx,
  origin: Origin,
  { number }: BatchOnFile,
  withdrawalId: string,
  transactionId: string,
): Promise<void> {
  const withdrawal = await lockWithdrawal(tx, withdrawalId)
  if (withdrawal.status !== 'approved') {
    throw new Error(`withdrawal ${withdrawalId} of open batch ${number} is ${withdrawal.status}`)
  }
  await settleWithdrawal(tx, origin, withdrawal, transactionId, { batch: number })
}
