import { randomBytes } from 'node:crypto'
import { tronAddress } from '#server/rails/tron/addresses.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import { openLyingTron, type TronLie } from '#test/support/lying-nodes/tron.ts'
import { startTronGrid, type TronTransaction, tronTransaction } from '#test/support/tron-grid.ts'
import { xpubs } from '#test/support/watched.ts'
import { CONFIRMATIONS, type LyingNetwork, liesOf } from './network.ts'

/** The first sync wants some blocks before its own. */
const PAST_BLOCKS = 12

/** USDT on a chain of the test's own: none of the nodes that tests install is TRON's. */
export async function lyingTron(): Promise<LyingNetwork<TronLie>> {
  const { contract } = tronNetwork({ testNetwork: true })
  const chain = await startTronGrid(contract, 0)
  const mineWith = (...transactions: TronTransaction[]) => {
    chain.add(...transactions).timestamp = Date.now()
  }
  const mine = async (blocks = 1) => {
    for (let made = 0; made < blocks; made += 1) mineWith()
  }
  await mine(PAST_BLOCKS)
  const node = await openLyingTron(chain, contract)
  return {
    name: 'TRON',
    rail: 'usdt',
    method: 'usdt',
    decimals: 6,
    environment: {
      TRON_XPUB: xpubs.usdt,
      TRONGRID_URL: node.url,
      TRON_SECOND_URL: chain.url,
      TRON_CONFIRMATIONS: String(CONFIRMATIONS),
    },
    ...liesOf(node),
    lasting: ['hidden payments', 'changed amounts', 'changed receivers'],
    mine,
    height: async () => chain.tip.number,
    async pay({ address, units }) {
      const transaction = tronTransaction([{ from: tronAddress(randomBytes(20)), to: address, units }])
      mineWith(transaction)
      return transaction.id
    },
    async confirmationsOf(id) {
      const block = chain.blocks.find(({ transactions }) => transactions.some(one => one.id === id))
      return block === undefined ? 0 : chain.tip.number - block.number + 1
    },
  }
}
