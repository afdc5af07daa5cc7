import { type Kysely, type RawBuilder, sql } from 'kysely'
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
  const { id, event } = posting
  const rows = rowsOf([posting])
  try {
    await sql`SELECT ledger.post(jsonb_populate_record(NULL::ledger.posting, ${rows.postings}::jsonb -> 0),
      ARRAY(SELECT jsonb_populate_recordset(NULL::ledger.leg, ${rows.legs}::jsonb)))`.execute(tx)
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
  const { rows } = await sql<{
    refusals: unknown[]
  }>`SELECT to_jsonb(${postEach(postings)}) AS refusals`.execute(tx)
  const refused = rows[0]!.refusals.find(answer => answer !== null)
  for (const { event } of postings) {
    ledgerPosts.inc({ event, outcome: refused === undefined ? 'posted' : 'refused' })
  }
  if (refused !== undefined) throw refusalError(refusal.parse(refused))
}

/** The call that posts each of these as a whole or not at all: a jsonb[] of their refusals. */
export function postEach(postings: readonly Posting[]): RawBuilder<unknown> {
  const rows = rowsOf(postings)
  return sql`ledger.post_each(
    ARRAY(SELECT jsonb_populate_recordset(NULL::ledger.posting, ${rows.postings}::jsonb)),
    ARRAY(SELECT jsonb_populate_recordset(NULL::ledger.leg, ${rows.legs}::jsonb)))`
}

/** Postings as JSON of the database's composite types; amounts are text, which a JSON number could not hold. */
function rowsOf(postings: readonly Posting[]): { postings: string; legs: string } {
  const legs = postings.flatMap(({ legs }, index) =>
    legs.map(({ from, to, asset, amount }) => ({
      posting: index + 1,
      from_owner: ownerOf(from),
      from_kind: from.kind,
      to_owner: ownerOf(to),
      to_kind: to.kind,
      asset,
      amount: amount.toString(),
    })),
  )
  const rows = postings.map(({ id, event, reference, holdId, actor, memo }) => ({
    id,
    event,
    reference_kind: reference.kind,
    reference_id: reference.id,
    hold_id: holdId,
    actor,
    memo,
  }))
  return { postings: JSON.stringify(rows), legs: JSON.stringify(legs) }
}

function ownerOf(account: Account): string {
  return 'owner' in account ? account.owner : firm
}
