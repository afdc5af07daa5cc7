import { type CompiledQuery, type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type pg from 'pg'
import type { Schema } from '#server/platform/database/schema.ts'
import { gathered } from '#server/platform/gather.ts'
import type { ListQuery } from '#shared/contract/define.ts'
import type { User, UserType } from '#shared/contract/entities.ts'
import { userTypes } from '#shared/contract/entities.ts'
import type { UserFilter } from '#shared/contract/tables.ts'
import { usdToJson } from '#shared/money.ts'
import type { Role } from '#shared/roles.ts'
import { inPeriod, isNarrowed, orderOfPeriod } from './narrowing.ts'
import { countOf, type Listed, listed, matches, statusFilter } from './paging.ts'
import { inOrder, pageOf, type SortColumns, sortingOf, sortOf } from './sorting.ts'

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
  frozen_at: Date | null
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
         u.referral_code, u.frozen_at,
         u.created_at, r.name AS referrer_name,
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

const sortColumns: SortColumns = {
  created: { value: sql.ref('u.created_at'), type: 'timestamptz' },
  name: { value: sql`lower(u.name)`, type: 'text' },
  email: { value: sql.ref('u.email'), type: 'text' },
  country: { value: sql`lower(u.country)`, type: 'text' },
  // Has no index, which each posting would have to write: it sorts all users.
  balance: {
    value: sql`coalesce(b.balance, 0)`,
    type: 'bigint',
  },
}

function chosen(db: Kysely<Schema>, filter: UserFilter) {
  const type = statusFilter(filter.status, userTypes)
  const { country } = filter
  const matching = db
    .selectFrom('app.users as u')
    // A left join on a key: PostgreSQL leaves it out where nothing is sorted by it.
    .leftJoin(sql`ledger.accounts`.as('b'), join =>
      join.on(sql<SqlBool>`(b.owner, b.kind, b.asset) = (u.id, 'available', 'USD')`),
    )
    .$if(type !== undefined, query => query.where('u.type', '=', type!))
    .$if(country !== undefined, query =>
      query.where(({ fn, ref }) => fn('lower', [ref('u.country')]), '=', country!.toLowerCase()),
    )
    .where(({ ref }) => inPeriod(ref('u.created_at'), filter))
    .where(({ ref }) => {
      const own = [ref('u.name'), ref('u.email'), ref('u.country'), ref('u.phone'), ref('u.referral_code')]
      return matches(filter.q, own, [ref('u.id')])
    })
  return { matching, sorting: sortingOf(orderOfPeriod(filter, '-created'), sortColumns, sql.ref('u.id')) }
}

type Listing = UserRow & { sort_value: string | null }

/** First which users, then who referred those alone, and their balances. */
function inFull(ids: Expression<unknown>) {
  return sql<Listing>`
    SELECT whole.*, chosen.sort_value
      FROM (SELECT *, row_number() OVER () AS place FROM (${ids}) AS ids) AS chosen
     CROSS JOIN LATERAL (${sql.raw(selectUsers)} WHERE u.id = chosen.id) AS whole
     ORDER BY chosen.place`
}

/** All users, the newest first unless sorted; searched by name, e-mail, country, phone, referral code and id. */
export function listUsers(db: Kysely<Schema>, filter: ListQuery & UserFilter): Promise<Listed<UserRow>> {
  const { matching, sorting } = chosen(db, filter)
  const ids = matching.select('u.id')
  return listed(filter, {
    rows: async (...place) => (await inFull(pageOf(ids, sorting, ...place)).execute(db)).rows,
    count: mostMs => countOf(db, matching, mostMs),
    sort: sortOf(sorting),
    isNarrowed: isNarrowed(filter),
  })
}

/** All of them, to be read row by row. */
export function allUsers(db: Kysely<Schema>, filter: UserFilter): CompiledQuery<UserRow> {
  const { matching, sorting } = chosen(db, filter)
  return inFull(inOrder(matching.select('u.id'), sorting)).compile(db)
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
    frozen: row.frozen_at !== null,
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
