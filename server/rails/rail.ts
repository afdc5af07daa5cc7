import { type DepositMethod, isStablecoin, type RailName } from '#shared/coins.ts'
import { type Asset, assetDecimals, divideHalfEven, scaleOf } from '#shared/money.ts'

export type CoinAsset = Exclude<Asset, 'USD'>

/** Contents of a payment URI. */
export type PaymentUriParts = {
  address: string
  /** Minor units of the method's asset. */
  units: bigint
  /** The payee's name, as a wallet shows it. */
  label: string
}

/** Where deposits go: one configured address for all of them, or an address of its own for each, derived from an extended public key. */
export type Receiving =
  | { kind: 'fixed'; address: string }
  | {
      kind: 'derived'
      /** Short and stable, unique for each key (`accountName` of hd.ts). */
      account: string
      /** @param branch 0 for receiving, 1 for change @param index from 0, below 2^31 */
      addressAt(branch: 0 | 1, index: number): string
    }

/**
 * A network and our addresses on it, which all its payment methods share. It depends on its settings alone: no people, ledger, database,
 * private key or network access.
 */
export type Rail = {
  readonly name: RailName
  /** Name of the network for people, test networks included by name. */
  readonly network: string
  readonly receiving: Receiving
}

/** How an amount is requested in an asset of a rail. */
export type PaymentMethod = {
  readonly method: DepositMethod
  readonly asset: CoinAsset
  readonly rail: Rail
  /**
   * Amount of a quote in minor units, rounded half to even (D3).
   * @param amountCents USD
   * @param rateE8 USD for one unit, in 10^-8 USD
   */
  amountFor(amountCents: bigint, rateE8: bigint): bigint
  /** What the QR code holds: a URI for wallets or, where they understand none, the address alone. */
  paymentUri(parts: PaymentUriParts): string
}

/** Decimal places of a quote in bitcoin or ether: the page shows exactly the amount due. */
const quoteDecimals = 7

/** USD divided by a rate, to seven decimals of the coin, in its minor units (D-20). */
export function quotedUnits(asset: CoinAsset, amountCents: bigint, rateE8: bigint): bigint {
  return unitsTo(quoteDecimals, amountCents, rateE8) * scaleOf(assetDecimals[asset] - quoteDecimals)
}

/** USD cents in minor units, to the last one. A quote differs by its rounding, which goes to the firm's rounding account (D3). */
export function worthInUnits(asset: CoinAsset, amountCents: bigint, rateE8: bigint): bigint {
  const decimals = assetDecimals[asset]
  return isStablecoin(asset)
    ? amountCents * scaleOf(decimals - assetDecimals.USD)
    : unitsTo(decimals, amountCents, rateE8)
}

/** Minor units of a coin in USD cents, rounded half to even (D3). */
export function worthInCents(asset: CoinAsset, units: bigint, rateE8: bigint): bigint {
  const decimals = assetDecimals[asset]
  return isStablecoin(asset)
    ? divideHalfEven(units, scaleOf(decimals - assetDecimals.USD))
    : divideHalfEven(units * rateE8, scaleOf(8 - assetDecimals.USD + decimals))
}

/** cents / 10^2 / (rate / 10^8) in steps of 10^-decimals. */
function unitsTo(decimals: number, amountCents: bigint, rateE8: bigint): bigint {
  return divideHalfEven(amountCents * scaleOf(8 - assetDecimals.USD + decimals), rateE8)
}
