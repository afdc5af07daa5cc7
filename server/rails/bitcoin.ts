import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { quotedUnits, type Rail } from './rail.ts'

/** @param address where every deposit is paid to; its form says the network */
export function bitcoinRail(address: string): Rail {
  return {
    method: 'bitcoin',
    asset: 'BTC',
    network: networkOf(address),
    addressFor: () => address,
    amountFor: (amountCents, rateE8) => quotedUnits('BTC', amountCents, rateE8),
    // BIP-21: the amount in bitcoin, the label percent-encoded.
    paymentUri: ({ address, units, label }) =>
      `bitcoin:${address}?amount=${formatDecimal(units, assetDecimals.BTC)}&label=${encodeURIComponent(label)}`,
  }
}

function networkOf(address: string): string {
  if (/^bcrt1/i.test(address)) return 'Bitcoin regtest'
  return /^(tb1|[mn2])/i.test(address) ? 'Bitcoin testnet' : 'Bitcoin'
}
