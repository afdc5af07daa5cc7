import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { keyReused } from './refusals.ts'

/** The Idempotency-Key of a request, who sent it, and the SHA-256 of call and content. */
export type RequestKey = { caller: string; key: string; hash: Buffer }

/**
 * Locks the key until the transaction ends, and looks it up: of parallel requests with one key the first goes on and
 * the others wait here for its answer (B-06). Claim it before anything else is locked.
 * @returns the answer that `keepAnswer` stored, or undefined when the key is new
 * @throws AppError `idempotency_key_reused` when the key was used for another request, or is used up
 */
export async function claimKey(tx: Kysely<Schema>, request: RequestKey): Promise<unknown> {
  try {
    const { rows } = await sql<{ answer: unknown }>`
      SELECT ledger.claim_key(${request.caller}::uuid, ${request.key}, ${request.hash}) AS answer`.execute(tx)
    return rows[0]?.answer ?? undefined
  } catch (error) {
    if ((error as { code?: unknown }).code === 'PB003') throw keyReused()
    throw error
  }
}

/**
 * Keeps the answer of a claimed key, any JSON but null, together with the effect: both are committed, or neither.
 * @returns the answer as it was stored: jsonb reorders fields, and a repetition must get the same bytes
 */
export async function keepAnswer(tx: Kysely<Schema>, request: RequestKey, answer: object): Promise<unknown> {
  const { rows } = await sql<{ answer: unknown }>`
    SELECT given.answer, ledger.keep_answers(ARRAY[${request.caller}::uuid], ARRAY[${request.key}::text],
      ARRAY[${request.hash}::bytea], ARRAY[given.answer])
      FROM (SELECT ${JSON.stringify(answer)}::jsonb AS answer) given`.execute(tx)
  return rows[0]!.answer
}

/**
 * Ends the life of keys that are older than `idempotencyKeyDays`: the answer goes. The key of a request that was refused
 * goes with it; one that had an effect stays as used up, so that its repetition never has a second effect.
 * @returns how many there were, `most` at most
 */
export async function retireKeys(db: Kysely<Schema>, most: number): Promise<number> {
  const { rows } = await sql<{ retired: number }>`
    SELECT ledger.retire_keys(${most}::integer) AS retired`.execute(db)
  return rows[0]!.retired
}
