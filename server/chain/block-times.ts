import { type Block, ChainError } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'
import { blockClockMinutes } from '#shared/limits.ts'

/** Minutes that the database's clock may be behind. */
const BEHIND_MINUTES = 5
/** Minutes that a block may be dated ahead: two hours in Bitcoin (MAX_FUTURE_BLOCK_TIME), seconds elsewhere. */
const AHEAD_MINUTES = { bitcoin: blockClockMinutes, usdt: 0, ethereum: 0 } as const satisfies Record<
  RailName,
  number
>

/**
 * Rates and payout expiry depend on block times, so reject blocks dated in the future.
 * @throws ChainError
 */
export function rejectFutureBlocks(
  rail: RailName,
  blocks: readonly Pick<Block, 'height' | 'time'>[],
  now: Date,
): void {
  const last = now.getTime() + (AHEAD_MINUTES[rail] + BEHIND_MINUTES) * 60_000
  const early = blocks.find(({ time }) => time.getTime() > last)
  if (early === undefined) return
  throw new ChainError(
    `block ${early.height} is dated ${early.time.toISOString()}, which is in the future: the node's or the database's clock is wrong`,
  )
}
