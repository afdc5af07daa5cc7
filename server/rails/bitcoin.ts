import { bitcoinText } from './payment-uri.ts'
import { type PaymentMethod, quotedUnits, type Rail } from './rail.ts'

/** Bitcoin itself. */
export function bitcoinMethod(rail: Rail): PaymentMethod {
  return {
    method: 'bitcoin',
    asset: 'BTC',
    rail,
    amountFor: (amountCents, rateE8) => quotedUnits('BTC', amountCents, rateE8),
    // BIP-21: the amount in bitcoin, the label percent-encoded.
    paymentUri: ({ address, units, label }) =>
      `bitcoin:${address}?amount=${bitcoinText(units)}&label=${encodeURIComponent(label)}`,
  }
}

/** The network's name for people, by the form of an address. */
export function bitcoinNetworkOf(address: string): string {
  if (/^bcrt1/i.test(address)) return 'Bitcoin regtest'
  return /^(tb1|[mn2])/i.test(address) ? 'Bitcoin testnet' : 'Bitcoin'
}
