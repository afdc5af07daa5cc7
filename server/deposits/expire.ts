import { sql } from 'kysely'
import { isFrozen } from '#server/accounts/frozen.ts'
import { type AuditLine, asSystem, audit } from '#server/audit/log.ts'
import { unpaidReason } from '#server/audit/own-reasons.ts'
import { holdCursorOf } from '#server/chain/cursor.ts'
import { isWatched } from '#server/config/rails.ts'
import type { Config } from '#server/config.ts'
import type { Services, Tx } from '#server/context.ts'
import { notify } from '#server/notifications/notices.ts'
import { processEach } from '#server/queries/process-each.ts'
import { railNames } from '#shared/coins.ts'
import { assessDeposit } from './assess.ts'
import { awaiting, lockPayment } from './locks.ts'
import { endDeposit, endPendingInvestment } from './settle.ts'

/**
 * Marks pending deposits as `unpaid` after the payment window and the monitoring period, and declines the investments they were to pay
 * (D5, D6). Underpaid ones are credited as they are; those of a frozen account wait, since nobody could have approved them.
 * @returns how many
 */
export async function expireDeposits(services: Services): Promise<number> {
  const { done } = await processEach(services, {
    what: 'deposit',
    ids: (after, most) => dueDeposits(services, after, most),
    act: (tx, id) => expireDeposit(tx, services, id),
  })
  return done
}

async function dueDeposits(
  { db, clock, config }: Services,
  after: string | undefined,
  most: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('app.deposits')
    .select('id')
    .where('status', '=', 'pending')
    .where('watch_until', '<=', clock.now())
    .where(isSynced(config))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app.users as u')
            .select('u.id')
            .whereRef('u.id', '=', 'app.deposits.user_id')
            .where('u.frozen_at', 'is not', null),
        ),
      ),
    )
    .$if(after !== undefined, query => query.where('id', '>', after!))
    .orderBy('id')
    .limit(most)
    .execute()
  return rows.map(({ id }) => id)
}

/** Expires one deposit if it is still due and pending. */
export async function expireDeposit(tx: Tx, services: Services, id: string): Promise<boolean> {
  const now = services.clock.now()
  await holdCursorOf(tx, id)
  const { deposit, investment } = await lockPayment(tx, id)
  if (deposit.status !== 'pending' || deposit.watch_until > now) return false
  if (await isFrozen(tx, deposit.user_id)) return false
  if (!(await isDepositSynced(tx, services, id))) return false
  const by = asSystem(services)
  if (deposit.uncredited_units > 0n) return assessDeposit(tx, by, id)
  const log = (line: AuditLine) => audit(tx, by, { ...line, reason: unpaidReason })
  await log({ action: 'deposit.unpaid', subject: { kind: 'deposit', id } })
  const paid = awaiting(investment)
  if (paid === null) {
    await endDeposit(tx, deposit, 'unpaid')
    await notify(tx, 'deposit.unpaid', deposit, now)
    return true
  }
  await endPendingInvestment(
    tx,
    by,
    { investment: paid, deposit },
    { reason: unpaidReason },
    { unpaid: true },
  )
  await log({ action: 'investment.declined', subject: { kind: 'investment', id: paid.id } })
  await notify(tx, 'investment.declined', paid, now)
  return true
}

/**
 * True if the deposit's address, where we watch it, was synced past the monitoring period: only then is it certain that nothing arrived
 * in time. Staff watch fixed addresses and networks without a node.
 */
function isSynced({ rails }: Config) {
  const watched = railNames.filter(rail => isWatched(rails, rail))
  return sql<boolean>`NOT EXISTS (
    SELECT FROM app.payment_addresses a
      LEFT JOIN app.chain_cursors c ON c.rail = a.rail
     WHERE a.deposit_id = app.deposits.id
       AND a.rail = ANY (${watched}::text[])
       AND (c.rail IS NULL OR coalesce(c.synced_at, '-infinity') <= app.deposits.watch_until OR c.halted))`
}

async function isDepositSynced(tx: Tx, { config }: Services, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('app.deposits')
    .select('id')
    .where('id', '=', id)
    .where(isSynced(config))
    .executeTakeFirst()
  return row !== undefined
}
