import type { AlertKind } from '#shared/alerts.ts'
import { paths } from '#web/paths.ts'

type Page = { label: string; to: string }

/** Where staff act on an alert: on the record, or on the page of what concerns the whole installation. */
const pages: Record<AlertKind, (id: string) => Page | undefined> = {
  'deposit.waiting': id => ({ label: 'View deposit', to: paths.admin.deposit(id) }),
  'deposit.differing': id => ({ label: 'View deposit', to: paths.admin.deposit(id) }),
  'withdrawal.waiting': id => ({ label: 'View withdrawal', to: paths.admin.withdrawal(id) }),
  'investment.waiting': id => ({ label: 'View investment', to: paths.admin.investment(id) }),
  'earning.waiting': id => ({ label: 'View earning', to: paths.admin.found('earnings', id) }),
  'return.waiting': id => ({ label: 'View return', to: paths.admin.recordedReturn(id) }),
  'proposal.waiting': () => ({ label: 'View proposals', to: paths.admin.home }),
  'message.waiting': id => ({ label: 'View message', to: paths.admin.foundMessage(id) }),
  'payout.differing': id => ({ label: 'View payout', to: paths.admin.payout(id) }),
  'outgoing.unexplained': () => ({ label: 'View transactions', to: paths.admin.outgoing }),
  'network.failing': () => ({ label: 'View networks', to: paths.admin.home }),
  // The worker's log has these.
  'books.differing': () => undefined,
  'job.failed': () => undefined,
}

/** Undefined for a notification that is no alert, and for an alert without a page. */
export function alertPage(kind: string, subject: string | null): Page | undefined {
  return Object.hasOwn(pages, kind) ? pages[kind as AlertKind](subject ?? '') : undefined
}
