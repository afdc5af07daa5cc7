import type { FeeEstimate } from '#server/rails/chain.ts'
import { planPayment, TRANSFER_GAS } from '#server/rails/ethereum/plans.ts'
import { worthInCents } from '#server/rails/rail.ts'
import { addressKey } from '#shared/addresses.ts'
import { sweepRails } from '#shared/batch-coins.ts'
import { maximumSweepTransactions } from '#shared/limits.ts'
import { derivationPaths } from './derivation-paths.ts'
import type { Move, PlanSweep } from './draft.ts'
import { type Entry, fundedBy } from './ethereum.ts'
import { requireFees } from './fee-estimates.ts'
import { type Candidate, candidates, heldOf } from './holdings.ts'
import { payoutRefusals } from './messages.ts'
import { firstFreeNonces, freeNonces } from './nonces.ts'
import { coinAmount } from './queries.ts'
import { currentRate } from './rate-lock.ts'
import { safeVersionOf } from './safe.ts'
import { inGwei, Left, moveReference, withRoom } from './sweep-rules.ts'
import { tokenContracts } from './wallets.ts'

type Token = 'ETH' | 'USDT' | 'USDC'

/** A transfer of all that an address holds, in minor units; `topUp` is the ether in gwei that it lacks for the fee. */
type Chosen = { candidate: Candidate; units: bigint; gas: bigint; topUp: bigint }

/**
 * Sweeps on Ethereum: each address signs a transfer to the payout address. An address with tokens and too little ether gets a
 * top-up first, which is a transaction of the payout address in the same batch.
 */
export const sweepEthereum: PlanSweep = async (services, wallet, of) => {
  const { db, config } = services
  const token: Token = sweepRails[wallet].asset
  const fees = await requireFees(db, 'ethereum', of.createdAt)
  const rateE8 = token === 'ETH' ? 0n : (await currentRate(services, 'Ethereum (ETH)', of.createdAt)).usdE8
  const held = await candidates(services, 'ethereum', token)
  const isSafe = (await safeVersionOf(db, of.payoutAddress)) !== null
  const { chosen, left } = choose(held, { token, fees, rateE8, isSafe })
  for (const { isTried, isBusy, ...rest } of await heldOf(services, 'ethereum', token))
    if (!isTried) left.add(isBusy ? 'busy' : 'more', rest)
  const toppedUp = chosen.filter(({ topUp }) => topUp > 0n)
  requireTopUps(toppedUp, of, fees)
  const moves = movesOf(chosen, token, of.payoutAddress)
  const paths = await derivationPaths(
    db,
    config,
    'ethereum',
    chosen.map(({ candidate }) => candidate.address),
  )
  const payoutNonces =
    toppedUp.length === 0 ? [] : await freeNonces(db, of.payoutAddress, toppedUp.length, of.createdAt)
  const nonces = await firstFreeNonces(
    db,
    new Map(chosen.map(({ candidate: { address, nextNonce } }) => [address, nextNonce!])),
  )
  const gas = new Map(chosen.map(one => [one.candidate.address, one.gas]))
  const network = { chainId: config.rails.ethereum.chainId, contracts: tokenContracts(config) }
  const entries = moves.map(({ kind, from, to, units, ...move }, payment): Entry => {
    const own =
      kind === 'top_up'
        ? { nonce: payoutNonces[payment]!, gas: TRANSFER_GAS }
        : { nonce: nonces.get(from)!, gas: gas.get(from)! }
    return {
      payment,
      reference: moveReference(of.number, payment),
      plan: planPayment({ to, units, token: move.token as Token, ...own }, { from, ...network }, fees),
      derivationPath: paths.get(addressKey(from)),
    }
  })
  const batch = { id: of.id, createdAt: of.createdAt, name: of.number, sender: of.payoutAddress }
  return { moves, left: left.amounts, funded: fundedBy(config, batch, entries) }
}

/** Top-ups come first: wallets broadcast in this order. */
function movesOf(chosen: readonly Chosen[], token: Token, payoutAddress: string): Move[] {
  const topUps = chosen.filter(({ topUp }) => topUp > 0n)
  return [
    ...topUps.map(({ candidate, topUp }) => ({
      kind: 'top_up' as const,
      from: payoutAddress,
      to: candidate.address,
      token: 'ETH' as const,
      units: topUp,
    })),
    ...chosen.map(({ candidate, units }) => ({
      kind: 'sweep' as const,
      from: candidate.address,
      to: payoutAddress,
      token,
      units,
    })),
  ]
}

/** `isSafe`: the payout address is a Safe, which sends no top-ups. */
type Prices = { token: Token; fees: FeeEstimate; rateE8: bigint; isSafe: boolean }

/** The transfers of one batch, the largest first. */
function choose(held: readonly Candidate[], prices: Prices): { chosen: Chosen[]; left: Left } {
  const left = new Left()
  const chosen: Chosen[] = []
  let transactions = 0
  for (const candidate of held) {
    if (candidate.isBusy) left.add('busy', candidate)
    else if (candidate.gas === null) left.add('refused', candidate)
    else {
      const { isWorth, ...transfer } = transferOf(candidate, candidate.gas, prices)
      const taken = transfer.topUp > 0n ? 2 : 1
      if (!isWorth) left.add('dust', candidate)
      else if (transfer.topUp > 0n && prices.isSafe) left.add('unfunded', candidate)
      else if (transactions + taken > maximumSweepTransactions) left.add('more', candidate)
      else {
        chosen.push({ candidate, ...transfer })
        transactions += taken
      }
    }
  }
  return { chosen, left }
}

/** @param tried gas that the node used when it tried the transfer */
function transferOf(
  { units: held, native }: Candidate,
  tried: bigint,
  { token, fees: { price }, rateE8 }: Prices,
): Omit<Chosen, 'candidate'> & { isWorth: boolean } {
  // A plain payment takes the same gas every time; code takes what its state asks for.
  const gas = tried === TRANSFER_GAS ? tried : (tried * 5n) / 4n
  const room = inGwei(withRoom(gas * price))
  if (token === 'ETH') return { gas, units: held - room, topUp: 0n, isWorth: held - room > room }
  const topUp = room > native ? room - native : 0n
  const cost = inGwei(gas * price) + (topUp > 0n ? inGwei(TRANSFER_GAS * price) : 0n)
  // A US dollar each.
  const isWorth = worthInCents('USDT', held, 0n) > worthInCents('ETH', cost, rateE8)
  return { gas, units: held, topUp, isWorth }
}

/** @throws AppError too_little_for_top_ups */
function requireTopUps(
  toppedUp: readonly Chosen[],
  { payoutAddress, payoutUnits }: { payoutAddress: string; payoutUnits: bigint },
  { price }: FeeEstimate,
): void {
  const needed = toppedUp.reduce((sum, { topUp }) => sum + topUp + inGwei(TRANSFER_GAS * price), 0n)
  if (needed <= payoutUnits) return
  const amounts = { needed: coinAmount(needed, 'ETH'), has: coinAmount(payoutUnits, 'ETH') }
  throw payoutRefusals.error({ reason: 'too_little_for_top_ups', address: payoutAddress, ...amounts })
}
