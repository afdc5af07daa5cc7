import { quotableRate, type Rate, type Reader } from '#server/prices/rates.ts'
import { formatRate } from '#server/prices/reading.ts'
import { worthInUnits } from '#server/rails/rail.ts'
import { isPayoutWallet, type PayoutWallet, payoutRails } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { unavailability } from './files.ts'

/** What a withdrawal is paid in its coin, as its columns have it. */
export type Fixed = {
  payout_asset: 'BTC' | 'ETH' | 'USDT'
  /** Minor units: all of it arrives, for the firm pays the network's fee. */
  payout_units: bigint
  /** USD for one unit, in 10^-8 USD. */
  payout_rate_e8: bigint
  payout_rate_at: Date
  payout_rate_source: string
}

/** What amounts of a coin are fixed at. */
export type PayoutRate = Pick<Rate, 'usdE8' | 'at' | 'source'> & { asset: Fixed['payout_asset'] }

/**
 * The rate of this moment; USDT one to one, as deposits.
 * @throws AppError rate_unavailable
 */
export async function rateNow(reader: Reader, wallet: PayoutWallet, now: Date): Promise<PayoutRate> {
  const { method, asset } = payoutRails[wallet]
  const { usdE8, at, source } = await quotableRate(reader, asset === 'USDT' ? 'usdt' : method, now)
  return { asset, usdE8, at, source }
}

/**
 * The same where it can be said now: not of what is paid by hand, of which nothing here says how much of the coin that will be, and
 * not without a fresh rate. What is left open is fixed when the withdrawal is put into a batch.
 */
export async function rateIfPossible(
  reader: Reader,
  wallet: string,
  now: Date,
): Promise<PayoutRate | undefined> {
  if (!isPayoutWallet(wallet) || unavailability(reader.config, wallet) !== null) return undefined
  try {
    return await rateNow(reader, wallet, now)
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_unavailable') return undefined
    throw error
  }
}

/**
 * The amount at a rate, rounded half to even to the coin's last digit.
 * @throws AppError wrong_state where the amount is less than the coin's last digit
 */
export function fixedAt({ asset, usdE8, at, source }: PayoutRate, amountCents: bigint): Fixed {
  const units = worthInUnits(asset, amountCents, usdE8)
  if (units <= 0n)
    throw new AppError('wrong_state', `This amount is worth nothing that can be paid in ${asset}`)
  return {
    payout_asset: asset,
    payout_units: units,
    payout_rate_e8: usdE8,
    payout_rate_at: at,
    payout_rate_source: source,
  }
}

/** What the audit log keeps of it. */
export function detailsOfFixed(fixed: Fixed): Record<string, string> {
  const { payout_asset: asset, payout_units: units } = fixed
  return {
    pays: `${formatDecimal(units, assetDecimals[asset])} ${asset}`,
    rate: formatRate(fixed.payout_rate_e8),
    rateSource: fixed.payout_rate_source,
  }
}
