import { tronUsdt } from '#shared/token-contracts.ts'
import { type PaymentMethod, type Rail, worthInUnits } from './rail.ts'

const mainNet = { contract: tronUsdt.main, name: 'TRON (TRC-20)' }
const nile = { contract: tronUsdt.nile, name: 'TRON Nile (TRC-20, test network)' }

/** The network of the payments. */
export function tronNetwork({ testNetwork }: { testNetwork: boolean }) {
  return testNetwork ? nile : mainNet
}

/** USDT on TRON. */
export function tronMethod(rail: Rail): PaymentMethod {
  return {
    method: 'usdt',
    asset: 'USDT',
    rail,
    // The amount in USDT equals the amount in USD, whatever the firm's fixed rate (D5).
    amountFor: (amountCents, rateE8) => worthInUnits('USDT', amountCents, rateE8),
    // TRON has no standard for more: wallets refuse a URI with a token, or take its amount for TRX.
    paymentUri: ({ address }) => address,
  }
}
