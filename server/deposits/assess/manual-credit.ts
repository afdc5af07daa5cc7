import { sql } from 'kysely'
import { asSystem, audit, type Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import { withoutFlag } from '#server/deposits/flags.ts'
import type { Deposit } from '#server/deposits/locks.ts'
import { addressKey } from '#shared/addresses.ts'
import { assetDecimals, formatDecimal, smaller } from '#shared/money.ts'
import { openUnits, type Transfer } from './transfers.ts'

/**
 * Matches a manual credit with the first transfers that the network shows, whatever transaction id staff entered.
 * @returns the confirmed transfers that exceed it; only the excess is credited
 */
export async function matchManualCredit(
  tx: Tx,
  by: Origin,
  { deposit, confirmed }: { deposit: Deposit; confirmed: Transfer[] },
): Promise<Transfer[]> {
  if (deposit.manual_units === 0n) return confirmed
  const unmatched = deposit.manual_units - (await matchedUnits(tx, deposit))
  let left = unmatched
  const open: Transfer[] = []
  for (const transfer of confirmed) {
    const free = openUnits(transfer)
    const taken = smaller(free, left)
    left -= taken
    const manualUnits = transfer.manual_units + taken
    if (taken > 0n) {
      await setMatchedUnits(tx, transfer, manualUnits)
      await recordMatch(tx, by, { deposit, transfer, units: taken })
    }
    if (taken < free) open.push({ ...transfer, manual_units: manualUnits })
  }
  if (left < unmatched) await restoreReversed(tx, deposit, unmatched - left)
  return open
}

async function matchedUnits(tx: Tx, { method, address }: Deposit): Promise<bigint> {
  const { matched } = await tx
    .selectFrom('app.chain_transfers')
    .select(({ fn }) => fn.coalesce(fn.sum<string>('manual_units'), sql<string>`0`).as('matched'))
    .where('method', '=', method)
    .where('address', '=', addressKey(address))
    .executeTakeFirstOrThrow()
  return BigInt(matched)
}

async function setMatchedUnits(tx: Tx, { id }: Transfer, units: bigint): Promise<void> {
  await tx
    .updateTable('app.chain_transfers')
    .set({ manual_units: units })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
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
    transactions: [transfer.transaction_id],
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
    .set({
      flags: sql`array_append(array_remove(flags, 'manual_credit'), 'manual_credit')`,
      reviewed_at: null,
      reviewed_by: null,
    })
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
  await setMatchedUnits(tx, transfer, 0n)
  await tx
    .updateTable('app.deposits')
    .set({
      flags: [...new Set([...deposit.flags, 'reversed' as const])],
      reviewed_at: null,
      reviewed_by: null,
    })
    .set({ reversed_units: deposit.reversed_units + transfer.manual_units })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
  const details = { transactionId: transfer.transaction_id, creditedManually: 'stands' }
  await audit(tx, by, { action: 'deposit.reversed', subject: { kind: 'deposit', id: deposit.id }, details })
}
