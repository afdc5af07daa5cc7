import { bitcoinText } from './payment-uri.ts'
import { quotedUnits, type Rail, type Receiving } from './rail.ts'

/** @param network its name for people */
export function bitcoinRail(receiving: Receiving, network: string): Rail {
  return {
    method: 'bitcoin',
    asset: 'BTC',
    network: receiving.kind === 'fixed' ? networkOf(receiving.address) : network,
    receiving,
    amountFor: (amountCents, rateE8) => quotedUnits('BTC', amountCents, rateE8),
    // BIP-21: the amount in bitcoin, the label percent-encoded.
    paymentUri: ({ address, units, label }) =>
      `bitcoin:${address}?amount=${bitcoinText(units)}&label=${encodeURIComponent(label)}`,
  }
}

function networkOf(address: string): string {
  if (/^bcrt1/i.test(address)) return 'Bitcoin regtest'
  return /^(tb1|[mn2])/i.test(address) ? 'Bitcoin testnet' : 'Bitcoin'
}
