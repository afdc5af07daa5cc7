import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { ledgerPosts } from '#server/platform/metrics.ts'
import { type Account, firm, type Posting } from './chart.ts'
import { refusal, refusalError, refusalOf } from './refusals.ts'

/**
 * Writes one business event to the books, in the caller's transaction: the only way from TypeScript into the
 * ledger, beside the batches of hot commands (batch.ts). Make the posting with events.ts. Each call locks its accounts
 * in one order; what a transaction posts besides must be about the same investor, for two calls could lock in two.
 * @returns the transaction's id, which is also the id of the hold that it placed
 * @throws AppError `insufficient_funds`, `insufficient_returns` or `wrong_state` (the hold is resolved already); the
 *   database transaction is then aborted and must be rolled back
 */
export async function post(tx: Kysely<Schema>, posting: Posting): Promise<string> {
  const { id, event, reference, holdId, actor, memo, legs } = posting
  const owners = (side: 'from' | 'to') => legs.map(leg => ownerOf(leg[side]))
  const kinds = (side: 'from' | 'to') => legs.map(leg => leg[side].kind)
  try {
    await sql`SELECT ledger.post(
      ${id}::uuid, ${event}, ${reference.kind}, ${reference.id}::uuid, ${holdId}::uuid, ${actor}::uuid, ${memo},
      ${owners('from')}::uuid[], ${kinds('from')}::text[], ${owners('to')}::uuid[], ${kinds('to')}::text[],
      ${legs.map(leg => leg.asset)}::text[], ${legs.map(leg => leg.amount)}::bigint[])`.execute(tx)
  } catch (error) {
    ledgerPosts.inc({ event, outcome: 'refused' })
    throw refusalOf(error) ?? error
  }
  ledgerPosts.inc({ event, outcome: 'posted' })
  return id
}

/**
 * Writes several business events to the books in one call, in the caller's transaction: all of them or none. For the legs
 * to be found quickly a call takes some hundred at most; who makes several calls in one transaction sees to it that they
 * lock their accounts in one order (`ledger.accounts.id`).
 * @throws AppError as `post`, for the first that is refused
 */
export async function postAll(tx: Kysely<Schema>, postings: readonly Posting[]): Promise<void> {
  const of = <T>(value: (posting: Posting) => T) => postings.map(value)
  const legs = postings.flatMap(({ legs }, n) => legs.map(leg => ({ ...leg, n: n + 1 })))
  const { rows } = await sql<{ refusals: unknown[] }>`SELECT to_jsonb(ledger.post_each(
    ${of(p => p.id)}::uuid[], ${of(p => p.event)}::text[], ${of(p => p.reference.kind)}::text[],
    ${of(p => p.reference.id)}::uuid[], ${of(p => p.holdId)}::uuid[], ${of(p => p.actor)}::uuid[],
    ${of(p => p.memo)}::text[], ${legs.map(leg => leg.n)}::integer[],
    ${legs.map(leg => ownerOf(leg.from))}::uuid[], ${legs.map(leg => leg.from.kind)}::text[],
    ${legs.map(leg => ownerOf(leg.to))}::uuid[], ${legs.map(leg => leg.to.kind)}::text[],
    ${legs.map(leg => leg.asset)}::text[], ${legs.map(leg => leg.amount)}::bigint[])) AS refusals`.execute(tx)
  const refused = rows[0]!.refusals.find(answer => answer !== null)
  for (const { event } of postings) {
    ledgerPosts.inc({ event, outcome: refused === undefined ? 'posted' : 'refused' })
  }
  if (refused !== undefined) throw refusalError(refusal.parse(refused))
}

function ownerOf(account: Account): string {
  return 'owner' in account ? account.owner : firm
}
