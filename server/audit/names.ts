import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

type Named = (ids: string[]) => RawBuilder<{ id: string; name: string }>

/** Where to find the names of each kind of subject, so that a page reads only the tables of its kinds. */
const namesOf: Partial<Record<string, Named>> = {
  deposit: column('deposits', 'invoice_id'),
  investment: column('investments', 'invoice_id'),
  withdrawal: column('withdrawals', 'invoice_id'),
  payout: column('payout_batches', 'number'),
  earning: ids => sql`
    SELECT e.id, p.name || ', ' || i.invoice_id AS name
      FROM app.earnings e
      JOIN app.investments i ON i.id = e.investment_id
      JOIN app.plan_versions p ON p.id = i.plan_version_id
     WHERE e.id = ANY (${ids}::uuid[])`,
  return: column('returns', 'source'),
  plan: ids => sql`
    SELECT DISTINCT ON (plan_id) plan_id AS id, name FROM app.plan_versions
     WHERE plan_id = ANY (${ids}::uuid[]) ORDER BY plan_id, version DESC`,
  statistic: ids => sql`
    SELECT DISTINCT ON (statistic_id) statistic_id AS id, label AS name FROM app.statistics
     WHERE statistic_id = ANY (${ids}::uuid[]) ORDER BY statistic_id, version DESC`,
  message: column('contact_messages', 'subject'),
  api_key: column('api_keys', 'name'),
  webhook: column('webhooks', 'name'),
  answer: column('canned_answers', 'title'),
  announcement: column('announcements', 'title'),
  policy: ids => sql`
    SELECT id, kind || ', version ' || version AS name FROM app.policies WHERE id = ANY (${ids}::uuid[])`,
  user: column('users', 'name'),
  invitation: column('staff_invitations', 'name'),
  session: ids => sql`
    SELECT s.id, u.name FROM app.sessions s JOIN app.users u ON u.id = s.user_id WHERE s.id = ANY (${ids}::uuid[])`,
}

function column(table: string, name: string): Named {
  return ids =>
    sql`SELECT id, ${sql.ref(name)} AS name FROM ${sql.table(`app.${table}`)} WHERE id = ANY (${ids}::uuid[])`
}

/**
 * Names of audit subjects for people: a record's number, a person's name, a return's source, a message's subject; for a
 * session, its owner. Deleted subjects have no name.
 */
export async function subjectNames(
  db: Kysely<Schema>,
  subjects: readonly { kind: string; id: string }[],
): Promise<Map<string, string>> {
  const byKind = Map.groupBy(subjects, ({ kind }) => kind)
  const looks = [...byKind].flatMap(([kind, of]) => {
    const look = namesOf[kind]?.([...new Set(of.map(({ id }) => id))])
    return look ? [sql`(${look})`] : []
  })
  if (looks.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`${sql.join(looks, sql` UNION ALL `)}`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The record with this number, or undefined. */
export async function subjectNumbered(db: Kysely<Schema>, text: string): Promise<string | undefined> {
  const number = text.trim().toUpperCase()
  if (!/^(DEP|INV|WDR|PAY)-\d{4}-\d{6,}$/.test(number)) return undefined
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM app.deposits WHERE invoice_id = ${number}
     UNION ALL
    SELECT id FROM app.investments WHERE invoice_id = ${number}
     UNION ALL
    SELECT id FROM app.withdrawals WHERE invoice_id = ${number}
     UNION ALL
    SELECT id FROM app.payout_batches WHERE number = ${number}`.execute(db)
  return rows[0]?.id
}
