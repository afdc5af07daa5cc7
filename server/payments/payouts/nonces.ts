import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'
import { AppError } from '#shared/errors.ts'
import { payoutLookMinutes } from '#shared/limits.ts'
import { filesOut } from './given-out.ts'
import { isLookedAt } from './looked-at.ts'

/**
 * The nonces of Ethereum's payouts. A chain takes one transaction of an address for each nonce, in their order, so whatever two people
 * sign of one file is mined once, and a transaction that was given up is excluded by whatever else uses its nonce.
 */

/**
 * A nonce for each withdrawal of a new batch, in their order. One that a cancelled batch was to pay, whose file was given out, has the
 * nonce that it had there for as long as that can be mined; the others have the lowest that are free.
 * @param sender as it is configured
 * @throws AppError wrong_state where it is not known how far the sender is now, or where a nonce that must be used again is another's
 */
export async function noncesFor(
  db: Kysely<Schema>,
  sender: string,
  withdrawals: readonly string[],
  now: Date,
): Promise<number[]> {
  const key = addressKey(sender)
  const known = await db
    .selectFrom('app.sender_nonces')
    .select(['next_nonce', 'synced_at'])
    .where('method', '=', 'ethereum')
    .where('address', '=', key)
    .executeTakeFirst()
  if (!known) {
    throw new AppError(
      'wrong_state',
      `The next nonce of ${sender}, which pays, is not known yet: the network has not been looked at since it was configured. Wait for the next look; if the console shows a fault of the network, mend that first.`,
    )
  }
  // What the sender has sent since is known to nobody: a transaction with a nonce of then would replace it, or never be mined.
  const oldest = now.getTime() - payoutLookMinutes * 60_000
  if (known.synced_at.getTime() < oldest || !(await isLookedAt(db, 'ethereum', { now }))) {
    throw new AppError(
      'wrong_state',
      `Ethereum has not been looked at to its end lately, so the next nonce of ${sender}, which pays, is not known. Wait for the next look; if the console shows a fault of the network, mend that first.`,
    )
  }
  const reserved = await reservedNonces(db, key)
  const fixed = await fixedNonces(db, withdrawals, { key, reserved, now })
  const taken = new Set([...reserved.keys(), ...fixed.values()])
  let next = known.next_nonce
  return withdrawals.map(id => {
    const again = fixed.get(id)
    if (again !== undefined) return again
    while (taken.has(next)) next += 1
    taken.add(next)
    return next
  })
}

/** Those of open items, with the numbers of their batches. */
async function reservedNonces(db: Kysely<Schema>, key: string): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .select(['p.nonce', 'b.number'])
    .where('p.sender', '=', key)
    .where('p.state', '=', 'open')
    .where('p.nonce', 'is not', null)
    .execute()
  return new Map(rows.map(({ nonce, number }) => [nonce!, number]))
}

/** By withdrawal, those that exclude what was signed of a cancelled batch. */
async function fixedNonces(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  { key, reserved, now }: { key: string; reserved: ReadonlyMap<number, string>; now: Date },
): Promise<Map<string, number>> {
  const fixed = new Map<string, number>()
  for (const { withdrawal_id, invoice_id, sender, nonce, number } of await filesOut(db, withdrawals, now)) {
    if (nonce === null) continue
    const file = `The file of cancelled batch ${number}, which pays ${invoice_id} with nonce ${nonce}, can still be signed`
    if (sender !== key) {
      throw new AppError(
        'wrong_state',
        `${file}, and payouts are sent from another address now. Send anything else from ${sender} with that nonce, and wait until it has all its confirmations.`,
      )
    }
    const by = reserved.get(nonce)
    if (by !== undefined || (fixed.has(withdrawal_id) && fixed.get(withdrawal_id) !== nonce)) {
      const other = by === undefined ? 'Another nonce of it' : `Batch ${by}`
      throw new AppError(
        'wrong_state',
        `${file}. ${other} is to be used first: wait until that is marked as paid, so that both can never be paid.`,
      )
    }
    const [twin] = [...fixed].find(([id, used]) => used === nonce && id !== withdrawal_id) ?? []
    if (twin !== undefined) {
      throw new AppError(
        'wrong_state',
        `${file}, and another of these withdrawals has the same nonce. Put ${invoice_id} into a batch of its own, once this one is marked as paid.`,
      )
    }
    fixed.set(withdrawal_id, nonce)
  }
  return fixed
}
