import { type Kysely, type Selectable, sql } from 'kysely'
import { headlinesAlone } from '#server/accounts/notifications.ts'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { defineList } from '#server/queries/list.ts'
import { countOf } from '#server/queries/paging.ts'
import type { Notification } from '#shared/contract/notifications.ts'
import {
  firmNotices,
  type MoneyNotice,
  type NotificationKind,
  securityNotices,
} from '#shared/notifications.ts'
import type { NotificationText } from './template.ts'
import { textsOf } from './templates.ts'

type Row = Selectable<Schema['app.notifications']>

type AccountEvent = { kind: NotificationKind; userId: string; subjectId: string; at: Date }

/** Stores a notification in the transaction of its event. */
export async function addNotification(tx: Tx, event: AccountEvent): Promise<void> {
  await insertNotifications([event]).execute(tx)
}

/** The statement that stores several. */
export function insertNotifications(all: readonly AccountEvent[]) {
  return sql`
    INSERT INTO app.notifications (id, kind, user_id, subject_id, created_at)
    SELECT * FROM unnest(${all.map(({ at }) => newId(at))}::uuid[], ${all.map(({ kind }) => kind)}::text[],
      ${all.map(({ userId }) => userId)}::uuid[], ${all.map(({ subjectId }) => subjectId)}::uuid[],
      ${all.map(({ at }) => at)}::timestamptz[])`
}

/** One user's notifications, newest first. */
export const notificationList = (userId: string) =>
  defineList({
    from: (db: Kysely<Schema>) => db.selectFrom('app.notifications').where('user_id', '=', userId),
    columns: query => query.selectAll(),
    present: (rows: Row[], { db, now }) => inWords(db, rows, now),
    id: 'id',
    status: {
      known: ['unread', 'read'],
      special: { unread: () => sql`read_at IS NULL`, read: () => sql`read_at IS NOT NULL` },
    },
  })

/** Reads the records of each kind in one query. */
export async function inWords(db: Kysely<Schema>, rows: readonly Row[], now: Date): Promise<Notification[]> {
  const byKind = Object.entries(Object.groupBy(rows, ({ kind }) => kind)) as [NotificationKind, Row[]][]
  const texts = new Map<string, NotificationText>()
  for (const [kind, sameKind] of byKind) {
    const ids = sameKind.map(({ subject_id }) => subject_id)
    for (const [id, text] of await textsOf(db, kind, ids, now)) texts.set(`${kind} ${id}`, text)
  }
  return rows.map(row => present(row, texts.get(`${row.kind} ${row.subject_id}`) ?? headlineAlone(row)))
}

function present(
  row: Row,
  { text, details, subject }: Pick<NotificationText, 'text' | 'details' | 'subject'>,
): Notification {
  return {
    _id: row.id,
    kind: row.kind,
    text,
    details,
    subject: isOfAccount(row.kind) ? null : (subject ?? row.subject_id),
    read: row.read_at !== null,
    createdAt: row.created_at.toISOString(),
  }
}

/** A notification outlives its session or passkey: its headline stays. */
function headlineAlone({ kind, subject_id }: Row): Pick<NotificationText, 'text' | 'details'> {
  if (!(kind in headlinesAlone)) throw new Error(`no record for the notification ${kind} ${subject_id}`)
  return { text: `${headlinesAlone[kind as keyof typeof headlinesAlone]}.`, details: [] }
}

function isOfAccount(kind: NotificationKind): boolean {
  return [...securityNotices, ...firmNotices].some(one => one === kind)
}

export function unreadOf(db: Kysely<Schema>, userId: string): Promise<number> {
  return countOf(
    db,
    db.selectFrom('app.notifications').where('user_id', '=', userId).where('read_at', 'is', null),
  )
}

/** The kinds whose emails a user has turned off. */
export async function mutedBy(db: Kysely<Schema>, userId: string): Promise<MoneyNotice[]> {
  const rows = await db
    .selectFrom('app.muted_emails')
    .select('kind')
    .where('user_id', '=', userId)
    .orderBy('kind')
    .execute()
  return rows.map(({ kind }) => kind)
}
