import type { Kysely } from 'kysely'
import { isFresh, isSynced } from '#server/chain/synced.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'
import { outstandingFiles } from './exported-files.ts'
import { payoutRefusals } from './messages.ts'

/**
 * Nonces of Ethereum payouts. The chain takes one transaction per sender and nonce, so signing a file twice pays once, and reusing the
 * nonce of a cancelled payout invalidates that payout.
 */

/**
 * A nonce for each withdrawal of a new batch, in their order. A withdrawal whose exported file can still confirm keeps that file's
 * nonce; the others get the lowest free ones.
 * @param sender as configured
 * @throws AppError not_synced, nonce_of_other_sender, nonce_reserved, several_nonces, nonce_shared
 */
export async function noncesFor(
  db: Kysely<Schema>,
  sender: string,
  withdrawals: readonly string[],
  now: Date,
): Promise<number[]> {
  const key = addressKey(sender)
  const state = await db
    .selectFrom('app.sender_nonces')
    .select(['next_nonce', 'synced_at'])
    .where('method', '=', 'ethereum')
    .where('address', '=', key)
    .executeTakeFirst()
  // With an outdated nonce, a transaction would replace another one of the sender, or never confirm.
  if (!state || !isFresh(state.synced_at, now) || !(await isSynced(db, 'ethereum', { now }))) {
    const effect = `the next nonce of ${sender} is unknown`
    throw payoutRefusals.error({ reason: 'not_synced', network: 'Ethereum', effect })
  }
  const reserved = await reservedNonces(db, key)
  const reused = await reusedNonces(db, withdrawals, { key, reserved, now })
  const taken = new Set([...reserved.keys(), ...reused.values()])
  let next = state.next_nonce
  return withdrawals.map(id => {
    const nonce = reused.get(id)
    if (nonce !== undefined) return nonce
    while (taken.has(next)) next += 1
    taken.add(next)
    return next
  })
}

/** Nonces of open items, with the numbers of their batches. */
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

/** By withdrawal, the nonces that invalidate files of cancelled batches. */
async function reusedNonces(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  { key, reserved, now }: { key: string; reserved: ReadonlyMap<number, string>; now: Date },
): Promise<Map<string, number>> {
  const reused = new Map<string, number>()
  for (const file of await outstandingFiles(db, withdrawals, now)) {
    const { withdrawal_id, invoice_id: invoice, sender, nonce, number } = file
    if (nonce === null) continue
    const of = { number, invoice, nonce }
    if (sender !== key) {
      throw payoutRefusals.error({ reason: 'nonce_of_other_sender', ...of, sender: sender! })
    }
    const reservedBy = reserved.get(nonce)
    if (reservedBy !== undefined) throw payoutRefusals.error({ reason: 'nonce_reserved', ...of, reservedBy })
    const own = reused.get(withdrawal_id)
    if (own !== undefined && own !== nonce) throw payoutRefusals.error({ reason: 'several_nonces', ...of })
    if ([...reused].some(([id, used]) => used === nonce && id !== withdrawal_id)) {
      throw payoutRefusals.error({ reason: 'nonce_shared', ...of })
    }
    reused.set(withdrawal_id, nonce)
  }
  return reused
}
