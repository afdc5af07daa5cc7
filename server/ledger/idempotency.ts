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

function settingsOf(plans: Plans, lockMs: number | undefined): RawBuilder<unknown> {
  const [mode, scans] = plans === 'generic' ? ['force_generic_plan', 'off'] : ['auto', 'on']
  const lock =
    lockMs === undefined ? sql`` : sql`, set_config('lock_timeout', ${String(lockMs)}, true) AS lock`
  return sql`set_config('plan_cache_mode', ${mode}, true) AS mode, set_config('enable_seqscan', ${scans}, true) AS scans${lock}`
}

/**
 * Locks keys until the transaction ends, in the order given, and looks them up. Of concurrent requests with one key, the first
 * continues and the others wait here for its answer (B-06). Claim them before locking anything else.
 * @param lockMs how long the transaction waits for any lock, if not as long as its session does
 * @returns each one's answer as stored by `keepAnswers`, or undefined for a new key
 * @throws AppError `idempotency_key_reused` if a key was used for another request, or is used up
 */
export async function claimKeys(
  tx: Kysely<Schema>,
  requests: readonly RequestKey[],
  { plans = 'auto', lockMs }: { plans?: Plans; lockMs?: number | undefined } = {},
): Promise<unknown[]> {
  const settings = settingsOf(plans, lockMs)
  if (requests.length === 0) {
    await sql`SELECT ${settings}`.execute(tx)
    return []
  }
  try {
    const { rows } = await sql<{ answer: unknown }>`
      SELECT ledger.claim_key(caller, key, hash) AS answer
        FROM (SELECT ${settings} OFFSET 0) settings, unnest(${columnOf(requests, 'caller')}::uuid[],
             ${columnOf(requests, 'key')}::text[], ${columnOf(requests, 'hash')}::bytea[])
               WITH ORDINALITY AS request (caller, key, hash, n)
       ORDER BY n`.execute(tx)
    return rows.map(({ answer }) => answer ?? undefined)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'PB003') throw keyReused()
    throw error
  }
}

function columnOf<Name extends keyof RequestKey>(
  requests: readonly RequestKey[],
  name: Name,
): RequestKey[Name][] {
  return requests.map(request => request[name])
}

/** Of one request. */
export async function claimKey(tx: Kysely<Schema>, request: RequestKey): Promise<unknown> {
  const [answer] = await claimKeys(tx, [request])
  return answer
}

/**
 * Stores answers of claimed keys, any JSON but null, committed together with their effects.
 * @returns the answers as stored: jsonb reorders fields, and a repetition must get the same bytes
 */
export async function keepAnswers(
  tx: Kysely<Schema>,
  answered: readonly { request: RequestKey; answer: object }[],
): Promise<unknown[]> {
  if (answered.length === 0) return []
  const requests = answered.map(({ request }) => request)
  const texts = answered.map(({ answer }) => JSON.stringify(answer))
  const { rows } = await sql<{ answers: unknown[] }>`
    SELECT to_jsonb(given.answers) AS answers, ledger.keep_answers(${columnOf(requests, 'caller')}::uuid[],
           ${columnOf(requests, 'key')}::text[], ${columnOf(requests, 'hash')}::bytea[], given.answers)
      FROM (SELECT ${texts}::jsonb[] AS answers) given`.execute(tx)
  return rows[0]!.answers
}

/** Of one request. */
export async function keepAnswer(tx: Kysely<Schema>, request: RequestKey, answer: object): Promise<unknown> {
  const [stored] = await keepAnswers(tx, [{ request, answer }])
  return stored
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
