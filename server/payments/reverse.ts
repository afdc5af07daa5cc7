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
import { arrivalOf, creditedBefore } from './arrival.ts'
import type { Deposit } from './locks.ts'

type Transfer = Selectable<Schema['app.chain_transfers']>

/**
 * The network has taken back a transfer that was credited: of its dollars what is available is taken back, and the rest is owed to the
 * firm (event deposit.reversed). A deposit of which nothing is left is waited for again.
 * @returns what it was credited with and how much of that could be taken back, in cents
 * @throws AppError insufficient_funds where the balance goes down at the same moment; it is to be tried again
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
  await takeOff(tx, deposit, {
    units,
    creditedCents,
    shortCents: creditedCents - takenCents,
    late: transfer.late!,
    now,
  })
  return { creditedCents, takenCents }
}

async function takeOff(
  tx: Tx,
  deposit: Deposit,
  off: { units: bigint; creditedCents: bigint; shortCents: bigint; late: boolean; now: Date },
): Promise<void> {
  const before = creditedBefore(deposit)
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

/** When the last of the late transfers came that is still credited, and at which rate it is; where none is, what is late was told by hand. */
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

/** It stays paid, with what is left. */
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

/** Its payment may be confirmed again: it is waited for as long as for any other. */
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
