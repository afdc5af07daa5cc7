import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { usdToJson } from '#shared/money.ts'
import { testEvent } from '#shared/webhooks.ts'

/** What a message says of a record: ids and amounts, no name, address or words of a person. */
type Facts = { id: string; number?: string | null; user?: string | null } & Record<string, unknown>

type Record_ = { id: string; number: string | null; user_id: string | null; cents: bigint | null }

const records: Partial<Record<string, (db: Kysely<Schema>, id: string) => Promise<Facts>>> = {
  deposit: async (db, id) => {
    const row = await db
      .selectFrom('app.deposits as d')
      .select(['d.id', 'd.invoice_id', 'd.user_id', 'd.amount_cents'])
      .select(
        sql<bigint>`(SELECT coalesce(sum(c.cents), 0)::bigint FROM app.deposit_credits c
           WHERE c.deposit_id = d.id AND c.reversed_by IS NULL)`.as('credited'),
      )
      .where('d.id', '=', id)
      .executeTakeFirstOrThrow()
    const amounts = { requested: usdToJson(row.amount_cents), credited: usdToJson(row.credited) }
    return { id, number: row.invoice_id, user: row.user_id, ...amounts }
  },
  investment: (db, id) =>
    factsOf(
      db,
      sql`SELECT invoice_id AS number, user_id, amount_cents AS cents FROM app.investments WHERE id = ${id}`,
      id,
    ),
  withdrawal: (db, id) =>
    factsOf(
      db,
      sql`SELECT invoice_id AS number, user_id, amount_cents AS cents FROM app.withdrawals WHERE id = ${id}`,
      id,
    ),
  earning: (db, id) =>
    factsOf(
      db,
      sql`SELECT NULL AS number, user_id, amount_cents AS cents FROM app.earnings WHERE id = ${id}`,
      id,
    ),
  message: (db, id) =>
    factsOf(
      db,
      sql`SELECT NULL AS number, user_id, NULL::bigint AS cents FROM app.contact_messages WHERE id = ${id}`,
      id,
    ),
}

async function factsOf(db: Kysely<Schema>, query: ReturnType<typeof sql>, id: string): Promise<Facts> {
  const { rows } = await query.execute(db)
  const { number, user_id: user, cents } = rows[0] as Record_
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
  const data = await records[event.split('.')[0]!]!(db, subject_id)
  return JSON.stringify({ type: event, timestamp, data })
}
