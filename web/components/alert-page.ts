import type { AlertKind } from '#shared/alerts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { consolePaths, recordPage } from '#web/console-paths.ts'
import { paths } from '#web/paths.ts'

type Page = { label: string; to: string }

const labels = {
  deposit: msg('View deposit'),
  withdrawal: msg('View withdrawal'),
  investment: msg('View investment'),
  earning: msg('View earning'),
  return: msg('View return'),
  message: msg('View message'),
  match: msg('View match'),
  case: msg('View case'),
  check: msg('View check'),
  payout: msg('View payout'),
}

const view = (kind: keyof typeof labels) => (id: string) => ({
  label: translate(labels[kind]),
  to: recordPage(kind, id),
})

/** Where staff act on an alert: on the record, or on the page of what concerns the whole installation. */
const pages: Record<AlertKind, (id: string) => Page | undefined> = {
  'deposit.waiting': view('deposit'),
  'deposit.differing': view('deposit'),
  'withdrawal.waiting': view('withdrawal'),
  'investment.waiting': view('investment'),
  'earning.waiting': view('earning'),
  'return.waiting': view('return'),
  'proposal.waiting': () => ({ label: t('View proposals'), to: paths.admin.home }),
  'message.waiting': view('message'),
  'match.waiting': view('match'),
  'pep.waiting': view('match'),
  'screening.late': () => ({ label: t('View lists'), to: consolePaths.screening }),
  'list.refused': () => ({ label: t('View lists'), to: consolePaths.screening }),
  'list.stale': () => ({ label: t('View lists'), to: consolePaths.screening }),
  'withdrawal.listed': view('withdrawal'),
  'case.waiting': view('case'),
  'check.waiting': view('check'),
  'monitoring.late': () => ({ label: t('View monitoring'), to: consolePaths.monitoring }),
  'payout.differing': view('payout'),
  'outgoing.unexplained': () => ({ label: t('View transactions'), to: consolePaths.outgoing }),
  'network.failing': () => ({ label: t('View networks'), to: paths.admin.home }),
  // The worker's log has these.
  'books.differing': () => undefined,
  'job.failed': () => undefined,
}

/** Undefined for a notification that is no alert, and for an alert without a page. */
export function alertPage(kind: string, subject: string | null): Page | undefined {
  return Object.hasOwn(pages, kind) ? pages[kind as AlertKind](subject ?? '') : undefined
}
