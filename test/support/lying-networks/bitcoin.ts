import { atEnd } from '#test/support/clean-up.ts'
import { startLitecoind } from '#test/support/litecoind.ts'
import { type BitcoinLie, openLyingBitcoin } from '#test/support/lying-nodes/bitcoin.ts'
import { tpub } from '#test/support/watched.ts'
import { CONFIRMATIONS, type LyingNetwork, liesOf } from './network.ts'

/** A day ago. */
const PAST_SECONDS = 86_400
const MATURITY = 100

/** Bitcoin on litecoind. */
export async function lyingBitcoin(): Promise<LyingNetwork<BitcoinLie>> {
  const chain = await startLitecoind({ funded: 0 })
  atEnd(chain.remove)
  // The product need not read the blocks that make coins spendable: no address was shown before them.
  await chain.call('setmocktime', Math.floor(Date.now() / 1000) - PAST_SECONDS)
  await chain.mine(MATURITY + 1)
  await chain.call('setmocktime', 0)
  await chain.mine()
  const node = await openLyingBitcoin(chain.url)
  return {
    name: 'Bitcoin',
    rail: 'bitcoin',
    method: 'bitcoin',
    decimals: 8,
    environment: {
      BITCOIN_NETWORK: 'litecoin-regtest',
      BITCOIN_XPUB: tpub,
      BITCOIN_RPC_URL: node.url,
      BITCOIN_SECOND_RPC_URL: chain.url,
      BITCOIN_CONFIRMATIONS: String(CONFIRMATIONS),
    },
    ...liesOf(node),
    lasting: [],
    async mine(blocks) {
      await chain.mine(blocks)
    },
    height: () => chain.call('getblockcount'),
    pay: ({ address, units }) => chain.pay({ address, satoshi: units }),
    async confirmationsOf(id) {
      return (await chain.call<{ confirmations: number }>('gettransaction', id)).confirmations
    },
  }
}
