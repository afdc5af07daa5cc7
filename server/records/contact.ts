import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { CallData, ListQuery } from '#shared/contract/define.ts'
import type { listContactMessages } from '#shared/contract/site.ts'
import type { MessageFilter } from '#shared/contract/tables.ts'
import { inPeriod, isNarrowed, orderOfPeriod } from './narrowing.ts'
import { countOf, type Listed, listed, matches } from './paging.ts'
import { inOrder, pageOf, type SortColumns, sortingOf, sortOf } from './sorting.ts'

export type ContactRow = Selectable<Schema['app.contact_messages']>

const sortColumns: SortColumns = {
  created: { value: sql.ref('c.created_at'), type: 'timestamptz' },
  name: { value: sql`lower(c.name)`, type: 'text' },
  email: { value: sql.ref('c.email'), type: 'text' },
}

function chosen(db: Kysely<Schema>, filter: MessageFilter) {
  const matching = db
    .selectFrom('app.contact_messages as c')
    .where(({ ref }) => inPeriod(ref('c.created_at'), filter))
    .where(({ ref }) => {
      const texts = [ref('c.name'), ref('c.email'), ref('c.subject'), ref('c.message')]
      return matches(filter.q, texts, [ref('c.id')])
    })
  return { matching, sorting: sortingOf(orderOfPeriod(filter, '-created'), sortColumns, sql.ref('c.id')) }
}

/** Messages to the firm, the newest first unless sorted; searched by sender, subject and text. */
export function listMessages(
  db: Kysely<Schema>,
  filter: ListQuery & MessageFilter,
): Promise<Listed<ContactRow>> {
  const { matching, sorting } = chosen(db, filter)
  return listed(filter, {
    rows: (...place) => pageOf(matching.selectAll(), sorting, ...place).execute(),
    count: mostMs => countOf(db, matching, mostMs),
    sort: sortOf(sorting),
    isNarrowed: isNarrowed(filter),
  })
}

/** All of them, to be read row by row. */
export function allMessages(db: Kysely<Schema>, filter: MessageFilter): CompiledQuery<ContactRow> {
  const { matching, sorting } = chosen(db, filter)
  return inOrder(matching.selectAll(), sorting).compile()
}

export function presentMessage(row: ContactRow): CallData<typeof listContactMessages>[number] {
  return {
    _id: row.id,
    name: row.name,
    email: row.email,
    subject: row.subject,
    message: row.message,
    createdAt: row.created_at.toISOString(),
  }
}
