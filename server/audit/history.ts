import type { Kysely } from 'kysely'
import type { Caller } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { HistoryEntry } from '#shared/contract/entities.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { may } from '#shared/roles.ts'
import { shownReason } from './own-reasons.ts'

/** Maximum number of steps shown. */
const mostSteps = 200

/**
 * The history of these records, oldest first. An investor sees that the firm acted, not which person; pages write 'Automatic' and
 * 'The firm' in their language.
 */
export async function historyOf(
  db: Kysely<Schema>,
  subjectIds: string[],
  viewer: Pick<Caller, 'userId' | 'role'>,
): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom('app.audit_log as a')
    .leftJoin('app.users as u', 'u.id', 'a.actor_id')
    .select(['a.at', 'a.action', 'a.reason', 'a.actor_id', 'u.name'])
    .where('a.subject_id', 'in', subjectIds)
    .orderBy('a.id')
    .limit(mostSteps)
    .execute()
  return rows.map(row => ({
    at: row.at.toISOString(),
    action: inWords(row.action),
    actor: actorOf(row, viewer),
    reason: shownReason(row.reason),
  }))
}

function actorOf(
  { actor_id, name }: { actor_id: string | null; name: string | null },
  viewer: Pick<Caller, 'userId' | 'role'>,
): string {
  if (actor_id === null) return 'Automatic'
  if (may(viewer.role, 'console') || actor_id === viewer.userId) return name ?? t('Unknown')
  return 'The firm'
}

/** The steps of the records that have a history. */
const steps: Record<string, string> = {
  'deposit.credited': msg('Deposit credited'),
  'deposit.added': msg('Deposit added'),
  'deposit.unsolicited': msg('Deposit unsolicited'),
  'deposit.requested': msg('Deposit requested'),
  'deposit.matched': msg('Deposit matched'),
  'deposit.approved': msg('Deposit approved'),
  'deposit.declined': msg('Deposit declined'),
  'deposit.cancelled': msg('Deposit cancelled'),
  'deposit.reversed': msg('Deposit reversed'),
  'deposit.reviewed': msg('Deposit reviewed'),
  'deposit.unpaid': msg('Deposit unpaid'),
  'deposit.debt_recovered': msg('Deposit debt recovered'),
  'investment.requested': msg('Investment requested'),
  'investment.approved': msg('Investment approved'),
  'investment.declined': msg('Investment declined'),
  'investment.cancelled': msg('Investment cancelled'),
  'investment.closed': msg('Investment closed'),
  'investment.reinvestment_requested': msg('Investment reinvestment requested'),
  'investment.reinvestment_stopped': msg('Investment reinvestment stopped'),
  'earning.added': msg('Earning added'),
  'earning.added_for_plan': msg('Earning added for plan'),
  'earning.approved': msg('Earning approved'),
  'earning.declined': msg('Earning declined'),
  'withdrawal.requested': msg('Withdrawal requested'),
  'withdrawal.approved': msg('Withdrawal approved'),
  'withdrawal.declined': msg('Withdrawal declined'),
  'withdrawal.cancelled': msg('Withdrawal cancelled'),
  'withdrawal.paid': msg('Withdrawal paid'),
  'return.recorded': msg('Return recorded'),
  'return.submitted': msg('Return submitted'),
  'return.approved': msg('Return approved'),
  'return.declined': msg('Return declined'),
  'return.void_proposed': msg('Return void proposed'),
  'return.void_rejected': msg('Return void rejected'),
  'return.voided': msg('Return voided'),
  // Not with the approval: the batch's creator has chosen the time of its rate.
  'withdrawal.rate_locked': msg('Amount in the coin fixed with a payout batch'),
}

/** An action that is none of these is named after its code. */
function inWords(action: string): string {
  const step = steps[action]
  if (step !== undefined) return translate(step)
  return action.charAt(0).toUpperCase() + action.slice(1).replaceAll(/[._]/g, ' ')
}
