import type { Binding } from '#server/context.ts'
import { routes as accounts } from '#server/features/accounts/routes.ts'
import { routes as audit } from '#server/features/audit/routes.ts'
import { routes as console } from '#server/features/console/routes.ts'
import { routes as contact } from '#server/features/contact/routes.ts'
import { routes as demo } from '#server/features/demo/routes.ts'
import { routes as deposits } from '#server/features/deposits/routes.ts'
import { routes as earnings } from '#server/features/earnings/routes.ts'
import { routes as firm } from '#server/features/firm/routes.ts'
import { routes as investments } from '#server/features/investments/routes.ts'
import { routes as ledger } from '#server/features/ledger/routes.ts'
import { routes as mailbox } from '#server/features/mailbox/routes.ts'
import { routes as notifications } from '#server/features/notifications/routes.ts'
import { routes as payouts } from '#server/features/payouts/routes.ts'
import { routes as plans } from '#server/features/plans/routes.ts'
import { routes as returns } from '#server/features/returns/routes.ts'
import { routes as site } from '#server/features/site/routes.ts'
import { routes as withdrawals } from '#server/features/withdrawals/routes.ts'
import { routes as health } from './health.ts'

/** Every feature's calls. */
export const bindings: Binding[] = [
  accounts,
  audit,
  console,
  contact,
  demo,
  deposits,
  earnings,
  firm,
  health,
  investments,
  ledger,
  mailbox,
  notifications,
  payouts,
  plans,
  returns,
  site,
  withdrawals,
].flat()
