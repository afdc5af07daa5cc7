import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/**
 * What people call the subjects of the log: a record's number, a person's name, a return's source, what a message is
 * about; of a session, whose it is. What is no longer kept has no name.
 * @param ids of subjects of any kind
 */
export async function subjectNames(db: Kysely<Schema>, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT id, invoice_id AS name FROM app.deposits WHERE id = ANY (${ids}::uuid[])
     UNION ALL
    SELECT id, invoice_id FROM app.investments WHERE id = ANY (${ids}::uuid[])
     UNION ALL
    SELECT id, invoice_id FROM app.withdrawals WHERE id = ANY (${ids}::uuid[])
     UNION ALL
    SELECT e.id, p.name || ', ' || i.invoice_id
      FROM app.earnings e
      JOIN app.investments i ON i.id = e.investment_id
      JOIN app.plan_versions p ON p.id = i.plan_version_id
     WHERE e.id = ANY (${ids}::uuid[])
     UNION ALL
    SELECT id, source FROM app.returns WHERE id = ANY (${ids}::uuid[])
     UNION ALL
    (SELECT DISTINCT ON (plan_id) plan_id, name FROM app.plan_versions WHERE plan_id = ANY (${ids}::uuid[])
      ORDER BY plan_id, version DESC)
     UNION ALL
    (SELECT DISTINCT ON (statistic_id) statistic_id, label FROM app.statistics
      WHERE statistic_id = ANY (${ids}::uuid[]) ORDER BY statistic_id, version DESC)
     UNION ALL
    SELECT id, subject FROM app.contact_messages WHERE id = ANY (${ids}::uuid[])
     UNION ALL
    SELECT id, name FROM app.users WHERE id = ANY (${ids}::uuid[])
     UNION ALL
    SELECT id, name FROM app.staff_invitations WHERE id = ANY (${ids}::uuid[])
     UNION ALL
    SELECT s.id, u.name FROM app.sessions s JOIN app.users u ON u.id = s.user_id
     WHERE s.id = ANY (${ids}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The record with this number; undefined where the text is no number, or nobody has it. */
export async function subjectNumbered(db: Kysely<Schema>, text: string): Promise<string | undefined> {
  const number = text.trim().toUpperCase()
  if (!/^(DEP|INV|WDR)-\d{4}-\d{6,}$/.test(number)) return undefined
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM app.deposits WHERE invoice_id = ${number}
     UNION ALL
    SELECT id FROM app.investments WHERE invoice_id = ${number}
     UNION ALL
    SELECT id FROM app.withdrawals WHERE invoice_id = ${number}`.execute(db)
  return rows[0]?.id
}
