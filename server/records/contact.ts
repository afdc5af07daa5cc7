import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { CallData, ListQuery } from '#shared/contract/define.ts'
import type { listContactMessages } from '#shared/contract/site.ts'
import { countOf, type Listed, listed, matches } from './paging.ts'

export type ContactRow = Selectable<Schema['app.contact_messages']>

/** Messages to the firm, the newest first; searched by sender, subject and text. */
export function listMessages(db: Kysely<Schema>, filter: ListQuery): Promise<Listed<ContactRow>> {
  const matching = db.selectFrom('app.contact_messages as c').where(({ ref }) => {
    const texts = [ref('c.name'), ref('c.email'), ref('c.subject'), ref('c.message')]
    return matches(filter.q, texts, [ref('c.id')])
  })
  return listed(filter, {
    rows: (limit, below) =>
      matching
        .selectAll()
        .$if(below !== undefined, query => query.where('c.id', '<', below!))
        .orderBy('c.id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
  })
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
