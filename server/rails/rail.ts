import type { DepositMethod } from '#shared/coins.ts'
import { type Asset, assetDecimals, divideHalfEven, scaleOf } from '#shared/money.ts'

export type CoinAsset = Exclude<Asset, 'USD'>

/** What a payment URI carries. */
export type PaymentUriParts = {
  address: string
  /** Minor units of the rail's asset. */
  units: bigint
  /** Who is paid, as a wallet shows it. */
  label: string
}

/**
 * Where a rail is paid: at the one configured address, the same for every deposit; or at addresses of an account, one for each
 * deposit, which follow from its extended public key.
 */
export type Receiving =
  | { kind: 'fixed'; address: string }
  | {
      kind: 'derived'
      /** Its short stable name (`accountName` of hd.ts): another key has another one. */
      account: string
      /** @param branch 0 for receiving, 1 for change @param index from 0, below 2^31 */
      addressAt(branch: 0 | 1, index: number): string
    }

/**
 * One way of being paid in a coin: its addresses, amounts and payment requests. It knows nothing of people, of the
 * books or of the database, holds no key, and asks nobody: its answers depend on its settings alone.
 */
export type Rail = {
  readonly method: DepositMethod
  readonly asset: CoinAsset
  /** Name of the network for people, test networks included by name. */
  readonly network: string
  readonly receiving: Receiving
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
export function quotedUnits(asset: CoinAsset, amountCents: bigint, rateE8: bigint): bigint {
  return unitsTo(quoteDecimals, amountCents, rateE8) * scaleOf(assetDecimals[asset] - quoteDecimals)
}

/** The coins whose amounts follow a rate; the amount of the other, USDT, equals the USD amount (D5). */
const followsRate: Record<CoinAsset, boolean> = { BTC: true, ETH: true, USDT: false }

/**
 * What USD cents are worth to the last minor unit. What was asked for differs from it by the quote's rounding; the
 * difference is posted to the firm's rounding account (D3).
 */
export function worthInUnits(asset: CoinAsset, amountCents: bigint, rateE8: bigint): bigint {
  const decimals = assetDecimals[asset]
  return followsRate[asset]
    ? unitsTo(decimals, amountCents, rateE8)
    : amountCents * scaleOf(decimals - assetDecimals.USD)
}

/** What minor units of a coin are worth in USD cents, rounded half to even (D3). */
export function worthInCents(asset: CoinAsset, units: bigint, rateE8: bigint): bigint {
  const decimals = assetDecimals[asset]
  return followsRate[asset]
    ? divideHalfEven(units * rateE8, scaleOf(8 - assetDecimals.USD + decimals))
    : divideHalfEven(units, scaleOf(decimals - assetDecimals.USD))
}

/** cents / 10^2 / (rate / 10^8) in steps of 10^-decimals. */
function unitsTo(decimals: number, amountCents: bigint, rateE8: bigint): bigint {
  return divideHalfEven(amountCents * scaleOf(8 - assetDecimals.USD + decimals), rateE8)
}
