import { v7 as uuidv7 } from 'uuid'
import type { Asset } from '#shared/money.ts'
import type { Account, FirmKind, InvestorKind, LedgerEvent, Leg, Posting, ReferenceKind } from './chart.ts'

/**
 * Every business event that moves money, with its legs (table in README.md beside this file). Amounts are minor units:
 * USD in cents, coins in their asset's units. Ids are UUIDs; `actor` is the user who causes the event, null for the
 * system.
 */
type Caused = { actor: string | null; memo?: string }
type OfUser = Caused & { userId: string; amountCents: bigint }

/** A received payment: its coins, and their value at the payment's rate. */
export type SettledPayment = {
  asset: Exclude<Asset, 'USD'>
  /** The units received. */
  receivedUnits: bigint
  /**
   * The units that `amountCents` is worth at the rate, rounded half to even. The remainder of `receivedUnits` goes to
   * the firm's rounding account (D3). Omit if nothing was rounded.
   */
  exchangedUnits?: bigint
}

type OfDeposit = OfUser & { depositId: string; payment: SettledPayment }
/** Part of `amountCents` that repays a debt of the same deposit; the investor gets the rest. */
type Repayment = { repaidCents?: bigint }

/** A deposit's payment: coins into custody, USD to the investor's available balance. */
export function depositSettled(of: OfDeposit & Repayment): Posting {
  return posting('deposit.settled', 'deposit', of.depositId, of, credited(of))
}

/** A further payment to a settled deposit. */
export function depositAdded(of: OfDeposit & Repayment): Posting {
  return posting('deposit.added', 'deposit', of.depositId, of, credited(of))
}

/**
 * Reverses a credit whose transfer the network dropped: its coins and its dollars.
 * @param of.amountCents the credit
 * @param of.takenCents the part taken from the available balance; the rest becomes a debt
 */
export function depositReversed(of: OfDeposit & { takenCents: bigint }): Posting {
  const legs = [
    ...received(of.payment).map(({ from, to, ...leg }) => ({ ...leg, from: to, to: from })),
    usd(own('available', of), 'exchange', of.takenCents),
    usd('receivable', 'exchange', of.amountCents - of.takenCents),
  ]
  return posting('deposit.reversed', 'deposit', of.depositId, of, legs.filter(moves))
}

/** Repays the debt of a reversed payment from money that has become available. */
export function debtRecovered(of: OfUser & { depositId: string }): Posting {
  return posting('deposit.reversed', 'deposit', of.depositId, of, [
    usd(own('available', of), 'receivable', of.amountCents),
  ])
}

/**
 * An investment's payment arrives and the investment is approved, in one transaction: the payment becomes available,
 * and the investment's amount is locked in the plan.
 * @param of.amountCents value of the payment
 * @param of.investedCents the investment's amount
 */
export function investmentFunded(
  of: OfUser & { investmentId: string; payment: SettledPayment; investedCents: bigint },
): Posting {
  const legs = [
    ...received(of.payment),
    usd('exchange', own('available', of), of.amountCents),
    usd(own('available', of), own('invested', of), of.investedCents),
  ]
  return posting('investment.funded', 'investment', of.investmentId, of, legs)
}

/** An investment paid from the balance: the amount is held. The hold has the posting's id. */
export function investmentRequested(of: OfUser & { investmentId: string }): Posting {
  return moved('investment.requested', 'investment', of.investmentId, of, 'available', 'held')
}

/** The held amount of a pending investment is locked in its plan. */
export function investmentApproved(of: OfUser & { investmentId: string; holdId: string }): Posting {
  return moved('investment.approved', 'investment', of.investmentId, of, 'held', 'invested')
}

/** The held amount of a pending investment is available again. */
export function investmentDeclined(of: OfUser & { investmentId: string; holdId: string }): Posting {
  return moved('investment.declined', 'investment', of.investmentId, of, 'held', 'available')
}

/** The principal of an active investment is available again. */
export function investmentClosed(of: OfUser & { investmentId: string }): Posting {
  return moved('investment.closed', 'investment', of.investmentId, of, 'invested', 'available')
}

/** The requested amount is held. The hold has the posting's id. */
export function withdrawalRequested(of: OfUser & { withdrawalId: string }): Posting {
  return moved('withdrawal.requested', 'withdrawal', of.withdrawalId, of, 'available', 'held')
}

/** The held amount was paid out, in the coin and by the transaction that the withdrawal names. */
export function withdrawalPaid(of: OfUser & { withdrawalId: string; holdId: string }): Posting {
  const legs = [usd(own('held', of), 'payouts', of.amountCents)]
  return posting('withdrawal.paid', 'withdrawal', of.withdrawalId, of, legs)
}

/** The held amount is available again. */
export function withdrawalDeclined(of: OfUser & { withdrawalId: string; holdId: string }): Posting {
  return moved('withdrawal.declined', 'withdrawal', of.withdrawalId, of, 'held', 'available')
}

/** A realised return is recorded: earnings can now be paid from it. */
export function returnRecorded(of: Caused & { returnId: string; amountCents: bigint }): Posting {
  const legs = [usd('returns_received', { kind: 'recorded_returns' }, of.amountCents)]
  return posting('return.recorded', 'return', of.returnId, of, legs)
}

/** A recorded return was wrong: the part that it has not paid leaves the books again. */
export function returnVoided(of: Caused & { returnId: string; amountCents: bigint }): Posting {
  const legs = [usd('recorded_returns', 'returns_received', of.amountCents)]
  return posting('return.voided', 'return', of.returnId, of, legs)
}

/** An earning is paid, from the recorded returns only (D1.2). */
export function earningPaid(of: OfUser & { earningId: string }): Posting {
  const legs = [usd('recorded_returns', own('available', of), of.amountCents)]
  return posting('earning.paid', 'earning', of.earningId, of, legs)
}

function own(kind: InvestorKind, of: { userId: string }): Account {
  return { kind, owner: of.userId }
}

function usd(from: Account | FirmKind, to: Account | FirmKind, amount: bigint): Leg {
  return { from: account(from), to: account(to), asset: 'USD', amount }
}

function account(account: Account | FirmKind): Account {
  return typeof account === 'string' ? { kind: account } : account
}

function credited({ repaidCents = 0n, ...of }: OfDeposit & Repayment): Leg[] {
  return [
    ...received(of.payment),
    usd('exchange', 'receivable', repaidCents),
    usd('exchange', own('available', of), of.amountCents - repaidCents),
  ].filter(moves)
}

function moves({ amount }: Leg): boolean {
  return amount !== 0n
}

/** Coins into custody; the remainder of rounding, either way, goes to the rounding account. */
function received({ asset, receivedUnits, exchangedUnits = receivedUnits }: SettledPayment): Leg[] {
  const leg = (from: FirmKind, to: FirmKind, amount: bigint): Leg => ({
    from: { kind: from },
    to: { kind: to },
    asset,
    amount,
  })
  const left = receivedUnits - exchangedUnits
  if (left > 0n) return [leg('custody', 'exchange', exchangedUnits), leg('custody', 'rounding', left)]
  if (left < 0n) return [leg('custody', 'exchange', receivedUnits), leg('rounding', 'exchange', -left)]
  return [leg('custody', 'exchange', receivedUnits)]
}

function moved(
  event: LedgerEvent,
  reference: ReferenceKind,
  id: string,
  of: OfUser & { holdId?: string },
  from: InvestorKind,
  to: InvestorKind,
): Posting {
  return posting(event, reference, id, of, [usd(own(from, of), own(to, of), of.amountCents)])
}

function posting(
  event: LedgerEvent,
  kind: ReferenceKind,
  id: string,
  { actor, memo, holdId }: Caused & { holdId?: string },
  legs: Leg[],
): Posting {
  return {
    id: uuidv7(),
    event,
    reference: { kind, id },
    holdId: holdId ?? null,
    actor,
    memo: memo ?? null,
    legs,
  }
}
