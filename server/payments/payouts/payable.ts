import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'
import { isPayoutWallet, type PayoutWallet } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { bitcoinFault } from './bitcoin.ts'
import { payerOf, unavailability } from './files.ts'
import { type Fixed, fixedIfPossible } from './fixed.ts'

/** Whether a batch can pay a withdrawal at all, whatever else it pays: asked at the approval, with each batch, and before it is declined after all. */

type Payee = { wallet: string; address: string }

/**
 * Why no batch can pay this, in a sentence; null where one can, and where no batch of its coin can be made, so that it is paid by hand.
 * @param units of the coin; undefined where they are not fixed yet
 */
export function payeeFault(
  config: Config,
  { wallet, address }: Payee,
  units: bigint | undefined,
): string | null {
  if (!isPayoutWallet(wallet) || unavailability(config, wallet) !== null) return null
  if (isPayer(config, wallet, address)) {
    return 'Payouts are sent from this address, and what it sends itself moves nothing.'
  }
  return wallet === 'Bitcoin (BTC)' ? bitcoinFault(config, { address, satoshi: units }) : null
}

/**
 * That a batch could pay what is approved now: it can be declined still.
 * @throws AppError wrong_state
 */
export function requirePayable(
  config: Config,
  payee: Payee,
  fixed: Pick<Fixed, 'payout_units'> | undefined,
): void {
  const fault = payeeFault(config, payee, fixed?.payout_units)
  if (fault !== null) throw new AppError('wrong_state', `${fault} Decline this withdrawal, saying why.`)
}

/** That a batch can pay one of its withdrawals. @throws AppError wrong_state */
export function requirePayableOf(
  config: Config,
  row: Payee & { invoice_id: string },
  units: bigint | undefined,
): void {
  const fault = payeeFault(config, row, units)
  if (fault === null) return
  throw new AppError(
    'wrong_state',
    `No batch can pay ${row.invoice_id}. ${fault} Leave it out: decline it on its page, or pay it by hand from elsewhere.`,
  )
}

/**
 * Why no batch could pay an approved withdrawal now, in words; null where one could, as far as is known.
 * @param now of the rate, where its amount in the coin is not fixed yet
 */
export async function unpayableNow(
  reader: { db: Kysely<Schema>; config: Config },
  withdrawal: Payee & { amount_cents: bigint; payout_units: bigint | null },
  now: Date,
): Promise<string | null> {
  const { payout_units } = withdrawal
  try {
    const units = payout_units ?? (await fixedIfPossible(reader, withdrawal, now))?.payout_units
    return payeeFault(reader.config, withdrawal, units)
  } catch (error) {
    // Less than the coin's last digit.
    if (error instanceof AppError && error.code === 'wrong_state') return `${error.message}.`
    throw error
  }
}

/** Whether an address is the one that a coin's payouts are sent from: no transfer to itself is one that pays. */
function isPayer(config: Config, wallet: PayoutWallet, address: string): boolean {
  const payer = payerOf(config, wallet)
  return payer !== null && addressKey(payer) === addressKey(address)
}
