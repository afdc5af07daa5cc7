import { type Kysely, type SqlBool, sql } from 'kysely'
import type pg from 'pg'
import type { InvestorKind } from '#server/ledger/chart.ts'
import { batched } from '#server/platform/batched.ts'
import { openDatabase } from '#server/platform/database/pool.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { User, UserType } from '#shared/contract/entities.ts'
import { userStatuses } from '#shared/contract/entities.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { usdToJson } from '#shared/money.ts'
import type { Role } from '#shared/roles.ts'

/** A user with their balances, in USD cents. */
export type UserRow = {
  id: string
  type: UserType
  role: Role | null
  name: string
  email: string
  phone: string
  country: string
  language: Language
  email_verified_at: Date | null
  pending_email: string | null
  referral_code: string
  referrer_name: string | null
  frozen_at: Date | null
  created_at: Date
  available: bigint
  held: bigint
  invested: bigint
}

// For sorting by balance; PostgreSQL removes the join when it is unused.
function users(db: Kysely<Schema>) {
  return db
    .selectFrom('app.users as u')
    .leftJoin(sql`ledger.accounts`.as('b'), join =>
      join.on(sql<SqlBool>`(b.owner, b.kind, b.asset) = (u.id, 'available', 'USD')`),
    )
}

/** Referrer and balances are subqueries, so PostgreSQL reads them only for the rows it returns, after sorting. */
function rowsOf(query: ReturnType<typeof users>) {
  const balanceOf = (kind: InvestorKind) => sql<bigint>`coalesce((
    SELECT balance FROM ledger.accounts
     WHERE (owner, kind, asset) = (u.id, ${sql.lit(kind)}, 'USD')), 0)`
  return query
    .select(['u.id', 'u.type', 'u.role', 'u.name', 'u.email', 'u.phone', 'u.country', 'u.email_verified_at'])
    .select('u.language')
    .select(['u.pending_email', 'u.referral_code', 'u.frozen_at', 'u.created_at'])
    .select([
      sql<string | null>`(SELECT r.name FROM app.users r WHERE r.id = u.referrer_id)`.as('referrer_name'),
      balanceOf('available').as('available'),
      balanceOf('held').as('held'),
      balanceOf('invested').as('invested'),
    ])
}

/** Most users in one query. */
const BATCH = 100

const readers = new WeakMap<pg.Pool, (id: string) => Promise<UserRow | undefined>>()

/** The caller's own user, which nearly every page reads: concurrent requests share one prepared statement. */
export function ownUser(pool: pg.Pool, id: string): Promise<UserRow | undefined> {
  let read = readers.get(pool)
  if (read === undefined) {
    const byIds = rowsOf(users(openDatabase(pool)))
      .where(sql<SqlBool>`u.id = ANY (${[]}::uuid[])`)
      .compile()
    read = batched(BATCH, async ids => {
      const { rows } = await pool.query<UserRow>({ name: 'users_by_ids', text: byIds.sql, values: [ids] })
      return new Map(rows.map(row => [row.id, row]))
    })
    readers.set(pool, read)
  }
  return read(id)
}

/** A user's name, for a message about what they did. */
export async function nameOf(db: Kysely<Schema>, id: string): Promise<string> {
  const { name } = await db
    .selectFrom('app.users')
    .select('name')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return name
}

/** One user with their balances. */
export function findUser(db: Kysely<Schema>, id: string): Promise<UserRow | undefined> {
  return rowsOf(users(db)).where('u.id', '=', id).executeTakeFirst()
}

/** All users with their active investments, the newest first unless sorted. */
export const userList = defineList({
  from: users,
  columns: rowsOf,
  present: async (rows: UserRow[], { db }) => {
    const active = await activeInvestmentsOf(
      db,
      rows.map(({ id }) => id),
    )
    return rows.map(row => ({ ...presentUser(row), activeInvestments: active.get(row.id) ?? 0 }))
  },
  id: 'u.id',
  status: {
    known: userStatuses,
    column: 'u.type',
    special: {
      // A closed account is frozen too, until it is reopened.
      frozen: () => sql`u.frozen_at IS NOT NULL AND u.closed_at IS NULL`,
      closed: () => sql`u.closed_at IS NOT NULL`,
      unverified: () => sql`u.email_verified_at IS NULL`,
    },
    unindexed: ['unverified'],
  },
  exactly: { country: country => sql`lower(u.country) = ${country.toLowerCase()}` },
  period: { moment: 'u.created_at', sort: '-created' },
  search: { texts: ['u.name', 'u.email', 'u.country', 'u.phone', 'u.referral_code'], ids: ['u.id'] },
  sorts: {
    created: { value: 'u.created_at', type: 'timestamptz' },
    name: { value: sql`lower(u.name)`, type: 'text' },
    email: { value: 'u.email', type: 'text' },
    country: { value: sql`lower(u.country)`, type: 'text' },
    // Not indexed, since every posting would have to update the index: this sorts all users.
    balance: { value: sql`coalesce(b.balance, 0)`, type: 'bigint' },
  },
})

export function presentUser(row: UserRow): User {
  return {
    _id: row.id,
    name: row.name,
    email: row.email,
    country: row.country,
    phone: row.phone,
    language: row.language,
    type: row.type,
    role: row.role,
    emailVerified: row.email_verified_at !== null,
    pendingEmail: row.pending_email,
    referralCode: row.referral_code,
    referrer: row.referrer_name,
    balance: usdToJson(row.available),
    invested: usdToJson(row.invested),
    held: usdToJson(row.held),
    frozen: row.frozen_at !== null,
    createdAt: row.created_at.toISOString(),
  }
}

/** The number of active investments of each of these users. */
export async function activeInvestmentsOf(db: Kysely<Schema>, ids: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ user_id: string; active: bigint }>`
    SELECT user_id, count(*) AS active FROM app.investments
     WHERE user_id = ANY (${ids}::uuid[]) AND status = 'active' GROUP BY user_id`.execute(db)
  return new Map(rows.map(({ user_id, active }) => [user_id, Number(active)]))
}
