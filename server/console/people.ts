import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { countOf, listed, matches, statusFilter } from '#server/queries/paging.ts'
import { auditActions } from '#shared/audit.ts'
import type { listUserHistory, listUserReferrals } from '#shared/contract/console.ts'
import type { CallData, ListQuery, Page } from '#shared/contract/define.ts'

type Filter = ListQuery & { user: string }

/** The users who signed up with an account's referral code, newest first. */
export async function listReferrals(
  db: Kysely<Schema>,
  filter: Filter,
): Promise<{ data: CallData<typeof listUserReferrals>; page: Page }> {
  const matching = db
    .selectFrom('app.users')
    .where('referrer_id', '=', filter.user)
    .where(({ ref }) => matches(filter.q, [ref('name'), ref('email')], [ref('id')]))
  const { rows, page } = await listed(filter, {
    rows: (limit, below) =>
      matching
        .select(['id', 'name', 'email', 'created_at'])
        .$if(below !== undefined, query => query.where('id', '<', below!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
  })
  const data = rows.map(({ id, name, email, created_at }) => {
    return { _id: id, name, email, createdAt: created_at.toISOString() }
  })
  return { data, page }
}

/** Audit entries about an account, its sessions, passkeys and addresses, newest first. */
export async function listHistory(
  db: Kysely<Schema>,
  filter: Filter,
): Promise<{ data: CallData<typeof listUserHistory>; page: Page }> {
  const action = statusFilter(filter.status, auditActions)
  const subjects = await subjectsOf(db, filter.user)
  const matching = db
    .selectFrom('app.audit_log as a')
    .leftJoin('app.users as u', 'u.id', 'a.actor_id')
    .where('a.subject_id', 'in', subjects)
    .where(({ ref }) => matches(filter.q, [ref('a.action'), ref('a.reason'), ref('u.name')], []))
    .$if(action !== undefined, query => query.where('a.action', '=', action!))
  const { rows, page } = await listed(filter, {
    rows: (limit, below) =>
      matching
        .select(['a.id', 'a.at', 'a.action', 'a.reason', 'a.ip', 'a.details', 'a.actor_id', 'u.name'])
        .$if(below !== undefined, query => query.where('a.id', '<', BigInt(below!)))
        .orderBy('a.id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
    isId: text => /^\d{1,18}$/.test(text),
  })
  const data = rows.map(row => ({
    _id: String(row.id),
    at: row.at.toISOString(),
    action: row.action,
    actorName: row.name,
    reason: row.reason,
    ip: row.ip,
    details: row.details,
  }))
  return { data, page }
}

/** Most sessions, passkeys and addresses (of each, the newest) that an account's history covers. */
const mostSubjects = 1000

async function subjectsOf(db: Kysely<Schema>, userId: string): Promise<string[]> {
  const of = (table: 'app.sessions' | 'app.passkeys' | 'app.payout_addresses') =>
    db.selectFrom(table).select('id').where('user_id', '=', userId).orderBy('id', 'desc').limit(mostSubjects)
  const found = await Promise.all([
    of('app.sessions').execute(),
    of('app.passkeys').execute(),
    of('app.payout_addresses').execute(),
  ])
  return [userId, ...found.flat().map(({ id }) => id)]
}
