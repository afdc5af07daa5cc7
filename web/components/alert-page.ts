import type { AlertKind } from '#shared/alerts.ts'
import { consolePaths } from '#web/console-paths.ts'
import { paths } from '#web/paths.ts'

type Page = { label: string; to: string }

/** Where staff act on an alert: on the record, or on the page of what concerns the whole installation. */
const pages: Record<AlertKind, (id: string) => Page | undefined> = {
  'deposit.waiting': id => ({ label: 'View deposit', to: consolePaths.deposit(id) }),
  'deposit.differing': id => ({ label: 'View deposit', to: consolePaths.deposit(id) }),
  'withdrawal.waiting': id => ({ label: 'View withdrawal', to: consolePaths.withdrawal(id) }),
  'investment.waiting': id => ({ label: 'View investment', to: consolePaths.investment(id) }),
  'earning.waiting': id => ({ label: 'View earning', to: consolePaths.found('earnings', id) }),
  'return.waiting': id => ({ label: 'View return', to: consolePaths.recordedReturn(id) }),
  'proposal.waiting': () => ({ label: 'View proposals', to: paths.admin.home }),
  'message.waiting': id => ({ label: 'View message', to: consolePaths.foundMessage(id) }),
  'payout.differing': id => ({ label: 'View payout', to: consolePaths.payout(id) }),
  'outgoing.unexplained': () => ({ label: 'View transactions', to: consolePaths.outgoing }),
  'network.failing': () => ({ label: 'View networks', to: paths.admin.home }),
  // The worker's log has these.
  'books.differing': () => undefined,
  'job.failed': () => undefined,
}

/** Undefined for a notification that is no alert, and for an alert without a page. */
export function alertPage(kind: string, subject: string | null): Page | undefined {
  return Object.hasOwn(pages, kind) ? pages[kind as AlertKind](subject ?? '') : undefined
}
