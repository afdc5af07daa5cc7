import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { CheckKind, IdentityLevel } from '#shared/identity.ts'
import { identityRefusals } from './messages.ts'

/** What an account has proved, and until when it counts (a day in UTC). */
export async function levelOf(
  db: Kysely<Schema>,
  userId: string,
): Promise<{ level: IdentityLevel; expiresOn: string | null }> {
  const rows = await db
    .selectFrom('app.valid_checks')
    .select(['kind', sql<string>`expires_on::text`.as('expires_on')])
    .where('user_id', '=', userId)
    .execute()
  const until = new Map(rows.map(({ kind, expires_on }) => [kind, expires_on]))
  const identity = until.get('identity')
  if (identity === undefined) return { level: 'none', expiresOn: null }
  const funds = until.get('funds')
  if (funds === undefined) return { level: 'identity', expiresOn: identity }
  return { level: 'funds', expiresOn: [funds, identity].toSorted()[0]! }
}

/**
 * Money does not come in from a person whom we do not keep as a customer. It always goes out.
 * @throws AppError identity_refused
 */
export async function requireCustomer(db: Kysely<Schema>, userId: string): Promise<void> {
  const { rows } = await sql<{ refused: boolean }>`SELECT app.identity_refused(${userId}) AS refused`.execute(
    db,
  )
  if (rows[0]!.refused) throw identityRefusals.error({ reason: 'identity_refused' })
}

/** Whether staff have decided that an account's owner is a politically exposed person. */
export async function isExposed(db: Kysely<Schema>, userId: string): Promise<boolean> {
  const { rows } = await sql<{ exposed: boolean }>`SELECT app.is_exposed(${userId}) AS exposed`.execute(db)
  return rows[0]!.exposed
}

/** What a pending investment lacks, or null. */
export async function investmentLacks(db: Kysely<Schema>, id: string): Promise<CheckKind | null> {
  const { rows } = await sql<{ lacks: CheckKind | null }>`
    SELECT app.investment_lacks(i) AS lacks FROM app.investments i WHERE i.id = ${id} AND i.status = 'pending'`.execute(
    db,
  )
  return rows[0]?.lacks ?? null
}

/** What a pending withdrawal lacks, or null. */
export async function withdrawalLacks(db: Kysely<Schema>, id: string): Promise<CheckKind | null> {
  const { rows } = await sql<{ lacks: CheckKind | null }>`
    SELECT app.withdrawal_lacks(w) AS lacks FROM app.withdrawals w WHERE w.id = ${id} AND w.status = 'pending'`.execute(
    db,
  )
  return rows[0]?.lacks ?? null
}

/** How many pending requests of an account lack a proof, and which one. */
export async function waitingOf(
  db: Kysely<Schema>,
  userId: string,
): Promise<{ withdrawals: number; investments: number; for: CheckKind | null }> {
  const { rows } = await sql<{ withdrawals: number; investments: number; lacks: CheckKind | null }>`
    WITH lacking AS MATERIALIZED (
      SELECT 'withdrawal' AS what, app.withdrawal_lacks(w) AS lacks
        FROM app.withdrawals w WHERE w.user_id = ${userId} AND w.status = 'pending'
      UNION ALL
      SELECT 'investment', app.investment_lacks(i) FROM app.investments i WHERE i.user_id = ${userId} AND i.status = 'pending')
    SELECT count(*) FILTER (WHERE what = 'withdrawal')::int AS withdrawals,
           count(*) FILTER (WHERE what = 'investment')::int AS investments, min(lacks) AS lacks
      FROM lacking WHERE lacks IS NOT NULL`.execute(db)
  const { lacks, ...counts } = rows[0]!
  return { ...counts, for: lacks }
}

/** A person's session with the provider that has not ended. */
export function openSessionOf(db: Kysely<Schema>, userId: string) {
  return db
    .selectFrom('app.identity_sessions')
    .select(['id', 'sealed_url', 'requested_at'])
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
}

/** @throws AppError session_open */
export async function requireNoSession(db: Kysely<Schema>, userId: string): Promise<void> {
  if (await openSessionOf(db, userId)) throw identityRefusals.error({ reason: 'session_open' })
}
