import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { usdToJson } from '#shared/money.ts'
import { testEvent } from '#shared/webhooks.ts'

/** What a message says of a record: ids and amounts, no name, address or words of a person. */
type Facts = { id: string; number?: string; user: string | null } & Record<string, unknown>

async function depositFacts(db: Kysely<Schema>, id: string): Promise<Facts> {
  const { number, user, requested, credited } = await db
    .selectFrom('app.deposits as d')
    .select(['d.invoice_id as number', 'd.user_id as user', 'd.amount_cents as requested'])
    .select(
      sql<bigint>`(SELECT coalesce(sum(c.cents), 0)::bigint FROM app.deposit_credits c
         WHERE c.deposit_id = d.id AND c.reversed_by IS NULL)`.as('credited'),
    )
    .where('d.id', '=', id)
    .executeTakeFirstOrThrow()
  return { id, number, user, requested: usdToJson(requested), credited: usdToJson(credited) }
}

/** Other records; not all of them have a number or an amount. */
const tables: Readonly<Record<string, string>> = {
  investment: 'app.investments',
  withdrawal: 'app.withdrawals',
  earning: 'app.earnings',
  message: 'app.contact_messages',
}

async function factsOf(db: Kysely<Schema>, table: string, id: string): Promise<Facts> {
  const { rows } = await sql<{ number: string | null; user: string | null; cents: bigint | null }>`
    SELECT r ->> 'invoice_id' AS number, r ->> 'user_id' AS user, (r ->> 'amount_cents')::bigint AS cents
      FROM (SELECT to_jsonb(t) AS r FROM ${sql.table(table)} t WHERE t.id = ${id}) one`.execute(db)
  const { number, user, cents } = rows[0]!
  return {
    id,
    ...(number === null ? {} : { number }),
    user,
    ...(cents === null ? {} : { amount: usdToJson(cents) }),
  }
}

type Event = { event: string; subject_id: string | null; happened_at: Date }

/** The body of a message: type, time, and the record as it is at the first attempt. */
export async function bodyOf(db: Kysely<Schema>, { event, subject_id, happened_at }: Event): Promise<string> {
  const timestamp = happened_at.toISOString()
  if (event === testEvent || subject_id === null) return JSON.stringify({ type: event, timestamp, data: {} })
  const kind = event.split('.')[0]!
  const data = await (kind === 'deposit'
    ? depositFacts(db, subject_id)
    : factsOf(db, tables[kind]!, subject_id))
  return JSON.stringify({ type: event, timestamp, data })
}
