import { assetDecimals, scaleOf } from '#shared/money.ts'

const weiPerGwei = scaleOf(18 - assetDecimals.ETH)

/** Wei in whole gwei, rounded up. */
export function inGwei(wei: bigint): bigint {
  return (wei + weiPerGwei - 1n) / weiPerGwei
}

/**
 * What an address keeps for the fee of its sweep: half as much again as planned, so that the fee can be raised a few times. Nothing
 * else there could pay it.
 */
export function withRoom(amount: bigint): bigint {
  return (amount * 3n) / 2n
}

/** The name of a sweep's transaction in its file: 'PAY-2026-000007/2'. */
export function moveReference(number: string, payment: number): string {
  return `${number}/${payment + 1}`
}

/** Why a sweep leaves out what an address holds. */
export type ReasonLeftOut = 'dust' | 'busy' | 'refused' | 'unfunded' | 'more'

/** Counts what a sweep leaves out, in minor units of its coin. */
export class Left {
  readonly amounts = new Map<ReasonLeftOut, { count: number; units: bigint }>()

  /** @param of an address, or, with `count`, several */
  add(reason: ReasonLeftOut, of: { units: bigint; count?: number }): void {
    const { count, units } = this.amounts.get(reason) ?? { count: 0, units: 0n }
    this.amounts.set(reason, { count: count + (of.count ?? 1), units: units + of.units })
  }
}
