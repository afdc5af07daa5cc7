import { type Kysely, sql, type UpdateObject } from 'kysely'
import { asSystem, audit, type Origin } from '#server/audit/log.ts'
import type { Services, Tx } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { RailName } from '#shared/coins.ts'
import { type BatchRow, lockBatch, noAlert, updateStatus } from './batch.ts'
import { lockWithdrawal, settleWithdrawals } from './pay.ts'
import { coinAmount } from './queries.ts'
import { type DuePayment, duePayments, factsOf, type ItemFacts, type PaymentFacts } from './slots.ts'

type Assessing = Pick<Services, 'db' | 'clock' | 'log'>

type Assessed = {
  /** Number of withdrawals marked as paid. */
  paid: number
  /** Ids of withdrawals that could not be assessed; the log says why. */
  failed: string[]
}

/**
 * Compares a rail's payments with the uses of their slots, after each committed sync. Each step is idempotent, also when
 * two processes take it at once.
 */
export async function assessPayouts(services: Assessing, rail: RailName): Promise<Assessed> {
  let paid = 0
  const failed = new Set<string>()
  for (const due of await duePayments(services.db, rail, services.clock.now())) {
    try {
      const done = await assessPayment(services, due)
      paid += done.paid
      for (const withdrawal of done.failed) failed.add(withdrawal)
    } catch (err) {
      services.log.error({ err, ...due }, 'a payout could not be assessed')
      for (const withdrawal of await openWithdrawals(services.db, due)) failed.add(withdrawal)
    }
  }
  return { paid, failed: [...failed].toSorted() }
}

async function openWithdrawals(db: Kysely<Schema>, { batch, position }: DuePayment): Promise<string[]> {
  const rows = await db
    .selectFrom('app.payout_items')
    .select('withdrawal_id')
    .where('batch_id', '=', batch)
    .where('payment', '=', position)
    .where('state', '=', 'open')
    .execute()
  return rows.flatMap(row => row.withdrawal_id ?? [])
}

/** A failure of one withdrawal does not hold up the others. */
async function assessPayment(services: Assessing, due: DuePayment): Promise<Assessed> {
  const locked = <T>(work: (tx: Tx, batch: BatchRow, facts: PaymentFacts) => Promise<T>) =>
    retrying(() =>
      services.db.transaction().execute(async tx => {
        const batch = await lockBatch(tx, due.batch)
        return work(tx, batch, await factsOf(tx, due, services.clock.now()))
      }),
    )
  const facts = await locked(async (tx, batch, seen) => {
    if (seen.status !== 'void') await recordUse(tx, services, { batch, due, facts: seen })
    return seen
  })
  const failed: string[] = []
  let paid = 0
  for (const item of facts.items.filter(one => isPayable(facts, one))) {
    try {
      if (await locked((tx, batch, seen) => pay(tx, services, { batch, item, facts: seen }))) paid += 1
    } catch (err) {
      services.log.error(
        { err, batch: due.batch, position: item.position },
        'a payout could not be marked as paid',
      )
      if (item.withdrawal !== null) failed.push(item.withdrawal.id)
    }
  }
  await locked((tx, batch, seen) => end(tx, services, { batch, due, facts: seen }))
  return { paid, failed }
}

type Assessment = { batch: BatchRow; due: DuePayment; facts: PaymentFacts }

/** Records the transaction that uses a payment's slots, and what that means for each withdrawal. */
async function recordUse(tx: Tx, services: Assessing, { batch, due, facts }: Assessment): Promise<void> {
  const { use, usedBy, status } = facts
  const transactionId = use?.transactionId ?? null
  if (transactionId !== usedBy) {
    const isNew = use !== null && (status === 'drafted' || status === 'signed')
    await tx
      .updateTable('app.payout_payments')
      .set({ used_by: transactionId, ...(isNew ? { status: 'broadcast' } : {}) })
      .where('batch_id', '=', due.batch)
      .where('position', '=', due.position)
      .executeTakeFirstOrThrow()
  }
  for (const item of facts.items) await recordItem(tx, services, { batch, facts, item })
  await updateStatus(tx, due.batch, services.clock.now())
}

type ItemAssessment = { batch: BatchRow; facts: PaymentFacts; item: ItemFacts }

async function recordItem(tx: Tx, services: Assessing, of: ItemAssessment): Promise<void> {
  const { batch, facts, item } = of
  const { use } = facts
  if (item.state === 'released') return
  if (item.state === 'paid') return recordPaid(tx, services, of)
  if (use === null) return recordDropped(tx, services, of)
  if (item.isPaidAsPlanned) return recordPayment(tx, services, of, use.transactionId)
  if (!isShown(batch, use) || isCancellation(batch, facts)) return
  await raiseOtherwise(tx, services, of, use.transactionId)
}

/** A paid item needs a block: a mempool may lose its transaction, or take another one of its slots. */
async function recordPaid(tx: Tx, services: Assessing, of: ItemAssessment): Promise<void> {
  const { batch, facts, item } = of
  const { use } = facts
  if (use !== null && !item.isPaidAsPlanned && isShown(batch, use)) {
    return raiseOtherwise(tx, services, of, use.transactionId)
  }
  if (use?.isMined && item.isPaidAsPlanned) return recordPayment(tx, services, of, use.transactionId)
  if (item.alert === 'dropped') return
  const transactionId = item.transactionId!
  await raiseAlert(tx, services, of, { kind: 'dropped', transactionId, units: item.units })
}

/** True if we see what a use pays: a mempool does not always show that. */
function isShown({ rail }: BatchRow, { isMined }: NonNullable<PaymentFacts['use']>): boolean {
  return isMined || rail === 'bitcoin'
}

/** True if the batch is to be cancelled, and the transaction pays none of the withdrawals anything. */
function isCancellation({ cancelled_at }: BatchRow, { paysNobody }: PaymentFacts): boolean {
  return cancelled_at !== null && paysNobody
}

async function recordDropped(tx: Tx, services: Assessing, { batch, item }: ItemAssessment): Promise<void> {
  const { transactionId } = item
  if (transactionId === null) return
  await setItem(tx, batch, item, { transaction_id: null })
  const subject = { kind: 'payout', id: batch.id }
  const details = { ...named(item), transactionId }
  await audit(tx, asSystem(services), { action: 'payout.dropped', subject, details })
}

async function recordPayment(
  tx: Tx,
  services: Assessing,
  { batch, item }: ItemAssessment,
  transactionId: string,
): Promise<void> {
  const origin = asSystem(services)
  if (item.alert !== null) await clearAlert(tx, origin, { batch, item })
  if (item.transactionId === transactionId) return
  await setItem(tx, batch, item, { transaction_id: transactionId })
  if (item.state === 'paid' && item.withdrawal !== null) {
    await tx
      .updateTable('app.withdrawals')
      .set({ transaction_id: transactionId })
      .where('id', '=', item.withdrawal.id)
      .executeTakeFirstOrThrow()
  }
  // The investor reads in the withdrawal's history that it was broadcast.
  const subject =
    item.transactionId === null && item.withdrawal !== null
      ? { kind: 'withdrawal', id: item.withdrawal.id }
      : { kind: 'payout', id: batch.id }
  const action = item.transactionId === null ? 'payout.seen' : 'payout.replaced'
  const before = item.transactionId === null ? {} : { before: { transactionId: item.transactionId } }
  const after = item.transactionId === null ? { transactionId } : { after: { transactionId } }
  await audit(tx, origin, { action, subject, details: { ...named(item), ...before, ...after } })
}

/** What an item pays, in the audit log. */
function named({ withdrawal, address }: ItemFacts): Record<string, string> {
  return withdrawal === null ? { address } : { withdrawal: withdrawal.invoice }
}

async function clearAlert(
  tx: Tx,
  origin: Origin,
  { batch, item }: Pick<ItemAssessment, 'batch' | 'item'>,
): Promise<void> {
  await setItem(tx, batch, item, noAlert)
  await audit(tx, origin, {
    action: 'payout.alert_cleared',
    subject: { kind: 'payout', id: batch.id },
    details: { ...named(item), alert: item.alert, transactionId: item.alertTransaction },
  })
}

type Alert = { kind: 'otherwise' | 'dropped'; transactionId: string; units: bigint }

/** Alerts also go to the log, whose errors operators hear of at once. */
const alertWords: Record<Alert['kind'], string> = {
  otherwise: 'a transaction used the slot of a payout and does not pay it as planned',
  dropped: 'a reorg removed the transaction of a paid payout',
}

async function raiseOtherwise(
  tx: Tx,
  services: Assessing,
  of: ItemAssessment,
  transactionId: string,
): Promise<void> {
  const { alert, alertTransaction, received } = of.item
  if (alert === 'otherwise' && alertTransaction === transactionId) return
  await raiseAlert(tx, services, of, { kind: 'otherwise', transactionId, units: received })
}

async function raiseAlert(
  tx: Tx,
  services: Assessing,
  { batch, item }: ItemAssessment,
  { kind, transactionId, units }: Alert,
): Promise<void> {
  services.log.error({ batch: batch.id, transactionId, alert: kind }, alertWords[kind])
  const alert = {
    alert: kind,
    alert_transaction: transactionId,
    alert_units: units,
    alert_at: services.clock.now(),
  }
  const attempt = item.state === 'open' ? { transaction_id: null } : {}
  await setItem(tx, batch, item, { ...noAlert, ...alert, ...attempt })
  const details = {
    ...named(item),
    alert: kind,
    transactionId,
    received: coinAmount(units, item.token),
  }
  const subject = { kind: 'payout', id: batch.id }
  await audit(tx, asSystem(services), { action: 'payout.alert_raised', subject, details })
}

type ItemChange = UpdateObject<Schema, 'app.payout_items'>

async function setItem(
  tx: Tx,
  { id }: Pick<BatchRow, 'id'>,
  { position }: Pick<ItemFacts, 'position'>,
  change: ItemChange,
): Promise<void> {
  await tx
    .updateTable('app.payout_items')
    .set(change)
    .where('batch_id', '=', id)
    .where('position', '=', position)
    .executeTakeFirstOrThrow()
}

/** True if an open withdrawal's payment is final, and its account is not frozen: then we wait until the freeze ends. */
function isPayable({ use, status }: PaymentFacts, item: ItemFacts): boolean {
  const isOpen = item.state === 'open' && item.withdrawal?.isFrozen !== true && status !== 'void'
  return isOpen && use?.isFinal === true && item.isPaidAsPlanned
}

/** @returns true if it paid a withdrawal; false also if it changed meanwhile */
async function pay(
  tx: Tx,
  services: Assessing,
  { batch, item: { position }, facts }: ItemAssessment,
): Promise<boolean> {
  const item = facts.items.find(one => one.position === position)
  if (item === undefined || !isPayable(facts, item)) return false
  const { transactionId } = facts.use!
  if (item.withdrawal === null) {
    await setItem(tx, batch, item, { state: 'paid', transaction_id: transactionId })
    return false
  }
  const withdrawal = await lockWithdrawal(tx, item.withdrawal.id)
  if (withdrawal.status !== 'approved') {
    throw new Error(`withdrawal ${item.withdrawal.id} of open batch ${batch.number} is ${withdrawal.status}`)
  }
  await setItem(tx, batch, item, { state: 'paid', transaction_id: transactionId })
  const details = { batch: batch.number }
  const settlement = { by: asSystem(services), withdrawal, transactionId, details }
  await settleWithdrawals(tx, [settlement], services.clock.now())
  return true
}

/**
 * Ends a payment whose slot was used for good, or that expired: what it did not pay is free for another payment. A
 * withdrawal with an alert is paid again only after a review.
 */
async function end(tx: Tx, services: Assessing, { batch, due, facts }: Assessment): Promise<void> {
  const { status, use, items } = facts
  if (status === 'final' || status === 'void') return
  const isOver = use === null ? facts.isExpired : use.isFinal
  const isWaiting = items.some(item => item.state === 'open' && item.isPaidAsPlanned)
  if (!isOver || isWaiting) return
  await endPayment(tx, due, items.some(({ state }) => state === 'paid') ? 'final' : 'void')
  await updateStatus(tx, batch.id, services.clock.now())
}

/** Releases the withdrawals that a locked batch's payment did not pay, and its slots. */
export async function endPayment(
  tx: Tx,
  { batch, position }: DuePayment,
  status: 'final' | 'void',
): Promise<void> {
  await tx
    .updateTable('app.payout_items')
    .set({ state: 'released', transaction_id: null })
    .where('batch_id', '=', batch)
    .where('payment', '=', position)
    .where('state', '=', 'open')
    .execute()
  await tx
    .updateTable('app.payout_slots')
    .set({ held: false })
    .where('batch_id', '=', batch)
    .where('payment', '=', position)
    .execute()
  await tx
    .updateTable('app.payout_payments')
    .set({ status })
    .where('batch_id', '=', batch)
    .where('position', '=', position)
    .where(sql<boolean>`status NOT IN ('final', 'void')`)
    .execute()
}
