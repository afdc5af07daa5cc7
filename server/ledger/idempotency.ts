import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { keyReused } from './refusals.ts'

/** A request's Idempotency-Key, its caller, and the SHA-256 of call and content. */
export type RequestKey = { caller: string; key: string; hash: Buffer }

/**
 * How the transaction's statements are planned: `generic` if all find rows by keys. PostgreSQL would plan those with lists of ids again
 * and again, as it takes a list for longer than it is, and in a session that saw a table while it was empty, read all of it.
 */
export type Plans = 'generic' | 'auto'

function settingsOf(plans: Plans): RawBuilder<unknown> {
  const [mode, scans] = plans === 'generic' ? ['force_generic_plan', 'off'] : ['auto', 'on']
  return sql`set_config('plan_cache_mode', ${mode}, true) AS mode, set_config('enable_seqscan', ${scans}, true) AS scans`
}

/**
 * Locks the key until the transaction ends and looks it up. Of concurrent requests with one key, the first continues
 * and the others wait here for its answer (B-06). Claim it before locking anything else.
 * @returns the answer stored by `keepAnswer`, or undefined for a new key
 * @throws AppError `idempotency_key_reused` if the key was used for another request, or is used up
 */
export async function claimKey(
  tx: Kysely<Schema>,
  request: RequestKey,
  plans: Plans = 'auto',
): Promise<unknown> {
  try {
    const { rows } = await sql<{ answer: unknown }>`
      SELECT ledger.claim_key(${request.caller}::uuid, ${request.key}, ${request.hash}) AS answer,
             ${settingsOf(plans)}`.execute(tx)
    return rows[0]?.answer ?? undefined
  } catch (error) {
    if ((error as { code?: unknown }).code === 'PB003') throw keyReused()
    throw error
  }
}

/**
 * The same for several keys of one caller and request, in their order.
 * @returns the stored answers by key
 */
export async function claimKeys(
  tx: Kysely<Schema>,
  { caller, keys, hash }: Omit<RequestKey, 'key'> & { keys: readonly string[] },
  plans: Plans = 'auto',
): Promise<Map<string, unknown>> {
  try {
    const { rows } = await sql<{ key: string; answer: unknown }>`
      SELECT key, ledger.claim_key(${caller}::uuid, key, ${hash}) AS answer
        FROM (SELECT ${settingsOf(plans)} OFFSET 0) settings, unnest(${keys}::text[]) AS key`.execute(tx)
    return new Map(rows.filter(({ answer }) => answer !== null).map(({ key, answer }) => [key, answer]))
  } catch (error) {
    if ((error as { code?: unknown }).code === 'PB003') throw keyReused()
    throw error
  }
}

/** Stores answers of claimed keys, committed together with their effects. */
export async function keepAnswers(
  tx: Kysely<Schema>,
  { caller, hash }: Omit<RequestKey, 'key'>,
  answers: ReadonlyMap<string, object>,
): Promise<void> {
  const keys = [...answers.keys()]
  const texts = [...answers.values()].map(answer => JSON.stringify(answer))
  await sql`
    SELECT ledger.keep_answers(array_fill(${caller}::uuid, ARRAY[cardinality(k.keys)]), k.keys,
                               array_fill(${hash}::bytea, ARRAY[cardinality(k.keys)]), ${texts}::jsonb[])
      FROM (SELECT ${keys}::text[] AS keys) k`.execute(tx)
}

/**
 * Stores the answer of a claimed key, any JSON but null, committed together with the effect.
 * @returns the answer as stored: jsonb reorders fields, and a repetition must get the same bytes
 */
export async function keepAnswer(tx: Kysely<Schema>, request: RequestKey, answer: object): Promise<unknown> {
  const { rows } = await sql<{ answer: unknown }>`
    SELECT given.answer, ledger.keep_answers(ARRAY[${request.caller}::uuid], ARRAY[${request.key}::text],
      ARRAY[${request.hash}::bytea], ARRAY[given.answer])
      FROM (SELECT ${JSON.stringify(answer)}::jsonb AS answer) given`.execute(tx)
  return rows[0]!.answer
}

/**
 * Expires keys older than `idempotencyKeyDays`. A refused request's key is deleted; a key with an effect loses its
 * answer and stays as used up, so that a repetition never acts twice.
 * @returns how many there were, at most `most`
 */
export async function retireKeys(db: Kysely<Schema>, most: number): Promise<number> {
  const { rows } = await sql<{ retired: number }>`
    SELECT ledger.retire_keys(${most}::integer) AS retired`.execute(db)
  return rows[0]!.retired
}
