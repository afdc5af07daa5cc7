import { sql } from 'kysely'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { notifyAll } from '#server/notifications/notices.ts'
import { newId } from '#server/platform/id.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import type { newGoal } from '#shared/contract/goals.ts'
import { AppError } from '#shared/errors.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumGoals } from '#shared/limits.ts'
import { dayAfter } from '#shared/moments.ts'
import { usdFromJson } from '#shared/money.ts'
import { goalRefusals } from './messages.ts'
import { totalFunds } from './queries.ts'

/** Notifications of one run; the others follow in the next one. */
const MOST_AT_ONCE = 1_000

/**
 * Sets a goal of the caller.
 * @throws AppError too_many_goals; invalid_input if the total funds have reached it, or its day is not ahead
 */
export async function setGoal(
  tx: Tx,
  { services, caller }: SignedInContext,
  { name, amount, day }: ParsedInput<typeof newGoal>['body'],
): Promise<void> {
  const { userId } = caller
  const now = services.clock.now()
  const amountCents = usdFromJson(amount)!
  if (day !== null && day <= dayAfter(now, 0)) throw invalid('day', t('Choose a day after today (UTC)'))
  // One at a time for each investor, so that two cannot pass the limit together.
  await tx.selectFrom('app.users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const funds = await totalFunds(tx, userId)
  if (funds >= amountCents) {
    const message = t('Enter more than your total funds, which are {amount} already', {
      amount: localUsd(funds),
    })
    throw invalid('amount', message)
  }
  const others = await tx
    .selectFrom('app.goals')
    .select('id')
    .where('user_id', '=', userId)
    .where('removed_at', 'is', null)
    .execute()
  if (others.length >= maximumGoals) throw goalRefusals.error({ reason: 'too_many_goals' })
  await tx
    .insertInto('app.goals')
    .values({ id: newId(now), user_id: userId, name, amount_cents: amountCents, day, created_at: now })
    .execute()
}

function invalid(field: 'amount' | 'day', message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } })
}

/** @throws AppError forbidden, alike for another investor's goal and for an unknown id (D8) */
export async function dropGoal(tx: Tx, { services, caller }: SignedInContext, id: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('app.goals')
    .set({ removed_at: services.clock.now() })
    .where('id', '=', id)
    .where('user_id', '=', caller.userId)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new AppError('forbidden', t('You can only remove your own goals'))
}

/** Chooses when the caller is notified before an investment ends, or that they are not. */
export async function setEndingAlert(
  tx: Tx,
  { caller }: SignedInContext,
  days: number | null,
): Promise<void> {
  const { userId } = caller
  if (days === null) {
    await tx.deleteFrom('app.ending_alerts').where('user_id', '=', userId).execute()
    return
  }
  await tx
    .insertInto('app.ending_alerts')
    .values({ user_id: userId, days })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet({ days }))
    .execute()
}

/**
 * Notifies investors whose total funds have reached a goal, once each.
 * @returns how many
 */
export async function notifyReached({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<number> {
  const now = clock.now()
  return db.transaction().execute(async tx => {
    const { rows } = await sql<{ id: string; user_id: string }>`
      UPDATE app.goals SET reached_at = ${now} WHERE id IN (
        SELECT g.id FROM app.goals g
         WHERE g.removed_at IS NULL AND g.reached_at IS NULL
           AND g.amount_cents <= (SELECT coalesce(sum(a.balance), 0) FROM ledger.accounts a
                                   WHERE a.owner = g.user_id AND a.asset = 'USD' AND a.floor IS NOT NULL)
         ORDER BY g.id LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED)
       RETURNING id, user_id`.execute(tx)
    if (rows.length > 0) await notifyAll(tx, 'goal.reached', rows, now)
    return rows.length
  })
}

/**
 * Notifies investors of investments that end within the days they have chosen, once each.
 * @returns how many
 */
export async function notifyEndings({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<number> {
  const now = clock.now()
  return db.transaction().execute(async tx => {
    const { rows } = await sql<{ id: string; user_id: string }>`
      SELECT i.id, i.user_id FROM app.ending_alerts e JOIN app.investments i ON i.user_id = e.user_id
       WHERE i.status = 'active' AND i.ending_at > ${now} AND i.ending_at <= ${now}::timestamptz + make_interval(days => e.days)
         AND NOT EXISTS (SELECT FROM app.notifications n WHERE n.subject_id = i.id AND n.kind = 'investment.ending')
       ORDER BY i.ending_at LIMIT ${MOST_AT_ONCE} FOR NO KEY UPDATE OF i SKIP LOCKED`.execute(tx)
    if (rows.length > 0) await notifyAll(tx, 'investment.ending', rows, now)
    return rows.length
  })
}
