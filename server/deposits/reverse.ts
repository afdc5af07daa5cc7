import type { Selectable } from 'kysely'
import type { Tx } from '#server/context.ts'
import { investorBalances } from '#server/ledger/balances.ts'
import { depositReversed } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'
import type { DepositFlag } from '#shared/contract/entities.ts'
import { monitoringHours } from '#shared/limits.ts'
import { smaller } from '#shared/money.ts'
import type { Deposit } from './locks.ts'
import { arrivalOf, creditedSoFar } from './valuation.ts'

type Transfer = Selectable<Schema['app.chain_transfers']>

/**
 * Reverses the credit of a transfer that lost its block: what is available is debited, and the rest becomes a debt (event
 * deposit.reversed). A deposit with nothing left is pending again.
 * @returns the cents credited, and how many of them could be recovered
 * @throws AppError insufficient_funds if the balance falls concurrently; retry
 */
export async function reverseTransfer(
  tx: Tx,
  deposit: Deposit,
  transfer: Transfer,
  now: Date,
): Promise<{ creditedCents: bigint; takenCents: bigint }> {
  const creditedCents = transfer.credited_cents!
  const { available } = await investorBalances(tx, deposit.user_id)
  const takenCents = smaller(available, creditedCents)
  const units = transfer.units - transfer.manual_units
  const payment = {
    asset: deposit.asset,
    receivedUnits: units,
    exchangedUnits: transfer.exchanged_units!,
  }
  const of = { userId: deposit.user_id, actor: null, depositId: deposit.id }
  await post(tx, depositReversed({ ...of, amountCents: creditedCents, takenCents, payment }))
  await tx
    .updateTable('app.chain_transfers')
    .set({
      credited_by: null,
      credited_cents: null,
      exchanged_units: null,
      rate_e8: null,
      rate_source: null,
      late: null,
    })
    .where('id', '=', transfer.id)
    .executeTakeFirstOrThrow()
  await subtractReversed(tx, deposit, {
    units,
    creditedCents,
    shortCents: creditedCents - takenCents,
    late: transfer.late!,
    now,
  })
  return { creditedCents, takenCents }
}

async function subtractReversed(
  tx: Tx,
  deposit: Deposit,
  off: { units: bigint; creditedCents: bigint; shortCents: bigint; late: boolean; now: Date },
): Promise<void> {
  const before = creditedSoFar(deposit)
  const [units, cents] = [before.units - off.units, before.cents - off.creditedCents]
  const late = {
    units: before.late.units - (off.late ? off.units : 0n),
    cents: before.late.cents - (off.late ? off.creditedCents : 0n),
  }
  const debtCents = deposit.debt_cents + off.shortCents
  const flags: DepositFlag[] = ['reversed', ...(debtCents > 0n ? (['debt'] as const) : [])]
  const common = {
    debt_cents: debtCents,
    reversed_units: deposit.reversed_units + off.units,
    flags: [...new Set([...deposit.flags, ...flags])],
    reviewed_at: null,
    reviewed_by: null,
  }
  await tx
    .updateTable('app.deposits')
    .set({
      ...common,
      ...(cents > 0n
        ? left(deposit, { units, cents, late, last: await lastLate(tx, deposit) })
        : nothingLeft(deposit, off.now)),
    })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
}

type Late = Pick<Deposit, 'arrived_at' | 'credited_rate_e8' | 'credited_rate_source'>

/** Arrival and rate of the last late transfer still credited; if there is none, staff entered what is late. */
async function lastLate(tx: Tx, deposit: Deposit): Promise<Late> {
  const last = await tx
    .selectFrom('app.chain_transfers')
    .selectAll()
    .where('method', '=', deposit.method)
    .where('address', '=', addressKey(deposit.address))
    .where('credited_by', 'is not', null)
    .where('late', '=', true)
    .orderBy('seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) return deposit
  return {
    arrived_at: arrivalOf(deposit, last),
    credited_rate_e8: last.rate_e8,
    credited_rate_source: last.rate_source,
  }
}

/** The deposit stays paid, with the amounts left. */
function left(
  { amount_cents }: Deposit,
  of: { units: bigint; cents: bigint; late: { units: bigint; cents: bigint }; last: Late },
) {
  const { units, cents, late } = of
  const { arrived_at, credited_rate_e8, credited_rate_source } = of.last
  const isLate = late.units > 0n
  const inPart = isLate && late.units < units
  const inTime =
    cents < amount_cents ? ('underpaid' as const) : cents > amount_cents ? ('overpaid' as const) : null
  return {
    received_units: units,
    credited_cents: cents,
    deviation: isLate ? ('late' as const) : inTime,
    late_units: inPart ? late.units : null,
    late_cents: inPart ? late.cents : null,
    arrived_at: isLate ? arrived_at : null,
    credited_rate_e8: isLate ? credited_rate_e8 : null,
    credited_rate_source: isLate ? credited_rate_source : null,
  }
}

/** The payment may confirm again, so the monitoring period restarts. */
function nothingLeft({ watch_until }: Deposit, now: Date) {
  const until = new Date(now.getTime() + monitoringHours * 3_600_000)
  return {
    status: 'pending' as const,
    settled_at: null,
    received_units: null,
    credited_cents: null,
    deviation: null,
    late_units: null,
    late_cents: null,
    arrived_at: null,
    credited_rate_e8: null,
    credited_rate_source: null,
    watch_until: until > watch_until ? until : watch_until,
  }
}
