import { type Kysely, type Selectable, sql } from 'kysely'
import { subjectNames } from '#server/audit/names.ts'
import type { SignedInContext } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { Conversation, ConversationThread } from '#shared/contract/conversations.ts'
import { type AboutKind, conversationStatuses } from '#shared/conversations.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumThread } from '#shared/limits.ts'
import { byActivity, inStatus, lastAt, latestFirst, statusOf } from './activity.ts'
import { attachmentsOf } from './attachments.ts'

export type ConversationRow = Selectable<Schema['app.contact_messages']>

/** An investor's conversations, the latest activity first. */
export const ownConversations = (userId: string) =>
  defineList({
    from: (db: Kysely<Schema>) => db.selectFrom('app.contact_messages as c').where('c.user_id', '=', userId),
    columns: query => query.selectAll('c'),
    present: (rows: ConversationRow[], { db }) => present(db, rows),
    id: 'c.id',
    status: { known: conversationStatuses, special: inStatus },
    sorts: byActivity,
    order: latestFirst,
    search: { texts: ['c.subject', 'c.message'], ids: ['c.id', 'c.about_id'] },
  })

/** One of the caller's conversations, with its messages. */
export async function ownThread(
  { services: { db }, caller }: SignedInContext,
  id: string,
): Promise<ConversationThread> {
  const row = await db.selectFrom('app.contact_messages').selectAll().where('id', '=', id).executeTakeFirst()
  if (row?.user_id !== caller.userId) throw notTheirs()
  const [[conversation], entries, files] = await Promise.all([
    present(db, [row]),
    writtenIn(db, id),
    attachmentsOf(db, id),
  ])
  const first = { id, kind: 'message', text: row.message, created_at: row.created_at }
  const messages = [first, ...entries].map(entry => ({
    _id: entry.id,
    from: entry.kind === 'reply' ? ('us' as const) : ('you' as const),
    text: entry.text,
    at: entry.created_at.toISOString(),
    files: files.get(entry.id) ?? [],
  }))
  return { ...conversation!, messages }
}

/** What a change of a conversation answers: not its messages, because answers are kept to be repeated. */
export async function ownConversation(tx: Kysely<Schema>, id: string): Promise<Conversation> {
  const row = await tx
    .selectFrom('app.contact_messages')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return (await present(tx, [row]))[0]!
}

/** Alike for another's conversation and for an unknown id (D8). */
export function notTheirs(): AppError {
  return new AppError('forbidden', t('You can only see your own messages.'))
}

/** What both sides wrote after the first message, the newest if there is more; notes and reasons are for staff. */
async function writtenIn(db: Kysely<Schema>, id: string) {
  const newest = await db
    .selectFrom('app.contact_entries')
    .select(['id', 'kind', 'text', 'created_at'])
    .where('message_id', '=', id)
    .where('kind', 'in', ['message', 'reply'])
    .orderBy('id', 'desc')
    .limit(maximumThread)
    .execute()
  return newest.toReversed()
}

async function present(db: Kysely<Schema>, rows: ConversationRow[]): Promise<Conversation[]> {
  const labels = await aboutLabels(db, rows)
  return rows.map(row => ({
    _id: row.id,
    subject: row.subject,
    about: aboutOf(row, labels),
    status: statusOf(row),
    unread: row.replied_at !== null && (row.read_at === null || row.read_at < row.replied_at),
    createdAt: row.created_at.toISOString(),
    lastAt: lastAt(row).toISOString(),
  }))
}

type About = Pick<ConversationRow, 'about_kind' | 'about_id'>

/** The numbers of the records that conversations are about, by id. */
export function aboutLabels(db: Kysely<Schema>, rows: readonly About[]): Promise<Map<string, string>> {
  const records = rows.flatMap(({ about_kind: kind, about_id: id }) => (kind && id ? [{ kind, id }] : []))
  return subjectNames(db, records)
}

export function aboutOf(
  { about_kind: kind, about_id: id }: About,
  labels: ReadonlyMap<string, string>,
): Conversation['about'] {
  return kind && id ? { kind, id, label: labels.get(id) ?? kind } : null
}

const tables = {
  deposit: 'app.deposits',
  investment: 'app.investments',
  withdrawal: 'app.withdrawals',
  earning: 'app.earnings',
} as const

/** @throws AppError forbidden, alike for another's record and for an unknown id (D8) */
export async function requireOwnRecord(
  db: Kysely<Schema>,
  userId: string,
  { kind, id }: { kind: AboutKind; id: string },
): Promise<void> {
  const { rows } = await sql`
    SELECT FROM ${sql.table(tables[kind])} WHERE id = ${id} AND user_id = ${userId}`.execute(db)
  if (rows.length === 0) throw new AppError('forbidden', t('You can only ask about your own records.'))
}
