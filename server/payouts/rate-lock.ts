import { quotableRate, type Rate, type Reader } from '#server/prices/rates.ts'
import { formatRate } from '#server/prices/reading.ts'
import { worthInUnits } from '#server/rails/rail.ts'
import { isPayoutWallet, type PayoutWallet, payoutRails } from '#shared/batch-coins.ts'
import { AppError } from '#shared/errors.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { unavailability } from './wallets.ts'

/** A withdrawal's amount in its coin, named as its columns. */
export type LockedAmount = {
  payout_asset: 'BTC' | 'ETH' | 'USDT'
  /** Minor units. All of it arrives: the firm pays the network fee. */
  payout_units: bigint
  /** USD for one unit, in 10^-8 USD. */
  payout_rate_e8: bigint
  payout_rate_at: Date
  payout_rate_source: string
}

type PayoutRate = Pick<Rate, 'usdE8' | 'at' | 'source'> & { asset: LockedAmount['payout_asset'] }

/**
 * The current rate; USDT is one to one, as for deposits.
 * @throws AppError rate_unavailable
 */
export async function currentRate(reader: Reader, wallet: PayoutWallet, now: Date): Promise<PayoutRate> {
  const { asset } = payoutRails[wallet]
  const { usdE8, at, source } = await quotableRate(reader, asset, now)
  return { asset, usdE8, at, source }
}

/**
 * The current rate; undefined without a fresh one, or if batches of this coin are unavailable. An amount left open is locked when the
 * withdrawal is put into a batch.
 */
export async function rateIfAvailable(
  reader: Reader,
  wallet: string,
  now: Date,
): Promise<PayoutRate | undefined> {
  if (!isPayoutWallet(wallet) || unavailability(reader.config, wallet) !== null) return undefined
  return freshRate(reader, wallet, now)
}

/** The current rate; undefined without a fresh one. */
export async function freshRate(
  reader: Reader,
  wallet: PayoutWallet,
  now: Date,
): Promise<PayoutRate | undefined> {
  try {
    return await currentRate(reader, wallet, now)
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_unavailable') return undefined
    throw error
  }
}

/**
 * The amount at a rate, rounded half to even to the coin's last digit.
 * @returns null if that is nothing
 */
export function lockAmount(
  { asset, usdE8, at, source }: PayoutRate,
  amountCents: bigint,
): LockedAmount | null {
  const units = worthInUnits(asset, amountCents, usdE8)
  if (units <= 0n) return null
  return {
    payout_asset: asset,
    payout_units: units,
    payout_rate_e8: usdE8,
    payout_rate_at: at,
    payout_rate_source: source,
  }
}

/** For the audit log. */
export function lockedAmountDetails(locked: LockedAmount): Record<string, string> {
  const { payout_asset: asset, payout_units: units } = locked
  return {
    pays: `${formatDecimal(units, assetDecimals[asset])} ${asset}`,
    rate: formatRate(locked.payout_rate_e8),
    rateSource: locked.payout_rate_source,
  }
}
