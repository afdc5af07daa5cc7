import type { Services, Tx } from '#server/context.ts'
import { arrivalOf, together, type WeighedPart, weighParts } from '#server/payments/arrival.ts'
import { awaiting, type Deposit, type Investment } from '#server/payments/locks.ts'
import { addToDeposit, type Credit, settleDeposit } from '#server/payments/settle.ts'
import { tellDeclinedBy } from '#server/payments/tell.ts'
import { audit, type Origin } from '#server/records/audit.ts'
import { isFrozen, requireUnfrozen } from '#server/records/frozen.ts'
import { notify } from '#server/records/notices.ts'
import { dustUnits } from '#shared/limits.ts'
import { assetDecimals, formatDecimal, formatUsd } from '#shared/money.ts'
import { flagOpen, putOff, tellShort } from './put-off.ts'
import { isReviewed, type ToldByStaff, waitsForReview } from './review.ts'
import { openUnits, type Transfer } from './transfers.ts'

/** Who has something assessed: nobody, or whoever wants what has come credited as it is. */
export type Assessing = Origin & { services: Services }

type Open = {
  deposit: Deposit
  investment: Investment | null
  /** Confirmed, and not credited. */
  open: Transfer[]
  /** Whether nothing else is on its way. */
  isAll: boolean
  /** Units that are not credited, whether confirmed or not. */
  coming: bigint
  asIs: boolean
  told: ToldByStaff | undefined
}

/**
 * Credits a deposit with what is confirmed and open of it, where nothing else is waited for first.
 * @returns whether anything has changed
 * @throws AppError as `assessDeposit`
 */
export async function creditOpen(tx: Tx, by: Assessing, of: Open): Promise<boolean> {
  const { deposit, asIs, told } = of
  const now = by.services.clock.now()
  if (!asIs && isRestAwaited(of, now)) return of.isAll && tellShort(tx, deposit, now)
  if (!asIs && isRestComing(of)) return false
  // What was taken back before stays so; what has come waits until the account is unfrozen.
  if (!asIs && (await isFrozen(tx, deposit.user_id))) return false
  await requireUnfrozen(tx, deposit.user_id)
  const weighed = await weighOpen(tx, by, of)
  const isWhole = weighed.length === of.open.length
  if (!isWhole && !standsAlone(of, weighed)) return flagOpen(tx, deposit, { flag: 'rate_missing', now })
  // Coins that are worth less than a cent are written down with what they are added to.
  if (addedBy(weighed).cents === 0n && deposit.status !== 'paid') return putOff(tx, deposit.id, now)
  const whole = together(deposit, weighed)
  if (waitsForReview(by.services, { deposit, whole, told })) {
    return flagOpen(tx, deposit, { flag: 'large', now })
  }
  const credit: Credit = {
    actor: by.caller?.userId ?? null,
    now,
    weighed: whole,
    transactionId: null,
    by: 'network',
    isReviewed: isReviewed(deposit, told),
  }
  const posting = await postCredit(tx, by, { ...of, weighed, credit })
  for (const part of weighed) await markCredited(tx, part, posting)
  if (!isWhole) await flagOpen(tx, deposit, { flag: 'rate_missing', now })
  return true
}

/** Whether less has come than was asked for, and the rest can still be sent. */
function isRestAwaited({ deposit, investment, open }: Open, now: Date): boolean {
  const units = unitsOf(open)
  return (
    deposit.status === 'pending' &&
    now < deposit.watch_until &&
    units < deposit.crypto_units &&
    !isAllBut(deposit, investment, units)
  )
}

/** All of it was seen: the rest is waited for until it confirms or is gone, however late that is. */
function isRestComing({ deposit, open, coming }: Open): boolean {
  return (
    deposit.status === 'pending' && unitsOf(open) < deposit.crypto_units && coming >= deposit.crypto_units
  )
}

function unitsOf(open: readonly Transfer[]): bigint {
  return open.reduce((sum, transfer) => sum + openUnits(transfer), 0n)
}

/** A rest that is dust cannot be sent by itself; an investment waits for it all the same, with something more. */
function isAllBut({ asset, crypto_units }: Deposit, investment: Investment | null, units: bigint): boolean {
  return awaiting(investment) === null && crypto_units - units < dustUnits[asset]
}

type WeighedTransfer = WeighedPart & { transfer: Transfer }

/** @returns those whose rate is known */
function weighOpen(
  tx: Tx,
  { services }: Assessing,
  { deposit, open, told }: Open,
): Promise<WeighedTransfer[]> {
  const parts = open.map(transfer => ({
    transfer,
    units: openUnits(transfer),
    arrivedAt: arrivalOf(deposit, transfer),
  }))
  return weighParts({ ...services, db: tx }, deposit, parts, told)
}

function addedBy(weighed: readonly WeighedPart[]): { units: bigint; cents: bigint; exchangedUnits: bigint } {
  return {
    units: weighed.reduce((sum, part) => sum + part.units, 0n),
    cents: weighed.reduce((sum, part) => sum + part.creditedCents, 0n),
    exchangedUnits: weighed.reduce((sum, part) => sum + part.exchangedUnits, 0n),
  }
}

/**
 * Whether what can be weighed is credited without the rest, whose rate has to be told first. What pays an investment that still waits for
 * it has to cover that, unless somebody wants it as it is: else it would be declined for want of a rate.
 */
function standsAlone({ deposit, investment, asIs }: Open, weighed: readonly WeighedPart[]): boolean {
  if (weighed.length === 0 || asIs) return weighed.length > 0
  const paid = awaiting(investment)
  if (paid === null || paid.hold_id !== null || deposit.status === 'paid') return true
  return addedBy(weighed).cents >= paid.amount_cents
}

type Crediting = Pick<Open, 'deposit' | 'investment'> & {
  weighed: readonly WeighedTransfer[]
  credit: Credit
}

/** @returns the ledger's transaction */
async function postCredit(tx: Tx, by: Assessing, of: Crediting): Promise<string> {
  const { deposit, investment, weighed, credit } = of
  const { now } = credit
  const subject = { kind: 'deposit', id: deposit.id }
  const details = detailsOf(of)
  if (deposit.status === 'paid') {
    const added = addedBy(weighed)
    const posting = await addToDeposit(tx, deposit, { ...credit, added })
    await audit(tx, by, { action: 'deposit.added', subject, details })
    if (added.cents > 0n) await notify(tx, 'deposit.added', deposit, now)
    return posting
  }
  const paid = awaiting(investment)
  const { posting, became } = await settleDeposit(tx, deposit, paid, credit)
  const moved = [deposit.status, 'paid'] as const
  await audit(tx, by, { action: 'deposit.credited', subject, moved, details })
  await notify(tx, deposit.flags.includes('reversed') ? 'deposit.added' : 'deposit.approved', deposit, now)
  await tellDeclinedBy(tx, by, { investment: paid, became, now })
  return posting
}

/** What the audit log keeps of it. */
function detailsOf({ deposit: { asset, amount_cents }, weighed, credit }: Crediting) {
  const added = addedBy(weighed)
  const { deviation } = credit.weighed
  return {
    asked: formatUsd(amount_cents),
    credited: formatUsd(added.cents),
    received: `${formatDecimal(added.units, assetDecimals[asset])} ${asset}`,
    ...(deviation === null ? {} : { deviation }),
    transactions: weighed.map(({ transfer }) => transfer.transaction_id),
  }
}

async function markCredited(
  tx: Tx,
  { transfer, creditedCents, exchangedUnits, rateE8, rateSource, late }: WeighedTransfer,
  posting: string,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('app.chain_transfers')
    .set({
      credited_by: posting,
      credited_cents: creditedCents,
      exchanged_units: exchangedUnits,
      rate_e8: rateE8,
      rate_source: rateSource,
      late,
    })
    .where('id', '=', transfer.id)
    .where('credited_by', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new Error(`transfer ${transfer.id} was credited already`)
}
