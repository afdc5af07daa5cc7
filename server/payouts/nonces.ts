import { type Kysely, sql } from 'kysely'
import { isFresh, isSynced } from '#server/chain/synced.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { nonceSlot } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { payoutRefusals } from './messages.ts'
import { isTaken } from './slots.ts'

/**
 * The lowest free nonces of a sender: Ethereum takes one transaction for each, so no two payments hold the same.
 * @param sender as configured @throws AppError not_synced
 */
export async function freeNonces(
  db: Kysely<Schema>,
  sender: string,
  count: number,
  now: Date,
): Promise<number[]> {
  const state = await db
    .selectFrom('app.sender_nonces')
    .select(['next_nonce', 'synced_at'])
    .where('rail', '=', 'ethereum')
    .where('address', '=', addressKey(sender))
    .executeTakeFirst()
  // With an outdated nonce, a transaction would replace another one of the sender, or never confirm.
  if (!state || !isFresh(state.synced_at, now) || !(await isSynced(db, 'ethereum', { now }))) {
    throw payoutRefusals.error({ reason: 'not_synced', network: 'Ethereum', unknown: { nonceOf: sender } })
  }
  return lowestFree(await takenSlots(db), { sender, next: state.next_nonce, count })
}

type Numbering = { sender: string; next: number; count: number }

function lowestFree(taken: ReadonlySet<string>, { sender, next, count }: Numbering): number[] {
  const nonces: number[] = []
  for (let nonce = next; nonces.length < count; nonce += 1) {
    if (!taken.has(nonceSlot(sender, nonce))) nonces.push(nonce)
  }
  return nonces
}

/**
 * The lowest free nonce of each of several senders.
 * @param next the next one of each address, as the node knows it
 */
export async function firstFreeNonces(
  db: Kysely<Schema>,
  next: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const taken = await takenSlots(db)
  const first = (sender: string, from: number) => lowestFree(taken, { sender, next: from, count: 1 })[0]!
  return new Map([...next].map(([sender, from]) => [sender, first(sender, from)]))
}

/** Slots that no new payment takes, and those that the network shows as used. */
async function takenSlots(db: Kysely<Schema>): Promise<Set<string>> {
  const { rows } = await sql<{ slot: string }>`
    SELECT k.slot FROM app.payout_slots k JOIN app.payout_batches b ON b.id = k.batch_id
     WHERE b.rail = 'ethereum' AND ${isTaken}
     UNION SELECT s.slot FROM app.chain_spends s WHERE s.rail = 'ethereum' AND s.dropped_at IS NULL`.execute(
    db,
  )
  return new Set(rows.map(({ slot }) => slot))
}
