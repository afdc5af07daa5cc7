import { type Expression, type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import {
  type Announcement,
  announcementStatuses,
  type WrittenAnnouncement,
} from '#shared/contract/announcements.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { dayOf } from '#shared/moments.ts'

type Stored = Selectable<Schema['app.announcements']>
type Row = Stored & { author: string; readers: bigint }
type Status = Announcement['status']

function statusOf({ shown_from, shown_until, withdrawn_at }: Stored, today: string): Status {
  if (withdrawn_at) return 'withdrawn'
  if (today < shown_from) return 'scheduled'
  return today <= shown_until ? 'current' : 'ended'
}

const inStatus: Record<Status, (now: Date) => Expression<SqlBool>> = {
  scheduled: now => sql`a.withdrawn_at IS NULL AND a.shown_from > ${dayOf(now)}`,
  current: now => sql`a.withdrawn_at IS NULL AND ${dayOf(now)} BETWEEN a.shown_from AND a.shown_until`,
  ended: now => sql`a.withdrawn_at IS NULL AND a.shown_until < ${dayOf(now)}`,
  withdrawn: () => sql`a.withdrawn_at IS NOT NULL`,
}

const search = { texts: ['a.title', 'a.text'], ids: ['a.id'] } as const

function written(db: Kysely<Schema>) {
  return db.selectFrom('app.announcements as a').innerJoin('app.users as u', 'u.id', 'a.created_by')
}

function rowsOf(query: ReturnType<typeof written>) {
  return query
    .selectAll('a')
    .select('u.name as author')
    .select(({ selectFrom, fn }) =>
      selectFrom('app.announcement_reads as r')
        .innerJoin('app.users as reader', 'reader.id', 'r.user_id')
        .where('reader.type', '=', 'investor')
        .whereRef('r.announcement_id', '=', 'a.id')
        .select(fn.countAll<bigint>().as('count'))
        .$asScalar()
        .$notNull()
        .as('readers'),
    )
}

function present(row: Row, now: Date): WrittenAnnouncement {
  return {
    ...facts(row, now),
    createdAt: row.created_at.toISOString(),
    createdBy: row.author,
    readers: Number(row.readers),
  }
}

function facts(row: Stored, now: Date): Omit<Announcement, 'read'> {
  const { id, title, text, shown_from: from, shown_until: until, withdrawn_at } = row
  const withdrawnAt = withdrawn_at?.toISOString() ?? null
  return { _id: id, title, text, from, until, withdrawnAt, status: statusOf(row, dayOf(now)) }
}

/** All announcements, for staff. */
export const announcementList = defineList({
  from: written,
  columns: rowsOf,
  present: (rows: Row[], { now }) => rows.map(row => present(row, now)),
  id: 'a.id',
  status: { known: announcementStatuses, special: inStatus },
  search,
})

/** @throws AppError not_found */
export async function announcementById(
  db: Kysely<Schema>,
  id: string,
  now: Date,
): Promise<WrittenAnnouncement> {
  const row = await rowsOf(written(db)).where('a.id', '=', id).executeTakeFirst()
  if (!row) throw new AppError('not_found', t('Announcement not found'))
  return present(row, now)
}

/** What has been published, for an investor; what was withdrawn since stays, because they may have read it. */
export const publishedList = (userId: string) =>
  defineList({
    from: (db: Kysely<Schema>, now: Date) => publishedOn(db, now),
    columns: query =>
      query
        .selectAll('a')
        .select(
          sql<boolean>`EXISTS (SELECT FROM app.announcement_reads r WHERE r.announcement_id = a.id AND r.user_id = ${userId})`.as(
            'read',
          ),
        ),
    present: (rows: (Stored & { read: boolean })[], { now }) =>
      rows.map(row => ({ ...facts(row, now), read: row.read })),
    id: 'a.id',
    status: {
      known: ['current', 'ended', 'withdrawn'],
      special: inStatus,
    },
    search,
  })

export function publishedOn(db: Kysely<Schema>, now: Date) {
  return db
    .selectFrom('app.announcements as a')
    .where('a.shown_from', '<=', dayOf(now))
    .where(({ eb, or }) =>
      or([
        eb('a.withdrawn_at', 'is', null),
        eb(sql`(a.withdrawn_at AT TIME ZONE 'UTC')::date`, '>=', eb.ref('a.shown_from')),
      ]),
    )
}
