import type { Kysely, Selectable } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import type { ListQuery, Page } from '#shared/contract/define.ts'
import type { Notification } from '#shared/contract/notifications.ts'
import {
  type MoneyNotice,
  type NotificationKind,
  type SecurityNotice,
  securityNotices,
} from '#shared/notifications.ts'
import { headlinesAlone, type News, newsOf } from './news.ts'
import { countOf, listed, statusFilter } from './paging.ts'

type Row = Selectable<Schema['app.notifications']>

type Happened = { kind: NotificationKind; userId: string; subjectId: string; at: Date }

/** Keeps for an account's owner what has happened, in the transaction in which it does. */
export async function addNotification(tx: Tx, happened: Happened): Promise<void> {
  await addNotifications(tx, [happened])
}

/** The same for the owners of several records. */
export async function addNotifications(tx: Tx, all: readonly Happened[]): Promise<void> {
  const rows = all.map(({ kind, userId, subjectId, at }) => ({
    id: newId(at),
    kind,
    user_id: userId,
    subject_id: subjectId,
    created_at: at,
  }))
  await tx.insertInto('app.notifications').values(rows).execute()
}

const statuses = ['unread', 'read'] as const

/** One user's notifications, the newest first. */
export async function listNotifications(
  db: Kysely<Schema>,
  filter: Pick<ListQuery, 'limit' | 'cursor' | 'status'> & { userId: string },
  now: Date,
): Promise<{ data: Notification[]; page: Page }> {
  const status = statusFilter(filter.status, statuses)
  const matching = db
    .selectFrom('app.notifications')
    .where('user_id', '=', filter.userId)
    .$if(status !== undefined, query => query.where('read_at', status === 'unread' ? 'is' : 'is not', null))
  const { rows, page } = await listed(filter, {
    rows: (limit, below) =>
      matching
        .selectAll()
        .$if(below !== undefined, query => query.where('id', '<', below!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    count: () => countOf(db, matching),
  })
  return { data: await inWords(db, rows, now), page }
}

/** The records of each kind are read together. */
async function inWords(db: Kysely<Schema>, rows: Row[], now: Date): Promise<Notification[]> {
  const byKind = Object.entries(Object.groupBy(rows, ({ kind }) => kind)) as [NotificationKind, Row[]][]
  const told = new Map<string, News>()
  for (const [kind, alike] of byKind) {
    const ids = alike.map(({ subject_id }) => subject_id)
    for (const [id, news] of await newsOf(db, kind, ids, now)) told.set(`${kind} ${id}`, news)
  }
  return rows.map(row => present(row, told.get(`${row.kind} ${row.subject_id}`) ?? inShort(row)))
}

function present(row: Row, { text, details }: Pick<News, 'text' | 'details'>): Notification {
  return {
    _id: row.id,
    kind: row.kind,
    text,
    details,
    subject: isSecurity(row.kind) ? null : row.subject_id,
    read: row.read_at !== null,
    createdAt: row.created_at.toISOString(),
  }
}

/** Sessions are removed some time after their end, and passkeys when their owner wants it; what happened is still told. */
function inShort({ kind, subject_id }: Row): Pick<News, 'text' | 'details'> {
  if (!(kind in headlinesAlone)) throw new Error(`there is nothing to tell of ${kind} ${subject_id}`)
  return { text: `${headlinesAlone[kind as keyof typeof headlinesAlone]}.`, details: [] }
}

function isSecurity(kind: NotificationKind): kind is SecurityNotice {
  return securityNotices.some(security => security === kind)
}

export function unreadOf(db: Kysely<Schema>, userId: string): Promise<number> {
  return countOf(
    db,
    db.selectFrom('app.notifications').where('user_id', '=', userId).where('read_at', 'is', null),
  )
}

/** The kinds whose letters a user has turned off. */
export async function mutedBy(db: Kysely<Schema>, userId: string): Promise<MoneyNotice[]> {
  const rows = await db
    .selectFrom('app.muted_emails')
    .select('kind')
    .where('user_id', '=', userId)
    .orderBy('kind')
    .execute()
  return rows.map(({ kind }) => kind)
}
