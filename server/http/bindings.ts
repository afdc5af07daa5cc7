import { routes as accounts } from '#server/accounts/routes.ts'
import { routes as announcements } from '#server/announcements/routes.ts'
import { routes as archive } from '#server/archive/routes.ts'
import { routes as audit } from '#server/audit/routes.ts'
import { routes as brand } from '#server/brand/routes.ts'
import { routes as console } from '#server/console/routes.ts'
import { routes as contact } from '#server/contact/routes.ts'
import type { Binding } from '#server/context.ts'
import { routes as demo } from '#server/demo/routes.ts'
import { routes as deposits } from '#server/deposits/routes.ts'
import { routes as earnings } from '#server/earnings/routes.ts'
import { routes as firm } from '#server/firm/routes.ts'
import { routes as goals } from '#server/goals/routes.ts'
import { routes as identity } from '#server/identity/routes.ts'
import { routes as integrations } from '#server/integrations/routes.ts'
import { routes as investments } from '#server/investments/routes.ts'
import { routes as mailbox } from '#server/mailbox/routes.ts'
import { routes as monitoring } from '#server/monitoring/routes.ts'
import { routes as notifications } from '#server/notifications/routes.ts'
import { routes as payouts } from '#server/payouts/routes.ts'
import { routes as sweeps } from '#server/payouts/sweep-routes.ts'
import { routes as plans } from '#server/plans/routes.ts'
import { routes as policies } from '#server/policies/routes.ts'
import { routes as reserves } from '#server/proof/reserves/routes.ts'
import { routes as proof } from '#server/proof/routes.ts'
import { routes as returns } from '#server/returns/routes.ts'
import { routes as screening } from '#server/screening/routes.ts'
import { routes as site } from '#server/site/routes.ts'
import { routes as ledger } from '#server/statements/routes.ts'
import { routes as withdrawals } from '#server/withdrawals/routes.ts'
import { routes as health } from './health.ts'

/** The calls of every domain. */
export const bindings: Binding[] = [
  accounts,
  announcements,
  archive,
  audit,
  brand,
  console,
  contact,
  demo,
  deposits,
  earnings,
  firm,
  goals,
  health,
  integrations,
  investments,
  ledger,
  mailbox,
  notifications,
  payouts,
  sweeps,
  plans,
  policies,
  proof,
  reserves,
  returns,
  screening,
  monitoring,
  identity,
  site,
  withdrawals,
].flat()
