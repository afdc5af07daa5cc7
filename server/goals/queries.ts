import type { Kysely } from 'kysely'
import type { Services } from '#server/context.ts'
import { investorBalances } from '#server/ledger/balances.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { listGoals } from '#shared/contract/goals.ts'
import { dayAfter } from '#shared/moments.ts'
import { usdToJson } from '#shared/money.ts'
import { progressOf } from './progress.ts'

/** All that an investor has with us, in cents. */
export async function totalFunds(db: Kysely<Schema>, userId: string): Promise<bigint> {
  const { available, held, invested } = await investorBalances(db, userId)
  return available + held + invested
}

/** An investor's goals with their progress now, and when we tell them of an ending. */
export async function goalsOf(
  db: Kysely<Schema>,
  { clock }: Pick<Services, 'clock'>,
  userId: string,
): Promise<CallData<typeof listGoals>> {
  const funds = await totalFunds(db, userId)
  const today = dayAfter(clock.now(), 0)
  const rows = await db
    .selectFrom('app.goals')
    .selectAll()
    .where('user_id', '=', userId)
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute()
  const alert = await db
    .selectFrom('app.ending_alerts')
    .select('days')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const goals = rows.map(({ id, name, amount_cents: amountCents, day, created_at, reached_at }) => {
    const { missingCents, percent, monthlyCents } = progressOf({ amountCents, day }, funds, today)
    return {
      _id: id,
      name,
      amount: usdToJson(amountCents),
      day,
      missing: usdToJson(missingCents),
      percent,
      monthly: monthlyCents === null ? null : usdToJson(monthlyCents),
      createdAt: created_at.toISOString(),
      reachedAt: reached_at?.toISOString() ?? null,
    }
  })
  return { goals, funds: usdToJson(funds), endingAlertDays: alert?.days ?? null }
}
