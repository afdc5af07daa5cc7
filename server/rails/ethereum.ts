import { paymentMethods } from '#shared/coins.ts'
import type { PaymentToken } from '#shared/payment-tokens.ts'
import { weiText } from './payment-uri.ts'
import { type PaymentMethod, quotedUnits, type Rail, worthInUnits } from './rail.ts'

/** Chain ids of EIP-155. Addresses look the same on all, so the payment URI always names the chain. */
const names: ReadonlyMap<number, string> = new Map([
  [1, 'Ethereum'],
  [11_155_111, 'Ethereum Sepolia (test network)'],
  [31_337, 'Ethereum (local demonstration chain)'],
])

/** The network's name for people. */
export function ethereumNetworkName(chainId: number): string {
  return names.get(chainId) ?? `Ethereum test network ${chainId}`
}

/** Ether. */
export function ethereumMethod(rail: Rail, { chainId }: { chainId: number }): PaymentMethod {
  return {
    method: 'ethereum',
    asset: 'ETH',
    rail,
    amountFor: (amountCents, rateE8) => quotedUnits('ETH', amountCents, rateE8),
    // EIP-681: the value in wei; it knows no label.
    paymentUri: ({ address, units }) => `ethereum:${address}@${chainId}?value=${weiText(units)}`,
  }
}

/** A token on Ethereum. */
export function tokenMethod(method: PaymentToken): (rail: Rail) => PaymentMethod {
  const { asset } = paymentMethods[method]
  return rail => ({
    method,
    asset,
    rail,
    amountFor: (amountCents, rateE8) => worthInUnits(asset, amountCents, rateE8),
    // Some wallets read a token's URI (EIP-681) as a payment to its contract, where coins are lost (decision 121).
    paymentUri: ({ address }) => address,
  })
}
