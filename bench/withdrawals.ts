import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { requestOf } from './calls.ts'
import { payout } from './payout.ts'
import type { World } from './world.ts'

/** In USD; far below the limit for a second admin. */
const MOST = 500

/**
 * Withdrawal requests: each holds an amount and writes the request's row, an audit row and the job of its email.
 * Investors take turns.
 */
export function withdrawalRequests(world: World, investors: string[]): () => Buffer {
  const tokens = investors.map(investor => world.tokenOf(investor))
  let next = 0
  return () => {
    const n = next++
    const body = { amount: 1 + (n % MOST), ...payout }
    return requestOf(tokens[n % tokens.length]!, newWithdrawal, { body })
  }
}
