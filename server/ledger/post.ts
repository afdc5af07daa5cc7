import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { ledgerPosts } from '#server/platform/metrics.ts'
import { type Account, firm, type Leg, type Posting } from './chart.ts'
import { refusal, refusalError, refusalOf } from './refusals.ts'

/**
 * Writes one business event to the books, in the caller's transaction: besides the batches of hot commands (batch.ts),
 * the only way from TypeScript into the ledger. Create the posting with events.ts. Each call locks its accounts in one
 * order, so further postings of the transaction must concern accounts that it has locked or that have no floor: two calls could deadlock.
 * @returns the transaction's id, which is also the id of a hold that it placed
 * @throws AppError `insufficient_funds`, `insufficient_returns` or `wrong_state` (the hold is already resolved); the
 * database transaction is then aborted and must be rolled back
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
 * Writes several business events in one call, in the caller's transaction: all or none. Pass at most some hundred, so
 * that searches in the list stay fast. A caller of several calls in one transaction must keep one lock order
 * (`ledger.accounts.id`).
 * @throws AppError as `post`, for the first refused one
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

/**
 * Writes very many events of one kind in one call, in the caller's transaction: all or none. Each moves USD by one leg from the same
 * account of the firm to an investor.
 * @throws AppError as `post`
 */
export async function postAlike(tx: Kysely<Schema>, postings: readonly Posting[]): Promise<void> {
  const { event, legs } = postings[0]!
  const { from, to } = legs[0]!
  const shapeOf = (one: Posting) => [one.event, one.holdId, one.legs.map(kindsOf)].join()
  const shape = [event, null, [`${from.kind} ${to.kind} USD`]].join()
  if (postings.some(one => shapeOf(one) !== shape)) throw new Error(`these postings differ from ${shape}`)
  const outcome = (is: string) => ledgerPosts.inc({ event, outcome: is }, postings.length)
  try {
    await sql`SELECT ledger.post_alike(${event}, ${from.kind}, ${to.kind}, ${postings.map(({ actor }) => actor)}::uuid[], ${postings.map(({ id }) => id)}::uuid[],
      ${postings.map(({ reference }) => reference.id)}::uuid[], ${postings.map(one => ownerOf(one.legs[0]!.to))}::uuid[],
      ${postings.map(one => one.legs[0]!.amount)}::bigint[], ${postings.map(({ memo }) => memo)}::text[])`.execute(
      tx,
    )
  } catch (error) {
    outcome('refused')
    throw refusalOf(error) ?? error
  }
  outcome('posted')
}

function kindsOf({ from, to, asset }: Leg): string {
  return `${from.kind} ${to.kind} ${asset}`
}

/** Posts each of these as a whole or not at all; returns a jsonb[] of refusals. */
export function postEach(postings: readonly Posting[]): RawBuilder<unknown> {
  const rows = rowsOf(postings)
  return sql`ledger.post_each(
    ARRAY(SELECT jsonb_populate_recordset(NULL::ledger.posting, ${rows.postings}::jsonb)),
    ARRAY(SELECT jsonb_populate_recordset(NULL::ledger.leg, ${rows.legs}::jsonb)))`
}

/** Postings as JSON of the database's composite type; amounts are text, because a JSON number is not exact. */
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
