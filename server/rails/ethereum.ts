import { assetDecimals, scaleOf } from '#shared/money.ts'
import { quotedUnits, type Rail, type Receiving } from './rail.ts'

/** Chain ids of EIP-155. Addresses look the same on both, so the payment URI always names the chain. */
const mainNet = { chainId: 1, name: 'Ethereum' }
const sepolia = { chainId: 11_155_111, name: 'Ethereum Sepolia (test network)' }

const weiDecimals = 18

export function ethereumRail(receiving: Receiving, { testNetwork }: { testNetwork: boolean }): Rail {
  const { chainId, name } = testNetwork ? sepolia : mainNet
  return {
    method: 'ethereum',
    asset: 'ETH',
    network: name,
    receiving,
    amountFor: (amountCents, rateE8) => quotedUnits('ETH', amountCents, rateE8),
    // EIP-681: the value in wei; it knows no label.
    paymentUri: ({ address, units }) =>
      `ethereum:${address}@${chainId}?value=${units * scaleOf(weiDecimals - assetDecimals.ETH)}`,
  }
}
