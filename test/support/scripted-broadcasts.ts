import { keccak256 } from 'viem'
import type { Chain } from '#server/rails/chain.ts'

/**
 * A node of Ethereum that only takes transactions.
 * @param refused its answer to all of them @returns `given`: the ids of those it took
 */
export function scriptedBroadcasts(
  refused: string | null = null,
): Pick<Chain, 'broadcast'> & { given: string[] } {
  const given: string[] = []
  return {
    given,
    broadcast: async raw => {
      given.push(keccak256(raw))
      return { refused }
    },
  }
}
