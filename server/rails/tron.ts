import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { type Rail, type Receiving, worthInUnits } from './rail.ts'

/** Tether's TRC-20 contract on main-net, and its twin on the Nile test network. */
const mainNet = { contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', name: 'TRON (TRC-20)' }
const nile = { contract: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', name: 'TRON Nile (TRC-20, test network)' }

/** The network that is paid on. */
export function tronNetwork({ testNetwork }: { testNetwork: boolean }) {
  return testNetwork ? nile : mainNet
}

export function tronRail(receiving: Receiving, of: { testNetwork: boolean }): Rail {
  const { contract, name } = tronNetwork(of)
  return {
    method: 'usdt',
    asset: 'USDT',
    network: name,
    receiving,
    // The amount in USDT equals the amount in USD, whatever the fixed rate beside it says (D5).
    amountFor: (amountCents, rateE8) => worthInUnits('USDT', amountCents, rateE8),
    // The form that TRON wallets read: recipient, the token's contract, and the amount in USDT.
    paymentUri: ({ address, units }) =>
      `tron:${address}?token=${contract}&amount=${formatDecimal(units, assetDecimals.USDT)}`,
  }
}
