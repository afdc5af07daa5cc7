import type { TronPayout } from '#server/rails/tron/payouts.ts'
import { addressKey } from '#shared/addresses.ts'
import { maximumSweepTransactions, smallestTronSweepUnits } from '#shared/limits.ts'
import { derivationPaths } from './derivation-paths.ts'
import type { Move, PlanSweep } from './draft.ts'
import { requireFees } from './fee-estimates.ts'
import { type Candidate, candidates } from './holdings.ts'
import { payoutRefusals } from './messages.ts'
import { coinAmount } from './queries.ts'
import { Left, moveReference } from './sweep-rules.ts'
import { fundedOnTron } from './tron.ts'

/** What the bytes of a USDT transfer burn without bandwidth, in sun: 400 at 1,000 each. */
const BANDWIDTH_SUN = 400_000n
/** What a payment of TRX costs its sender, with the account that it opens for the recipient (1.1 TRX), in sun. */
const TOP_UP_SUN = 1_500_000n

/** A transfer of all USDT of an address; `topUp` is the TRX that it lacks for energy and bandwidth, in sun. */
type Chosen = { candidate: Candidate; topUp: bigint }

/**
 * Sweeps of USDT on TRON: each address signs a transfer to the payout address. An address that has only ever received USDT has no account:
 * the TRX that it gets first opens it, and pays for the transfer.
 */
export const sweepTron: PlanSweep = async (services, _wallet, of) => {
  const { price } = await requireFees(services.db, 'usdt', of.createdAt)
  const { chosen, left } = choose(await candidates(services, 'usdt', 'USDT'), price)
  const toppedUp = chosen.filter(({ topUp }) => topUp > 0n)
  requireTopUps(toppedUp, of)
  const moves: Move[] = [
    ...toppedUp.map(({ candidate, topUp }) => ({
      kind: 'top_up' as const,
      from: of.payoutAddress,
      to: candidate.address,
      token: 'TRX' as const,
      units: topUp,
    })),
    ...chosen.map(({ candidate: { address, units } }) => ({
      kind: 'sweep' as const,
      from: address,
      to: of.payoutAddress,
      token: 'USDT' as const,
      units,
    })),
  ]
  const addresses = chosen.map(({ candidate }) => candidate.address)
  const paths = await derivationPaths(services.db, services.config, 'usdt', addresses)
  const payments = moves.map(({ from, to, token, units }, payment) => ({
    reference: moveReference(of.number, payment),
    from,
    to,
    token: token as TronPayout['token'],
    units,
    derivationPath: paths.get(addressKey(from)),
  }))
  return { moves, left: left.amounts, funded: await fundedOnTron(services.db, services.config, of, payments) }
}

/** The transfers of one batch, the largest first. @param price of energy, in sun */
function choose(held: readonly Candidate[], price: bigint): { chosen: Chosen[]; left: Left } {
  const left = new Left()
  const chosen: Chosen[] = []
  let transactions = 0
  for (const candidate of held) {
    const { gas, native, isBusy, units } = candidate
    // A fifth more: the network charges a popular contract more energy at times.
    const needed = ((gas ?? 0n) * price * 6n) / 5n + BANDWIDTH_SUN
    const topUp = needed > native ? needed - native : 0n
    const taken = topUp > 0n ? 2 : 1
    if (isBusy) left.add('busy', candidate)
    else if (gas === null) left.add('refused', candidate)
    else if (units < smallestTronSweepUnits) left.add('dust', candidate)
    else if (transactions + taken > maximumSweepTransactions) left.add('more', candidate)
    else {
      chosen.push({ candidate, topUp })
      transactions += taken
    }
  }
  return { chosen, left }
}

/** @throws AppError too_little_for_top_ups */
function requireTopUps(
  toppedUp: readonly Chosen[],
  { payoutAddress: address, payoutUnits }: { payoutAddress: string; payoutUnits: bigint },
): void {
  const needed = toppedUp.reduce((sum, { topUp }) => sum + topUp + TOP_UP_SUN, 0n)
  if (needed <= payoutUnits) return
  const amounts = { needed: coinAmount(needed, 'TRX'), has: coinAmount(payoutUnits, 'TRX') }
  throw payoutRefusals.error({ reason: 'too_little_for_top_ups', address, ...amounts })
}
