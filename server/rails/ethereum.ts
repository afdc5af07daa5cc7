import { weiText } from './payment-uri.ts'
import { quotedUnits, type Rail, type Receiving } from './rail.ts'

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

export function ethereumRail(receiving: Receiving, { chainId }: { chainId: number }): Rail {
  return {
    method: 'ethereum',
    asset: 'ETH',
    network: ethereumNetworkName(chainId),
    receiving,
    amountFor: (amountCents, rateE8) => quotedUnits('ETH', amountCents, rateE8),
    // EIP-681: the value in wei; it knows no label.
    paymentUri: ({ address, units }) => `ethereum:${address}@${chainId}?value=${weiText(units)}`,
  }
}
