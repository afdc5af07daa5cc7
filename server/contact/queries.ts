import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { ContactMessage, getContactMessage, listTeam } from '#shared/contract/site.ts'
import { conversationStatuses } from '#shared/conversations.ts'
import { maximumThread } from '#shared/limits.ts'
import { may, roles } from '#shared/roles.ts'
import { byActivity, inStatus, lastAt, latestFirst, statusOf } from './activity.ts'
import { attachmentsOf } from './attachments.ts'
import { aboutLabels, aboutOf } from './own.ts'

export type ContactRow = Selectable<Schema['app.contact_messages']> & {
  answered_by_name: string | null
  assigned_name: string | null
  owner_verified_at: Date | null
}

function messages(db: Kysely<Schema>) {
  return db
    .selectFrom('app.contact_messages as c')
    .leftJoin('app.users as u', 'u.id', 'c.answered_by')
    .leftJoin('app.users as a', 'a.id', 'c.assigned_to')
    .leftJoin('app.users as o', 'o.id', 'c.user_id')
}

function rowsOf(query: ReturnType<typeof messages>) {
  return query
    .selectAll('c')
    .select([
      'u.name as answered_by_name',
      'a.name as assigned_name',
      'o.email_verified_at as owner_verified_at',
    ])
}

/** Messages to the firm, of the contact form and of investors, the latest activity first unless sorted. */
export const messageList = defineList({
  from: messages,
  columns: rowsOf,
  present: (rows: ContactRow[], { db }) => presentMessages(db, rows),
  id: 'c.id',
  status: { known: conversationStatuses, special: inStatus },
  exactly: {
    origin: origin => (origin === 'form' ? sql`c.user_id IS NULL` : sql`c.user_id IS NOT NULL`),
    assigned: to => (to === 'nobody' ? sql`c.assigned_to IS NULL` : sql`c.assigned_to = ${to}`),
  },
  period: { moment: 'c.created_at', sort: '-created' },
  order: latestFirst,
  search: {
    texts: ['c.name', 'c.email', 'c.subject', 'c.message'],
    ids: ['c.id', 'c.user_id', 'c.about_id'],
    related: q =>
      sql`EXISTS (SELECT FROM app.contact_entries e WHERE e.message_id = c.id AND strpos(lower(e.text), lower(${q})) > 0)`,
  },
  sorts: {
    created: { value: 'c.created_at', type: 'timestamptz' },
    ...byActivity,
    name: { value: sql`lower(c.name)`, type: 'text' },
    email: { value: 'c.email', type: 'text' },
  },
})

/** Undefined for an unknown id. */
export function findMessage(db: Kysely<Schema>, id: string): Promise<ContactRow | undefined> {
  return rowsOf(messages(db)).where('c.id', '=', id).executeTakeFirst()
}

/** Most entries read for one message: both sides' messages, and what staff noted between them. */
const mostEntries = 2 * maximumThread

/** What followed a message, oldest first; the newest entries if there are more. */
export async function threadOf(
  db: Kysely<Schema>,
  id: string,
): Promise<Pick<CallData<typeof getContactMessage>, 'files' | 'thread'>> {
  const rows = await db
    .selectFrom('app.contact_entries as e')
    .innerJoin('app.contact_messages as c', 'c.id', 'e.message_id')
    .leftJoin('app.users as u', 'u.id', 'e.created_by')
    .where('e.message_id', '=', id)
    .leftJoin('app.received_replies as r', 'r.entry_id', 'e.id')
    .select(['e.id', 'e.kind', 'e.text', 'e.created_at', 'r.hash as email'])
    .select(({ fn }) => fn.coalesce('u.name', 'c.name').as('name'))
    .orderBy('e.id', 'desc')
    .limit(mostEntries)
    .execute()
  const files = await attachmentsOf(db, id)
  const thread = rows.toReversed().map(row => ({
    _id: row.id,
    kind: row.kind,
    text: row.text,
    by: row.name,
    byEmail: row.email !== null,
    at: row.created_at.toISOString(),
    files: files.get(row.id) ?? [],
  }))
  return { files: files.get(id) ?? [], thread }
}

export async function presentMessages(db: Kysely<Schema>, rows: ContactRow[]): Promise<ContactMessage[]> {
  const labels = await aboutLabels(db, rows)
  return rows.map(row => ({
    _id: row.id,
    name: row.name,
    email: row.email,
    subject: row.subject,
    message: row.message,
    user: row.user_id,
    isVerified: row.user_id === null ? null : row.owner_verified_at !== null,
    about: aboutOf(row, labels),
    createdAt: row.created_at.toISOString(),
    lastAt: lastAt(row).toISOString(),
    status: statusOf(row),
    answeredAt: row.answered_at?.toISOString() ?? null,
    answeredBy: row.answered_by_name,
    assigned: row.assigned_to ? { _id: row.assigned_to, name: row.assigned_name! } : null,
  }))
}

const whoMayAnswer = roles.filter(role => may(role, 'care'))

/** The members of staff who may answer messages, by name. */
export async function teamOf(db: Kysely<Schema>): Promise<CallData<typeof listTeam>> {
  const rows = await db
    .selectFrom('app.users')
    .select(['id', 'name'])
    .where('role', 'in', whoMayAnswer)
    .where('access_ended_at', 'is', null)
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute()
  return rows.map(({ id, name }) => ({ _id: id, name }))
}
