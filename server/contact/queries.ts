import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { CallData } from '#shared/contract/define.ts'
import { type ContactMessage, type getContactMessage, messageStatuses } from '#shared/contract/site.ts'

export type ContactRow = Selectable<Schema['app.contact_messages']> & { answered_by_name: string | null }

function messages(db: Kysely<Schema>) {
  return db.selectFrom('app.contact_messages as c').leftJoin('app.users as u', 'u.id', 'c.answered_by')
}

function rowsOf(query: ReturnType<typeof messages>) {
  return query.selectAll('c').select('u.name as answered_by_name')
}

/** Messages to the firm, the newest first unless sorted. */
export const messageList = defineList({
  from: messages,
  columns: rowsOf,
  present: (rows: ContactRow[]) => rows.map(presentMessage),
  id: 'c.id',
  status: {
    known: messageStatuses,
    special: { open: () => sql`c.answered_at IS NULL`, answered: () => sql`c.answered_at IS NOT NULL` },
  },
  period: { moment: 'c.created_at', sort: '-created' },
  search: { texts: ['c.name', 'c.email', 'c.subject', 'c.message'], ids: ['c.id'] },
  sorts: {
    created: { value: 'c.created_at', type: 'timestamptz' },
    name: { value: sql`lower(c.name)`, type: 'text' },
    email: { value: 'c.email', type: 'text' },
  },
})

/** Undefined for an unknown id. */
export function findMessage(db: Kysely<Schema>, id: string): Promise<ContactRow | undefined> {
  return rowsOf(messages(db)).where('c.id', '=', id).executeTakeFirst()
}

/** Most entries read for one message; staff write them manually. */
const mostEntries = 1000

/** A message's replies, notes and reopenings, oldest first. */
export async function threadOf(
  db: Kysely<Schema>,
  id: string,
): Promise<CallData<typeof getContactMessage>['thread']> {
  const rows = await db
    .selectFrom('app.contact_entries as e')
    .innerJoin('app.users as u', 'u.id', 'e.created_by')
    .where('e.message_id', '=', id)
    .select(['e.id', 'e.kind', 'e.text', 'e.created_at', 'u.name'])
    .orderBy('e.id')
    .limit(mostEntries)
    .execute()
  return rows.map(row => ({
    _id: row.id,
    kind: row.kind,
    text: row.text,
    by: row.name,
    at: row.created_at.toISOString(),
  }))
}

export function presentMessage(row: ContactRow): ContactMessage {
  return {
    _id: row.id,
    name: row.name,
    email: row.email,
    subject: row.subject,
    message: row.message,
    createdAt: row.created_at.toISOString(),
    status: row.answered_at === null ? 'open' : 'answered',
    answeredAt: row.answered_at?.toISOString() ?? null,
    answeredBy: row.answered_by_name,
  }
}
