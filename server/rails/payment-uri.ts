import { assetDecimals, formatDecimal, scaleOf } from '#shared/money.ts'
import type { CoinAsset } from './rail.ts'

/** Decimals of a wei in an ether. */
const weiDecimals = 18

/** The value of EIP-681: ether, given in gwei, as wei. */
export function weiText(units: bigint): string {
  return String(units * scaleOf(weiDecimals - assetDecimals.ETH))
}

/** The amount of BIP-21, in bitcoin. */
export function bitcoinText(units: bigint): string {
  return formatDecimal(units, assetDecimals.BTC)
}

/**
 * A stored payment URI for another amount: BIP-21's `amount` or EIP-681's `value`. An address alone names none.
 * @param units minor units of the asset
 */
export function withAmount(uri: string, asset: CoinAsset, units: bigint): string {
  if (asset === 'BTC') return uri.replace(/([?&]amount=)[\d.]+/, `$1${bitcoinText(units)}`)
  return asset === 'ETH' ? uri.replace(/([?&]value=)\d+/, `$1${weiText(units)}`) : uri
}
