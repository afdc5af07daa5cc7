import type { Address } from 'viem'
import { demoAccount } from '#server/demo/chain.ts'
import { openAnvil } from '#test/support/anvil.ts'
import { type EthereumLie, openLyingEthereum } from '#test/support/lying-nodes/ethereum.ts'
import { CONFIRMATIONS, type LyingNetwork, liesOf } from './network.ts'

const weiPerGwei = 10n ** 9n

/** Ether on anvil. */
export async function lyingEthereum(): Promise<LyingNetwork<EthereumLie>> {
  const chain = await openAnvil()
  const node = await openLyingEthereum(chain.url)
  const height = async () => Number(await chain.client.getBlockNumber())
  return {
    name: 'Ethereum',
    rail: 'ethereum',
    method: 'ethereum',
    decimals: 9,
    environment: {
      ETHEREUM_XPUB: demoAccount,
      ETHEREUM_CHAIN_ID: String(chain.client.chain.id),
      ETHEREUM_RPC_URL: node.url,
      ETHEREUM_SECOND_RPC_URL: chain.url,
      ETHEREUM_CONFIRMATIONS: String(CONFIRMATIONS),
    },
    ...liesOf(node, weiPerGwei),
    lasting: ['hidden payments', 'changed amounts', 'changed receivers'],
    mine: chain.mine,
    height,
    pay: ({ address, units }) => chain.send(1, { to: address as Address, value: units * weiPerGwei }),
    async confirmationsOf(hash) {
      const { blockNumber } = await chain.client.getTransactionReceipt({ hash: hash as Address })
      return (await height()) - Number(blockNumber) + 1
    },
  }
}
