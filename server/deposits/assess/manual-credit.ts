import { sql } from 'kysely'
import { asSystem, audit, type Origin } from '#server/audit/log.ts'
import { noteTransfers } from '#server/chain/seen.ts'
import type { Tx } from '#server/context.ts'
import { withFlag, withoutFlag } from '#server/deposits/flags.ts'
import type { Deposit } from '#server/deposits/locks.ts'
import { assetDecimals, formatDecimal, smaller } from '#shared/money.ts'
import { evidenceOf, openUnits, type Transfer } from './transfers.ts'

/**
 * Matches a manual credit with the first transfers that the network shows, whatever transaction id staff entered.
 * @returns the confirmed transfers that exceed it; only the excess is credited
 */
export async function matchManualCredit(
  tx: Tx,
  by: Origin,
  { deposit, confirmed }: { deposit: Deposit; confirmed: Transfer[] },
): Promise<Transfer[]> {
  const manual = await unmatchedCredit(tx, deposit)
  if (manual === undefined) return confirmed
  let left = manual.units
  const open: Transfer[] = []
  for (const transfer of confirmed) {
    const units = smaller(openUnits(transfer), left)
    left -= units
    if (units > 0n) {
      await match(tx, { transfer, creditId: manual.id, units })
      await recordMatch(tx, by, { deposit, transfer, units })
    }
    if (units < openUnits(transfer))
      open.push({ ...transfer, credited_units: transfer.credited_units + units })
  }
  if (left === manual.units) return open
  await noteTransfers(tx, [deposit.id])
  await restoreReversed(tx, deposit, manual.units - left)
  return open
}

/** The deposit's manual credit, with the units that no transfer matches yet. */
function unmatchedCredit(tx: Tx, { id }: Deposit): Promise<{ id: bigint; units: bigint } | undefined> {
  return tx
    .selectFrom('app.deposit_credits as c')
    .select([
      'c.id',
      sql<bigint>`c.units - (SELECT coalesce(sum(m.units), 0)::bigint FROM app.credit_matches m WHERE m.credit_id = c.id)`.as(
        'units',
      ),
    ])
    .where('c.deposit_id', '=', id)
    .where('c.entered_by', 'is not', null)
    .executeTakeFirst()
}

async function match(
  tx: Tx,
  { transfer, creditId, units }: { transfer: Transfer; creditId: bigint; units: bigint },
): Promise<void> {
  await tx
    .insertInto('app.credit_matches')
    .values({ transfer_id: transfer.id, credit_id: creditId, units })
    .onConflict(conflict =>
      conflict.column('transfer_id').doUpdateSet({ units: sql`credit_matches.units + excluded.units` }),
    )
    .execute()
}

/**
 * Audits the match. A transfer that arrived after the manual credit under another transaction id may be a different payment, so it is
 * flagged for review.
 */
async function recordMatch(
  tx: Tx,
  by: Origin,
  { deposit, transfer, units }: { deposit: Deposit; transfer: Transfer; units: bigint },
): Promise<void> {
  const { id, asset, settled_at, reversed_units, transaction_id } = deposit
  const details = {
    creditedManually: `${formatDecimal(units, assetDecimals[asset])} ${asset}`,
    transactions: [evidenceOf(transfer)],
  }
  await audit(tx, asSystem(by.services), {
    action: 'deposit.matched',
    subject: { kind: 'deposit', id },
    details,
  })
  // A reversed transfer that is back is the payment staff meant.
  if (reversed_units > 0n || transfer.transaction_id === transaction_id) return
  if (settled_at === null || transfer.seen_at <= settled_at) return
  await tx
    .updateTable('app.deposits')
    .set(withFlag('manual_credit'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** Part of a manual credit whose transfer was reversed is on the chain again. */
async function restoreReversed(tx: Tx, { id, reversed_units }: Deposit, units: bigint): Promise<void> {
  if (reversed_units === 0n) return
  const left = reversed_units > units ? reversed_units - units : 0n
  await tx
    .updateTable('app.deposits')
    .set({ reversed_units: left, ...(left === 0n ? withoutFlag('reversed') : {}) })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** A matched transfer lost its block: the manual credit stands, and the deposit is flagged for review. */
export async function unmatch(
  tx: Tx,
  by: Origin,
  { deposit, transfer }: { deposit: Deposit; transfer: Transfer },
): Promise<void> {
  const { units } = await tx
    .deleteFrom('app.credit_matches')
    .where('transfer_id', '=', transfer.id)
    .returning('units')
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('app.deposits')
    .set({ ...withFlag('reversed'), reversed_units: deposit.reversed_units + units })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
  const details = { transactionId: evidenceOf(transfer), creditedManually: 'stands' }
  await audit(tx, by, { action: 'deposit.reversed', subject: { kind: 'deposit', id: deposit.id }, details })
}
