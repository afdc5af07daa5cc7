import { type RawBuilder, sql } from 'kysely'
import { isUnexplained } from '#server/payouts/outgoing.ts'
import type { AlertKind } from '#shared/alerts.ts'
import {
  lateMonitoringMinutes,
  lateScreeningMinutes,
  networkAlertMinutes,
  proposalDays,
  returnedExposureDays,
  staleListDays,
} from '#shared/limits.ts'

/** One occurrence of what waits for staff. */
export type Waiting = { kind: AlertKind; subject_id: string | null; since: Date; author_id: string | null }

/** Where the whole installation is meant. */
const nothing = sql`NULL::uuid`

/** What waits now: of each kind the record, since when, and who made it wait. */
const waiting: Record<AlertKind, (now: Date) => RawBuilder<unknown>> = {
  // One with an address of its own is credited when the network shows its payment.
  'deposit.waiting': () => sql`
    SELECT d.id, d.created_at, d.user_id FROM app.deposits d
     WHERE d.status = 'pending' AND NOT EXISTS (SELECT FROM app.payment_addresses a WHERE a.deposit_id = d.id)`,

  'deposit.differing': () => sql`
    SELECT id, created_at, user_id FROM app.deposits WHERE needs_review`,

  // After the first approval of two it waits again, for somebody else.
  'withdrawal.waiting': () => sql`
    SELECT w.id, coalesce(a.created_at, w.created_at), coalesce(a.admin_id, w.user_id)
      FROM app.withdrawals w
      LEFT JOIN LATERAL (SELECT created_at, admin_id FROM app.withdrawal_approvals
                          WHERE withdrawal_id = w.id ORDER BY created_at DESC LIMIT 1) a ON true
     WHERE w.status = 'pending'`,

  'investment.waiting': () => sql`
    SELECT id, created_at, user_id FROM app.investments WHERE status = 'pending'`,

  'earning.waiting': () => sql`
    SELECT id, created_at, created_by FROM app.earnings WHERE status = 'pending'`,

  'return.waiting': () => sql`
    SELECT id, created_at, coalesce(void_proposed_by, recorded_by) FROM app.returns
     WHERE status IN ('pending', 'void_proposed')`,

  'proposal.waiting': now => sql`
    SELECT id, created_at, proposed_by FROM app.proposals
     WHERE status = 'pending' AND created_at > ${now}::timestamptz - make_interval(days => ${proposalDays})`,

  // Each further message of the owner begins anew.
  'message.waiting': () => sql`
    SELECT id, coalesce(written_at, created_at), user_id FROM app.contact_messages
     WHERE answered_at IS NULL AND closed_at IS NULL`,

  'match.waiting': () => sql`
    SELECT m.id, m.found_at, m.user_id FROM app.stopping_matches m
     WHERE m.decided_at IS NULL OR EXISTS (
       SELECT FROM app.users u WHERE u.id = m.user_id AND u.frozen_at IS NULL)`,

  // One that staff have decided is told again, for some days, if its entry left the list and has returned since.
  'pep.waiting': now => sql`
    SELECT id, found_at, user_id FROM app.current_matches WHERE list = 'pep' AND decided_at IS NULL
    UNION ALL
    SELECT m.id, i.imported_at, m.user_id
      FROM app.current_matches m
      JOIN app.users u ON u.id = m.user_id AND u.type <> 'admin' AND u.closed_at IS NULL
      JOIN app.list_imports i ON i.id = (
             SELECT max(e.added_by) FROM app.list_entries e
              WHERE e.list = m.list AND e.entry = m.entry AND NOT EXISTS (
                      SELECT FROM app.list_entries former
                       WHERE former.list = e.list AND former.entry = e.entry AND former.removed_by = e.added_by))
     WHERE m.list = 'pep' AND m.decision = 'same' AND m.decided_at < i.imported_at
       AND i.imported_at > ${now}::timestamptz - make_interval(days => ${returnedExposureDays})`,

  'screening.late': now => sql`
    SELECT ${nothing}, date_trunc('hour', min(since)), ${nothing} FROM app.uncompared_names
     WHERE since < ${now}::timestamptz - make_interval(mins => ${lateScreeningMinutes}) HAVING count(*) > 0`,

  'list.refused': () => sql`
    SELECT id, failing_since, ${nothing} FROM app.list_fetches WHERE refused_at IS NOT NULL`,

  // Also one that nobody imports manually any more.
  'list.stale': now => sql`
    SELECT id, since, ${nothing}
      FROM (SELECT id, coalesce(checked_at, failing_since) + make_interval(days => ${staleListDays}) AS since
              FROM app.list_fetches WHERE refused_at IS NULL) AS l
     WHERE since < ${now}`,

  'withdrawal.listed': () => sql`
    SELECT w.id, max(i.imported_at), ${nothing}
      FROM app.withdrawals w
      JOIN app.sanctioned_wallets s ON s.address = app.address_key(w.address) AND s.removed_by IS NULL
      JOIN app.list_imports i ON i.id = s.added_by
     WHERE w.status IN ('pending', 'approved') GROUP BY w.id`,

  'case.waiting': () => sql`
    SELECT id, found_at, user_id FROM app.monitoring_cases WHERE decided_at IS NULL`,

  'check.waiting': () => sql`
    SELECT id, submitted_at, user_id FROM app.identity_checks WHERE decided_at IS NULL`,

  'monitoring.late': now => sql`
    SELECT ${nothing}, min(failing_since), ${nothing} FROM app.monitoring_progress
     WHERE failing_since < ${now}::timestamptz - make_interval(mins => ${lateMonitoringMinutes}) HAVING count(*) > 0`,

  'payout.differing': () => sql`
    SELECT batch_id, max(alert_at), ${nothing} FROM app.payout_items
     WHERE alert IS NOT NULL AND reviewed_at IS NULL GROUP BY batch_id`,

  'outgoing.unexplained': () => sql`
    SELECT ${nothing}, max(s.told_at), ${nothing} FROM app.chain_spends s WHERE ${isUnexplained} HAVING count(*) > 0`,

  // A single poll that failed is no news.
  'network.failing': now => sql`
    SELECT ${nothing}, min(sync_error_since), ${nothing} FROM app.chain_cursors
     WHERE sync_error_since < ${now}::timestamptz - make_interval(mins => ${networkAlertMinutes}) HAVING count(*) > 0`,

  // Since the first check that found a fault and was followed by none without.
  'books.differing': () => sql`
    SELECT ${nothing}, min(finished_at), ${nothing} FROM ledger.invariant_runs
     WHERE id > (SELECT coalesce(max(id), 0) FROM ledger.invariant_runs WHERE ok) HAVING count(*) > 0`,

  // Many fail together, so that each hour begins anew at most once.
  'job.failed': () => sql`
    SELECT ${nothing}, date_trunc('hour', max(updated_at)), ${nothing} FROM graphile_worker.jobs
     WHERE attempts >= max_attempts AND locked_at IS NULL HAVING count(*) > 0`,
}

/** Rows of `Waiting`. */
export function allWaiting(now: Date): RawBuilder<Waiting> {
  const parts = Object.entries(waiting).map(
    ([kind, rows]) =>
      // In milliseconds, which a Date keeps.
      sql`SELECT ${kind}::text AS kind, subject_id, date_trunc('milliseconds', since) AS since, author_id
            FROM (${rows(now)}) AS w (subject_id, since, author_id)`,
  )
  return sql<Waiting>`${sql.join(parts, sql` UNION ALL `)}`
}
