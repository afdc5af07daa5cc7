import type { RequestContext } from '#server/context.ts'
import { subscriberOf } from '#server/platform/network.ts'
import { countAgainst, giveBack, type Limit } from '#server/platform/rate-limit.ts'
import type { CallDefinition } from '#shared/contract/define.ts'

type AddressLimit = Limit & {
  /** Counts only refusals: limits guessing, not frequent use behind one address. */
  failuresOnly?: true
}

/**
 * Calls that allow guessing or are expensive for us, limited per IP address. Domains limit per account themselves
 * (tries of a login or a code, one resend a minute).
 */
const perAddress: Record<string, AddressLimit> = {
  'auth.signup': { points: 200, seconds: 3600 },
  'auth.login': { points: 100, seconds: 900, failuresOnly: true },
  'auth.beginPasskeyLogin': { points: 300, seconds: 900 },
  'auth.loginByPasskey': { points: 100, seconds: 900, failuresOnly: true },
  'auth.verifyEmail': { points: 50, seconds: 900, failuresOnly: true },
  'auth.requestVerification': { points: 60, seconds: 3600 },
  'auth.refresh': { points: 100, seconds: 900, failuresOnly: true },
  'auth.forgotPassword': { points: 30, seconds: 3600 },
  'auth.resetPassword': { points: 30, seconds: 3600, failuresOnly: true },
  'staff.accept': { points: 30, seconds: 3600, failuresOnly: true },
  'contact.new': { points: 20, seconds: 3600 },
}

/** Expensive calls, limited per account. */
const perCaller: Record<string, Limit> = {
  // Each may email a code to any address.
  'auth.updateProfile': { points: 60, seconds: 3600 },
  'auth.chooseLanguage': { points: 60, seconds: 3600 },
  // Each may estimate a password, which takes a thread that all share.
  'auth.changePassword': { points: 60, seconds: 3600 },
  // Each sends an email.
  'auth.addPasskey': { points: 30, seconds: 3600 },
  'auth.removePasskey': { points: 30, seconds: 3600 },
  // Each stores a file of several megabytes for a day.
  'return.uploadEvidence': { points: 60, seconds: 3600 },
  'message.upload': { points: 20, seconds: 3600 },
  'identity.upload': { points: 30, seconds: 3600 },
  // Each sends an email to the firm.
  'message.new': { points: 20, seconds: 3600 },
  'message.write': { points: 60, seconds: 3600 },
  // Each loads a file of several megabytes into memory.
  'return.evidence': { points: 60, seconds: 600 },
  'message.file': { points: 60, seconds: 600 },
  'identity.file': { points: 120, seconds: 600 },
  // Each opens what is sealed.
  'identity.returned': { points: 30, seconds: 3600 },
  // Each reads all accruals of a plan.
  'earning.previewPlan': { points: 60, seconds: 60 },
  'earning.listPlanShares': { points: 60, seconds: 60 },
  // Each frees money or a place for another request, which takes a row of the console.
  'deposit.cancel': { points: 60, seconds: 3600 },
  'investment.cancel': { points: 60, seconds: 3600 },
  'withdrawal.cancel': { points: 60, seconds: 3600 },
  'address.new': { points: 60, seconds: 3600 },
  'auth.usersCsv': { points: 20, seconds: 600 },
  'withdrawal.csv': { points: 20, seconds: 600 },
  'investment.csv': { points: 20, seconds: 600 },
  'earning.csv': { points: 20, seconds: 600 },
  'deposit.csv': { points: 20, seconds: 600 },
  'return.csv': { points: 20, seconds: 600 },
  'contact.csv': { points: 20, seconds: 600 },
  'audit.csv': { points: 20, seconds: 600 },
  'staff.invite': { points: 60, seconds: 3600 },
  'staff.resetSecondFactors': { points: 60, seconds: 3600 },
  // The archives themselves are limited by the day; these are the tries, of which some need a password first.
  'archive.download': { points: 60, seconds: 3600 },
  // Each reads all entries of its days.
  'console.journalFile': { points: 20, seconds: 600 },
  'ledger.statementCsv': { points: 20, seconds: 600 },
  'ledger.statementPdf': { points: 20, seconds: 600 },
  'investment.letter': { points: 60, seconds: 600 },
  'ledger.yearCsv': { points: 20, seconds: 600 },
  'ledger.yearPdf': { points: 20, seconds: 600 },
  // Each decodes a picture and stores it.
  'brand.uploadLogo': { points: 60, seconds: 3600 },
  // Each emails the other admins.
  'brand.propose': { points: 60, seconds: 3600 },
  'apiKey.propose': { points: 60, seconds: 3600 },
  'webhook.propose': { points: 60, seconds: 3600 },
  'webhook.createSecret': { points: 60, seconds: 3600 },
  'webhook.stop': { points: 60, seconds: 3600 },
  'webhook.remove': { points: 60, seconds: 3600 },
  // Each reads all that has a word that begins with the text, which may be two letters.
  'search.find': { points: 120, seconds: 60 },
  // Each reads balances at up to 400 moments, or all of an investor's records.
  'ledger.balances': { points: 120, seconds: 60 },
  'ledger.earnings': { points: 120, seconds: 60 },
  'ledger.allocation': { points: 120, seconds: 60 },
}

/** All requests of one API key together. */
const perKey: Limit = { points: 600, seconds: 60 }

/** All writes of one account together. */
const perAccount: Limit = { points: 600, seconds: 60 }

/**
 * Counts the call before it runs, so that concurrent calls cannot share a point.
 * @throws AppError rate_limited with the seconds to wait
 */
export async function limitCall(
  call: CallDefinition,
  ctx: Pick<RequestContext, 'services' | 'caller' | 'ip'>,
): Promise<void> {
  const { services, caller } = ctx
  if (caller?.keyRights) await countAgainst(services, `api_key_use:${caller.userId}`, perKey)
  const limit = perAddress[call.id]
  const ownLimit = perCaller[call.id]
  if (limit) await countAgainst(services, addressKey(call, ctx), limit)
  else if (caller && ownLimit) await countAgainst(services, `${call.id}:${caller.userId}`, ownLimit)
  else if (caller && call.method !== 'GET') {
    await countAgainst(services, `write:${caller.userId}`, perAccount)
  }
}

/** Uncounts a successful call if only failures count. */
export async function forgive(call: CallDefinition, ctx: RequestContext): Promise<void> {
  const limit = perAddress[call.id]
  if (limit?.failuresOnly) await giveBack(ctx.services, addressKey(call, ctx), limit)
}

function addressKey(call: CallDefinition, { ip }: Pick<RequestContext, 'ip'>): string {
  return `${call.id}:${subscriberOf(ip)}`
}
