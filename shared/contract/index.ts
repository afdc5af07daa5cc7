import * as accounts from './accounts.ts'
import * as addresses from './addresses.ts'
import * as alerts from './alerts.ts'
import * as announcements from './announcements.ts'
import * as apiKeys from './api-keys.ts'
import * as archive from './archive.ts'
import * as brand from './brand.ts'
import * as cancelling from './cancelling.ts'
import * as cannedAnswers from './canned-answers.ts'
import * as cashFlow from './cash-flow.ts'
import * as closing from './closing.ts'
import * as console from './console.ts'
import * as conversations from './conversations.ts'
import type { CallDefinition } from './define.ts'
import * as demo from './demo.ts'
import * as deposits from './deposits.ts'
import * as earnings from './earnings.ts'
import * as filters from './filters.ts'
import * as firm from './firm.ts'
import * as goals from './goals.ts'
import * as identity from './identity.ts'
import * as investments from './investments.ts'
import * as journal from './journal.ts'
import * as ledger from './ledger.ts'
import * as monitoring from './monitoring.ts'
import * as notifications from './notifications.ts'
import * as payouts from './payouts.ts'
import * as plans from './plans.ts'
import * as policies from './policies.ts'
import * as proof from './proof.ts'
import * as proofStatus from './proof-status.ts'
import * as proposals from './proposals.ts'
import * as push from './push.ts'
import * as reserves from './reserves.ts'
import * as returns from './returns.ts'
import * as screening from './screening.ts'
import * as search from './search.ts'
import * as secondFactor from './second-factor.ts'
import * as settings from './settings.ts'
import * as site from './site.ts'
import * as staff from './staff.ts'
import * as sweeps from './sweeps.ts'
import * as webhooks from './webhooks.ts'
import * as withdrawals from './withdrawals.ts'

function isCall(value: unknown): value is CallDefinition {
  return typeof value === 'object' && value !== null && 'permission' in value && 'path' in value
}

/** Every JSON call; live.ts has the one stream. The server starts only if all are bound. */
export const allCalls: readonly CallDefinition[] = [
  accounts,
  secondFactor,
  deposits,
  investments,
  withdrawals,
  brand,
  cancelling,
  payouts,
  sweeps,
  addresses,
  console,
  conversations,
  cannedAnswers,
  alerts,
  goals,
  announcements,
  policies,
  archive,
  cashFlow,
  closing,
  journal,
  screening,
  monitoring,
  identity,
  search,
  filters,
  earnings,
  returns,
  ledger,
  notifications,
  push,
  plans,
  proof,
  proofStatus,
  reserves,
  firm,
  site,
  staff,
  proposals,
  settings,
  apiKeys,
  webhooks,
  demo,
].flatMap(feature => Object.values(feature).filter(isCall))
