import { type Kysely, sql } from 'kysely'
import { investmentApproved, investmentRequested } from '#server/ledger/events.ts'
import { postAll } from '#server/ledger/post.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'

/** A world of tests, or a journey's product. */
type Place<Who> = {
  database: { db: Kysely<Schema> }
  clock: Clock
  admin: { id: string }
  /** Gives the investor money. */
  fund: (who: Who, cents: bigint) => Promise<void>
}

/** Postings per call of the ledger. */
const batch = 250
const dayMs = 86_400_000

type Many = { count: number; amountCents: bigint; plan: string; days: number }

/**
 * Active investments of one investor, paid from the balance and approved so many days ago: what as many requests and
 * approvals leave, in moments.
 * @returns their ids, in order
 */
export async function manyInvestments<Who extends { id: string }>(
  { database: { db }, clock, admin, fund }: Place<Who>,
  who: Who,
  { count, amountCents, plan, days }: Many,
): Promise<string[]> {
  await fund(who, amountCents * BigInt(count))
  const at = new Date(clock.now().getTime() - days * dayMs)
  const { id: planId, duration_days } = await db
    .selectFrom('app.plan_versions')
    .select(['id', 'duration_days'])
    .where('name', '=', plan)
    .where('current', '=', true)
    .executeTakeFirstOrThrow()
  const ids: string[] = []
  while (ids.length < count) {
    const size = Math.min(batch, count - ids.length)
    const requests = Array.from({ length: size }, () => {
      const investmentId = newId(at)
      return investmentRequested({ userId: who.id, amountCents, investmentId, actor: who.id })
    })
    const rows = requests.map(request => ({
      id: request.reference.id,
      invoice_id: `MANY-${request.reference.id}`,
      user_id: who.id,
      plan_version_id: planId,
      amount_cents: amountCents,
      method: 'balance' as const,
      hold_id: request.id,
      created_at: at,
    }))
    await db.transaction().execute(async tx => {
      await postAll(tx, requests)
      await tx.insertInto('app.investments').values(rows).execute()
      const approvals = rows.map(({ id, hold_id }) =>
        investmentApproved({
          userId: who.id,
          amountCents,
          investmentId: id,
          holdId: hold_id,
          actor: admin.id,
        }),
      )
      await postAll(tx, approvals)
      await tx
        .updateTable('app.investments')
        .set({ status: 'active', approved_at: at, ending_at: new Date(at.getTime() + duration_days * dayMs) })
        .where('id', '=', sql<string>`ANY (${rows.map(({ id }) => id)}::uuid[])`)
        .execute()
    })
    ids.push(...rows.map(({ id }) => id))
  }
  return ids
}
