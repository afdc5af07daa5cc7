import type { Kysely } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { auditActions } from '#shared/audit.ts'
import type { ListQuery } from '#shared/contract/define.ts'

/** The users who signed up with an account's referral code, newest first. */
export const referralList = (referrerId: string) =>
  defineList({
    from: (db: Kysely<Schema>) => db.selectFrom('app.users').where('referrer_id', '=', referrerId),
    columns: query => query.select(['id', 'name', 'email', 'created_at']),
    present: rows =>
      rows.map(({ id, name, email, created_at }) => {
        return { _id: id, name, email, createdAt: created_at.toISOString() }
      }),
    id: 'id',
    search: { texts: ['name', 'email'], ids: ['id'] },
  })

/** Audit entries about an account, its sessions, passkeys and addresses, newest first. */
export async function listHistory(
  services: Pick<Services, 'db' | 'clock'>,
  { user, ...filter }: ListQuery & { user: string },
) {
  return historyList(await subjectsOf(services.db, user)).page(services, filter)
}

const historyList = (subjects: string[]) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db
        .selectFrom('app.audit_log as a')
        .leftJoin('app.users as u', 'u.id', 'a.actor_id')
        .where('a.subject_id', 'in', subjects),
    columns: query => query.select(['a.id', 'a.at', 'a.action', 'a.reason', 'a.ip', 'a.details', 'u.name']),
    present: rows =>
      rows.map(row => ({
        _id: String(row.id),
        at: row.at.toISOString(),
        action: row.action,
        actorName: row.name,
        reason: row.reason,
        ip: row.ip,
        details: row.details,
      })),
    id: 'a.id',
    idType: 'bigint',
    status: { known: auditActions, column: 'a.action' },
    search: { texts: ['a.action', 'a.reason', 'u.name'] },
  })

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
