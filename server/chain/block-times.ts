import { type Block, ChainFault } from '#server/rails/chain.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { blockClockMinutes } from '#shared/limits.ts'

/** How far the clock of this machine may be behind, in minutes. */
const BEHIND_MINUTES = 5
/**
 * How far ahead of everybody's clock a block may be dated, in minutes: two hours by Bitcoin's rules (MAX_FUTURE_BLOCK_TIME), some seconds by
 * those of the others.
 */
const AHEAD_MINUTES = { bitcoin: blockClockMinutes, usdt: 0, ethereum: 0 } as const satisfies Record<
  DepositMethod,
  number
>

/**
 * By the times of blocks rates are found, and payouts that have ended are known: none is believed that has not come yet.
 * @throws ChainFault
 */
export function requireDated(
  method: DepositMethod,
  blocks: readonly Pick<Block, 'height' | 'time'>[],
  now: Date,
): void {
  const last = now.getTime() + (AHEAD_MINUTES[method] + BEHIND_MINUTES) * 60_000
  const early = blocks.find(({ time }) => time.getTime() > last)
  if (early === undefined) return
  throw new ChainFault(
    `block ${early.height} is dated ${early.time.toISOString()}, which is in the future: the node is wrong, or the clock of this machine`,
  )
}
