import type { DepositMethod } from '#shared/coins.ts'
import { type Asset, assetDecimals, divideHalfEven, scaleOf } from '#shared/money.ts'

/** What a payment URI carries. */
export type PaymentUriParts = {
  address: string
  /** Minor units of the rail's asset. */
  units: bigint
  /** Who is paid, as a wallet shows it. */
  label: string
}

/**
 * One way of being paid in a coin: its addresses, amounts and payment requests. It knows nothing of people, of the
 * books or of the database, holds no key, and asks nobody: its answers depend on its settings alone.
 */
export type Rail = {
  readonly method: DepositMethod
  readonly asset: Exclude<Asset, 'USD'>
  /** Name of the network for people, test networks included by name. */
  readonly network: string
  /** Where the payment of one deposit goes: the configured address, the same for every deposit. */
  addressFor(depositId: string): string
  /**
   * What to ask for, in minor units, rounded half to even (D3).
   * @param amountCents USD
   * @param rateE8 USD for one unit, in 10^-8 USD
   */
  amountFor(amountCents: bigint, rateE8: bigint): bigint
  paymentUri(parts: PaymentUriParts): string
}

/** Digits after the point that a quote in bitcoin or ether asks for (product.md 9): what the page shows is what is owed. */
const quoteDecimals = 7

/** USD divided by a rate, to seven decimals of the coin, in its minor units (D-20). */
export function unitsAtRate(asset: Asset, amountCents: bigint, rateE8: bigint): bigint {
  // cents / 10^2 / (rate / 10^8), counted in steps of 10^-7
  const steps = divideHalfEven(amountCents * scaleOf(8 - 2 + quoteDecimals), rateE8)
  return steps * scaleOf(assetDecimals[asset] - quoteDecimals)
}
