import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'

type Row = { id: string; name: string; created_at: Date }

/** Who joined with a user's referral code, newest first. */
export const referredBy = (userId: string) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db
        .selectFrom('app.users as u')
        .where('u.referrer_id', '=', userId)
        .where('u.email_verified_at', 'is not', null),
    columns: query => query.select(['u.id', 'u.name', 'u.created_at']),
    present: (rows: Row[]) =>
      rows.map(({ name, created_at }) => ({ name: shortName(name), joinedAt: created_at.toISOString() })),
    id: 'u.id',
  })

/** 'Iris Investor' as 'Iris I.': sharing a code tells nobody full names. */
export function shortName(name: string): string {
  const [first = '', ...others] = name.trim().split(/\s+/)
  const [initial] = others.at(-1) ?? ''
  return initial === undefined ? first : `${first} ${initial}.`
}
