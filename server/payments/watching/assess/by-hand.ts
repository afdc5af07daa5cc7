import { sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import { withoutFlag } from '#server/payments/flags.ts'
import type { Deposit } from '#server/payments/locks.ts'
import { audit, byItself, type Origin } from '#server/records/audit.ts'
import { addressKey } from '#shared/addresses.ts'
import { assetDecimals, formatDecimal, smaller } from '#shared/money.ts'
import { openUnits, type Transfer } from './transfers.ts'

/**
 * What somebody of the firm has credited by his word is what the network shows first, whatever transaction he named: it covers that much
 * of the transfers, and only what is beyond it is credited.
 */

/** @returns those of the confirmed transfers of which something is beyond it */
export async function coverByHand(
  tx: Tx,
  by: Origin,
  { deposit, confirmed }: { deposit: Deposit; confirmed: Transfer[] },
): Promise<Transfer[]> {
  if (deposit.manual_units === 0n) return confirmed
  const uncovered = deposit.manual_units - (await coveredUnits(tx, deposit))
  let left = uncovered
  const open: Transfer[] = []
  for (const transfer of confirmed) {
    const free = openUnits(transfer)
    const taken = smaller(free, left)
    left -= taken
    const byHandUnits = transfer.manual_units + taken
    if (taken > 0n) {
      await cover(tx, transfer, byHandUnits)
      await tellCovered(tx, by, { deposit, transfer, units: taken })
    }
    if (taken < free) open.push({ ...transfer, manual_units: byHandUnits })
  }
  if (left < uncovered) await showAgain(tx, deposit, uncovered - left)
  return open
}

async function coveredUnits(tx: Tx, { method, address }: Deposit): Promise<bigint> {
  const { covered } = await tx
    .selectFrom('app.chain_transfers')
    .select(({ fn }) => fn.coalesce(fn.sum<string>('manual_units'), sql<string>`0`).as('covered'))
    .where('method', '=', method)
    .where('address', '=', addressKey(address))
    .executeTakeFirstOrThrow()
  return BigInt(covered)
}

async function cover(tx: Tx, { id }: Transfer, units: bigint): Promise<void> {
  await tx
    .updateTable('app.chain_transfers')
    .set({ manual_units: units })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/**
 * A transfer is not credited, since somebody had credited as much by his word. Where it came after that, under another name than he gave,
 * it may be another payment than he meant (he may have meant another coin, or what a contract has sent): somebody has to look at it.
 */
async function tellCovered(
  tx: Tx,
  by: Origin,
  { deposit, transfer, units }: { deposit: Deposit; transfer: Transfer; units: bigint },
): Promise<void> {
  const { id, asset, settled_at, reversed_units, transaction_id } = deposit
  const details = {
    creditedByHand: `${formatDecimal(units, assetDecimals[asset])} ${asset}`,
    transactions: [transfer.transaction_id],
  }
  await audit(tx, byItself(by.services), {
    action: 'deposit.matched',
    subject: { kind: 'deposit', id },
    details,
  })
  // What its network had taken back comes again.
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

/** What its network had taken back of what was credited by hand is there again. */
async function showAgain(tx: Tx, { id, reversed_units }: Deposit, units: bigint): Promise<void> {
  if (reversed_units === 0n) return
  const left = reversed_units > units ? reversed_units - units : 0n
  await tx
    .updateTable('app.deposits')
    .set({ reversed_units: left, ...(left === 0n ? withoutFlag('reversed') : {}) })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** What somebody of the firm has credited by his word is not on its network any more: that stands, and somebody has to look at it. */
export async function uncover(
  tx: Tx,
  by: Origin,
  { deposit, transfer }: { deposit: Deposit; transfer: Transfer },
): Promise<void> {
  await cover(tx, transfer, 0n)
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
  const details = { transactionId: transfer.transaction_id, creditedByHand: 'stands' }
  await audit(tx, by, { action: 'deposit.reversed', subject: { kind: 'deposit', id: deposit.id }, details })
}
