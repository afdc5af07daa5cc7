import type { RequestContext } from '#server/context.ts'
import { countAgainst, type Limit } from '#server/platform/rate-limit.ts'
import type { CallDefinition } from '#shared/contract/define.ts'

/**
 * What can be guessed, or costs us more than it costs the caller, counted per address. What is counted per account
 * (a login's tries, a code's tries, one resend a minute) is the feature's own business.
 */
const perAddress: Record<string, Limit> = {
  'auth.signup': { points: 60, seconds: 3600 },
  'auth.login': { points: 100, seconds: 900 },
  'auth.verifyEmail': { points: 50, seconds: 900 },
  'auth.requestVerification': { points: 30, seconds: 3600 },
  'auth.refresh': { points: 300, seconds: 900 },
  'auth.forgotPassword': { points: 10, seconds: 3600 },
  'auth.resetPassword': { points: 30, seconds: 3600 },
  'contact.new': { points: 10, seconds: 3600 },
}

/** Writes of one account, all calls together. */
const perAccount: Limit = { points: 300, seconds: 60 }

/**
 * Counts the call against its limit.
 * @throws AppError rate_limited with the seconds to wait
 */
export async function limitCall(call: CallDefinition, ctx: RequestContext): Promise<void> {
  const { services, caller, ip } = ctx
  const byAddress = perAddress[call.id]
  if (byAddress) await countAgainst(services, `${call.id}:${ip}`, byAddress)
  else if (caller && call.method !== 'GET') {
    await countAgainst(services, `write:${caller.userId}`, perAccount)
  }
}
