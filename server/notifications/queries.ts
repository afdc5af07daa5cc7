import { type Kysely, type Selectable, sql } from 'kysely'
import { headlinesAlone } from '#server/accounts/notifications.ts'
import type { Caller, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { defineList } from '#server/queries/list.ts'
import { countOf } from '#server/queries/paging.ts'
import { type AlertKind, alertKinds } from '#shared/alerts.ts'
import type { Notification } from '#shared/contract/notifications.ts'
import { t, translate } from '#shared/i18n/t.ts'
import {
  firmNotices,
  type MoneyNotice,
  type NotificationKind,
  securityNotices,
} from '#shared/notifications.ts'
import { choicesOf, isFor, isUnread } from './alerts/choices.ts'
import { alertWords, generalWords } from './alerts/words.ts'
import type { NotificationText } from './template.ts'
import { textsOf } from './templates.ts'

type Row = Selectable<Schema['app.notifications']>
/** What the bell shows: a notification, or to staff an alert. */
type BellRow = Omit<Row, 'kind' | 'subject_id'> & {
  kind: NotificationKind | AlertKind
  subject_id: string | null
  /** No longer waits. */
  is_over: boolean
}

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

/** One user's notifications, newest first; to staff also the alerts that they have chosen. */
export async function notificationList(db: Kysely<Schema>, caller: Caller) {
  const own = sql`
    SELECT id, user_id, kind, subject_id, created_at, read_at, false AS is_over
      FROM app.notifications WHERE user_id = ${caller.userId}`
  const rows = caller.role === null ? own : sql`${own} UNION ALL ${await alertsOf(db, caller)}`
  return defineList({
    from: (source: Kysely<Schema>) => source.selectFrom(sql<BellRow>`(${rows})`.as('n')),
    columns: query => query.selectAll(),
    present: (found: BellRow[], at) => inWords(at.db, found, at.now),
    id: 'id',
    status: {
      known: ['unread', 'read'],
      special: { unread: () => sql`read_at IS NULL`, read: () => sql`read_at IS NOT NULL` },
    },
  })
}

/** One that no longer waits needs no reading. */
async function alertsOf(db: Kysely<Schema>, caller: Caller) {
  const choices = await choicesOf(db, caller)
  return sql`
    SELECT a.id, ${caller.userId}::uuid, a.kind, a.subject_id, a.created_at, coalesce(r.read_at, a.closed_at), a.closed_at IS NOT NULL
      FROM app.staff_alerts a
      LEFT JOIN app.staff_alert_reads r ON r.alert_id = a.id AND r.user_id = ${caller.userId}
     WHERE ${isFor(caller.userId, choices, 'bell')}`
}

/** Reads the records of each kind in one query. */
export async function inWords(
  db: Kysely<Schema>,
  rows: readonly BellRow[],
  now: Date,
): Promise<Notification[]> {
  const texts = new Map<string, Words>()
  for (const [kind, sameKind] of Map.groupBy(rows, row => row.kind)) {
    const ids = sameKind.flatMap(({ subject_id }) => subject_id ?? [])
    const found = isAlert(kind) ? await alertWords(db, kind, ids) : await textsOf(db, kind, ids, now)
    for (const [id, text] of found) texts.set(`${kind} ${id}`, text)
  }
  return rows.map(row => present(row, texts.get(`${row.kind} ${row.subject_id}`) ?? wordsAlone(row)))
}

type Words = Pick<NotificationText, 'text' | 'details' | 'subject'>

function present(row: BellRow, { text, details, subject }: Words): Notification {
  return {
    _id: row.id,
    kind: row.kind,
    text,
    details: row.is_over ? [t('No longer waiting.')] : details,
    subject: isOfAccount(row.kind) ? null : (subject ?? row.subject_id),
    read: row.read_at !== null,
    createdAt: row.created_at.toISOString(),
  }
}

function isAlert(kind: NotificationKind | AlertKind): kind is AlertKind {
  return alertKinds.some(alert => alert === kind)
}

/** A notification outlives its session or passkey: its headline stays. An alert about no record has words of its own. */
function wordsAlone({ kind, subject_id }: BellRow): Words {
  if (isAlert(kind)) return generalWords(kind)
  if (!(kind in headlinesAlone)) throw new Error(`no record for the notification ${kind} ${subject_id}`)
  return { text: `${translate(headlinesAlone[kind as keyof typeof headlinesAlone])}.`, details: [] }
}

function isOfAccount(kind: NotificationKind | AlertKind): boolean {
  return [...securityNotices, ...firmNotices].some(one => one === kind)
}

/** How many a user has not read, the alerts of staff included. */
export async function unreadOf(db: Kysely<Schema>, caller: Caller): Promise<number> {
  const own = db
    .selectFrom('app.notifications')
    .where('user_id', '=', caller.userId)
    .where('read_at', 'is', null)
  if (caller.role === null) return countOf(db, own)
  const choices = await choicesOf(db, caller)
  const alerts = db
    .selectFrom('app.staff_alerts as a')
    .where(isFor(caller.userId, choices, 'bell'))
    .where(isUnread(caller.userId))
  return (await countOf(db, own)) + (await countOf(db, alerts))
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
