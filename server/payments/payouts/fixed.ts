import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { quotableRate } from '#server/prices/rates.ts'
import { formatRate } from '#server/prices/reading.ts'
import { worthInUnits } from '#server/rails/rail.ts'
import { isPayoutWallet, payoutRails } from '#shared/coins.ts'
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

type Reader = { db: Kysely<Schema>; config: Config }

/**
 * The amount at the rate of this moment, rounded half to even to the coin's last digit; USDT one to one, as deposits.
 * @throws AppError rate_unavailable; wrong_state where the amount is less than the coin's last digit
 */
export async function fixedNow(
  reader: Reader,
  { wallet, amount_cents }: { wallet: string; amount_cents: bigint },
  now: Date,
): Promise<Fixed> {
  if (!isPayoutWallet(wallet)) throw new TypeError(`${wallet} is paid by no rail`)
  const { method, asset } = payoutRails[wallet]
  const rate = await quotableRate(reader, method === 'ethereum' && asset === 'USDT' ? 'usdt' : method, now)
  const units = worthInUnits(asset, amount_cents, rate.usdE8)
  if (units <= 0n)
    throw new AppError('wrong_state', `This amount is worth nothing that can be paid in ${asset}`)
  return {
    payout_asset: asset,
    payout_units: units,
    payout_rate_e8: rate.usdE8,
    payout_rate_at: rate.at,
    payout_rate_source: rate.source,
  }
}

/**
 * The same where it can be said now: not of what is paid by hand, of which nothing here says how much of the coin that will be, and
 * not without a fresh rate. What is left open is fixed when the withdrawal is put into a batch.
 * @throws AppError wrong_state where the amount is less than the coin's last digit
 */
export async function fixedIfPossible(
  reader: Reader,
  withdrawal: { wallet: string; amount_cents: bigint },
  now: Date,
): Promise<Fixed | undefined> {
  const { wallet } = withdrawal
  if (!isPayoutWallet(wallet) || unavailability(reader.config, wallet) !== null) return undefined
  try {
    return await fixedNow(reader, withdrawal, now)
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_unavailable') return undefined
    throw error
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
