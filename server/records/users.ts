import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type pg from 'pg'
import type { Schema } from '#server/platform/database/schema.ts'
import { gathered } from '#server/platform/gather.ts'
import type { ListQuery } from '#shared/contract/define.ts'
import type { User, UserType } from '#shared/contract/entities.ts'
import { userTypes } from '#shared/contract/entities.ts'
import { usdToJson } from '#shared/money.ts'
import type { Role } from '#shared/roles.ts'
import { countOf, type Listed, listed, matches, statusFilter } from './paging.ts'

/** A user with his balances, in USD cents. */
export type UserRow = {
  id: string
  type: UserType
  role: Role | null
  name: string
  email: string
  phone: string
  country: string
  email_verified_at: Date | null
  pending_email: string | null
  referral_code: string
  referrer_name: string | null
  created_at: Date
  available: bigint
  held: bigint
  invested: bigint
}

/**
 * A user and his balances, each by a key. As text, because `/auth/me` sends it as a prepared statement with the
 * user's id as $1, and lists put their conditions behind it.
 */
const selectUsers = `
  SELECT u.id, u.type, u.role, u.name, u.email, u.phone, u.country, u.email_verified_at, u.pending_email,
         u.referral_code, u.created_at, r.name AS referrer_name,
         coalesce(a.available, 0) AS available, coalesce(a.held, 0) AS held, coalesce(a.invested, 0) AS invested
    FROM app.users u
    LEFT JOIN app.users r ON r.id = u.referrer_id
   CROSS JOIN LATERAL (
     SELECT (max(balance) FILTER (WHERE kind = 'available'))::bigint AS available,
            (max(balance) FILTER (WHERE kind = 'held'))::bigint AS held,
            (max(balance) FILTER (WHERE kind = 'invested'))::bigint AS invested
       FROM ledger.accounts WHERE owner = u.id AND asset = 'USD'
   ) a`
const byIds = { name: 'users_by_ids', text: `${selectUsers} WHERE u.id = ANY ($1::uuid[])` }
/** Users in one question at most. */
const TOGETHER = 100

const readers = new WeakMap<pg.Pool, (id: string) => Promise<UserRow | undefined>>()

/**
 * One's own user: what nearly every page asks for. Requests that arrive together are answered by one prepared statement.
 */
export function ownUser(pool: pg.Pool, id: string): Promise<UserRow | undefined> {
  let read = readers.get(pool)
  if (read === undefined) {
    read = gathered(TOGETHER, async ids => {
      const { rows } = await pool.query<UserRow>({ ...byIds, values: [ids] })
      return new Map(rows.map(row => [row.id, row]))
    })
    readers.set(pool, read)
  }
  return read(id)
}

/** One user with his balances. */
export async function findUser(db: Kysely<Schema>, id: string): Promise<UserRow | undefined> {
  const { rows } = await users(db, sql`WHERE u.id = ${id}`)
  return rows[0]
}

function users(db: Kysely<Schema>, rest: RawBuilder<unknown>) {
  return sql<UserRow>`${sql.raw(selectUsers)} ${rest}`.execute(db)
}

/** All users, the newest first; searched by name, e-mail, country, phone, referral code and id. */
export function listUsers(db: Kysely<Schema>, filter: ListQuery): Promise<Listed<UserRow>> {
  const type = statusFilter(filter.status, userTypes)
  const texts = ['name', 'email', 'country', 'phone', 'referral_code'].map(
    column => sql<string>`u.${sql.ref(column)}`,
  )
  const matching = sql<SqlBool>`${matches(filter.q, texts, [sql<string>`u.id`])} AND ${type ? sql`u.type = ${type}` : sql`true`}`
  return listed(filter, {
    rows: async (limit, below) => {
      const paged = below === undefined ? sql`true` : sql`u.id < ${below}`
      return (await users(db, sql`WHERE ${matching} AND ${paged} ORDER BY u.id DESC LIMIT ${limit}`)).rows
    },
    count: mostMs => countOf(db, db.selectFrom('app.users as u').where(matching), mostMs),
  })
}

export function presentUser(row: UserRow): User {
  return {
    _id: row.id,
    name: row.name,
    email: row.email,
    country: row.country,
    phone: row.phone,
    type: row.type,
    role: row.role,
    emailVerified: row.email_verified_at !== null,
    pendingEmail: row.pending_email,
    referralCode: row.referral_code,
    referrer: row.referrer_name,
    balance: usdToJson(row.available),
    invested: usdToJson(row.invested),
    held: usdToJson(row.held),
    createdAt: row.created_at.toISOString(),
  }
}

/** How many active investments each of these users has. */
export async function activeInvestmentsOf(db: Kysely<Schema>, ids: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ user_id: string; active: bigint }>`
    SELECT user_id, count(*) AS active FROM app.investments
     WHERE user_id = ANY (${ids}::uuid[]) AND status = 'active' GROUP BY user_id`.execute(db)
  return new Map(rows.map(({ user_id, active }) => [user_id, Number(active)]))
}
