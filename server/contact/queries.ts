import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { inPeriod, isNarrowed, orderOfPeriod } from '#server/queries/filters.ts'
import { countOf, type Listed, listed, matches, statusFilter } from '#server/queries/paging.ts'
import { inOrder, pageOf, type SortColumns, sortingOf, sortOf } from '#server/queries/sorting.ts'
import type { CallData, ListQuery } from '#shared/contract/define.ts'
import { type ContactMessage, type getContactMessage, messageStatuses } from '#shared/contract/site.ts'
import type { MessageFilter } from '#shared/contract/tables.ts'

export type ContactRow = Selectable<Schema['app.contact_messages']> & { answered_by_name: string | null }

function messages(db: Kysely<Schema>) {
  return db.selectFrom('app.contact_messages as c').leftJoin('app.users as u', 'u.id', 'c.answered_by')
}

function rowsOf(query: ReturnType<typeof messages>) {
  return query.selectAll('c').select('u.name as answered_by_name')
}

const sortColumns: SortColumns = {
  created: { value: sql.ref('c.created_at'), type: 'timestamptz' },
  name: { value: sql`lower(c.name)`, type: 'text' },
  email: { value: sql.ref('c.email'), type: 'text' },
}

function filtered(db: Kysely<Schema>, filter: MessageFilter) {
  const status = statusFilter(filter.status, messageStatuses)
  const matching = messages(db)
    .$if(status === 'open', query => query.where('c.answered_at', 'is', null))
    .$if(status === 'answered', query => query.where('c.answered_at', 'is not', null))
    .where(({ ref }) => inPeriod(ref('c.created_at'), filter))
    .where(({ ref }) => {
      const texts = [ref('c.name'), ref('c.email'), ref('c.subject'), ref('c.message')]
      return matches(filter.q, texts, [ref('c.id')])
    })
  return { matching, sorting: sortingOf(orderOfPeriod(filter, '-created'), sortColumns, sql.ref('c.id')) }
}

/**
 * Messages to the firm, newest first unless sorted; searched by sender, subject and text.
 * @throws AppError invalid_input for an unknown status
 */
export function listMessages(
  db: Kysely<Schema>,
  filter: ListQuery & MessageFilter,
): Promise<Listed<ContactRow>> {
  const { matching, sorting } = filtered(db, filter)
  return listed(filter, {
    rows: (...place) => pageOf(rowsOf(matching), sorting, ...place).execute(),
    count: mostMs => countOf(db, matching, mostMs),
    sort: sortOf(sorting),
    isNarrowed: isNarrowed(filter),
  })
}

/** Every matching message, for reading row by row. */
export function allMessages(db: Kysely<Schema>, filter: MessageFilter): CompiledQuery<ContactRow> {
  const { matching, sorting } = filtered(db, filter)
  return inOrder(rowsOf(matching), sorting).compile()
}

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
