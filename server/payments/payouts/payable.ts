import type { Config } from '#server/config.ts'
import type { Reader } from '#server/prices/rates.ts'
import { addressKey } from '#shared/addresses.ts'
import { isPayoutWallet } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { bitcoinFaults } from './bitcoin.ts'
import { senderOf, unavailability } from './files.ts'
import { type Fixed, fixedAt, rateIfPossible } from './fixed.ts'

/** Whether a batch can pay a withdrawal at all, whatever else it pays: asked at the approval, with each batch, and before it is declined after all. */

/**
 * Why no batch can pay so much to an address, in a sentence; null where one can.
 * @param units of the coin; undefined where they are not fixed yet
 */
export type PayeeFaults = (address: string, units: bigint | undefined) => string | null

/**
 * The faults of a coin's payees: what they go by is taken from the configuration once, however many are asked about. None where no
 * batch of the coin can be made, so that it is paid by hand.
 */
export function payeeFaults(config: Config, wallet: string): PayeeFaults {
  if (!isPayoutWallet(wallet) || unavailability(config, wallet) !== null) return () => null
  if (wallet === 'Bitcoin (BTC)') return bitcoinFaults(config)
  const sender = addressKey(senderOf(config, wallet)!)
  return address =>
    addressKey(address) === sender
      ? 'Payouts are sent from this address, and what it sends itself moves nothing.'
      : null
}

/**
 * That a batch could pay what is approved now: it can be declined still.
 * @throws AppError wrong_state
 */
export function requirePayable(
  config: Config,
  { wallet, address }: { wallet: string; address: string },
  fixed: Pick<Fixed, 'payout_units'> | undefined,
): void {
  const fault = payeeFaults(config, wallet)(address, fixed?.payout_units)
  if (fault !== null) throw new AppError('wrong_state', `${fault} Decline this withdrawal, saying why.`)
}

/**
 * That a batch can pay one of its withdrawals.
 * @param faultOf of the batch's coin
 * @throws AppError wrong_state
 */
export function requirePayableOf(
  faultOf: PayeeFaults,
  { invoice_id, address }: { invoice_id: string; address: string },
  units: bigint,
): void {
  const fault = faultOf(address, units)
  if (fault === null) return
  throw new AppError(
    'wrong_state',
    `No batch can pay ${invoice_id}. ${fault} Leave it out: decline it on its page, or pay it by hand from elsewhere.`,
  )
}

type Approved = { address: string; amount_cents: bigint; payout_units: bigint | null }

/**
 * Why no batch could pay an approved withdrawal now, in words; null where one could, as far as is known.
 * @param now of the rate, where its amount in the coin is not fixed yet
 */
export async function unpayableNow(
  reader: Reader,
  withdrawal: Approved & { wallet: string },
  now: Date,
): Promise<string | null> {
  const unpayable = await unpayableOf(reader, withdrawal.wallet, now)
  return unpayable(withdrawal)
}

/** The same of any number of one coin's withdrawals: all are judged by one rate. At most one query. */
export async function unpayableOf(
  reader: Reader,
  wallet: string,
  now: Date,
): Promise<(withdrawal: Approved) => string | null> {
  const faultOf = payeeFaults(reader.config, wallet)
  const rate = await rateIfPossible(reader, wallet, now)
  return ({ address, amount_cents, payout_units }) => {
    try {
      return faultOf(address, payout_units ?? (rate && fixedAt(rate, amount_cents).payout_units))
    } catch (error) {
      // Less than the coin's last digit.
      if (error instanceof AppError && error.code === 'wrong_state') return `${error.message}.`
      throw error
    }
  }
}
