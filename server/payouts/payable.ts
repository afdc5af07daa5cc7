import type { Config } from '#server/config.ts'
import type { Reader } from '#server/prices/rates.ts'
import { type Listings, listingsOf } from '#server/screening/listed.ts'
import { addressKey } from '#shared/addresses.ts'
import { isPayoutWallet } from '#shared/batch-coins.ts'
import { bitcoinPayeeRefusal } from './bitcoin.ts'
import { type PayeeGuard, type PayeeRefusal, payeeRefusals } from './messages.ts'
import { lockAmount, rateIfAvailable } from './rate-lock.ts'
import { senderOf, unavailability } from './wallets.ts'

/**
 * The guard of a coin's payees. Where batches of the coin are unavailable, it refuses nothing but listed addresses: those withdrawals are
 * paid manually.
 */
export function payeeGuard(config: Config, wallet: string, listings: Listings = new Map()): PayeeGuard {
  const refusalOf = guardOf(config, wallet)
  return (address, units) => {
    const listing = listings.get(addressKey(address))
    return listing ? { reason: 'address_listed', ...listing } : refusalOf(address, units)
  }
}

function guardOf(config: Config, wallet: string): PayeeGuard {
  if (!isPayoutWallet(wallet) || unavailability(config, wallet) !== null) return () => null
  if (wallet === 'Bitcoin (BTC)') return bitcoinPayeeRefusal(config)
  const sender = addressKey(senderOf(config, wallet)!)
  return address => (addressKey(address) === sender ? { reason: 'own_payout_address' } : null)
}

type Approved = { address: string; amount_cents: bigint; payout_units: bigint | null }

/**
 * Why no batch could pay an approved withdrawal now, in words; null if one could, as far as we know.
 * @param now moment of the rate, if the amount in coin is not locked yet
 */
export async function unpayableNow(
  reader: Reader,
  withdrawal: Approved & { wallet: string },
  now: Date,
): Promise<string | null> {
  const unpayable = await unpayableOf(reader, withdrawal.wallet, { addresses: [withdrawal.address], now })
  return unpayable(withdrawal)
}

/** The same for any number of withdrawals in one coin, at one rate, with two queries at most. */
export async function unpayableOf(
  reader: Reader,
  wallet: string,
  { addresses, now }: { addresses: readonly string[]; now: Date },
): Promise<(withdrawal: Approved) => string | null> {
  const guard = payeeGuard(reader.config, wallet, await listingsOf(reader.db, addresses))
  const rate = await rateIfAvailable(reader, wallet, now)
  const refusalOf = ({ address, amount_cents, payout_units }: Approved): PayeeRefusal | null => {
    if (payout_units !== null || rate === undefined) return guard(address, payout_units ?? undefined)
    const locked = lockAmount(rate, amount_cents)
    if (locked !== null) return guard(address, locked.payout_units)
    return guard(address, undefined) ?? { reason: 'amount_too_small', asset: rate.asset }
  }
  return withdrawal => {
    const refusal = refusalOf(withdrawal)
    return refusal && payeeRefusals.words(refusal)
  }
}
