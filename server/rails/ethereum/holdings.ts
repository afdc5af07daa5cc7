import type { Holding } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { assetDecimals, scaleOf } from '#shared/money.ts'
import { etherBalances, tokenBalances } from './balances.ts'
import { transferCall } from './erc20.ts'
import * as forms from './forms.ts'
import type { Node } from './node.ts'

type WatchedToken = { token: 'USDT' | 'USDC'; contract: string }

/** The largest holdings of each coin whose transfers the node tries out: more than one batch sweeps. */
const TRIED = 100

const weiPerGwei = scaleOf(18 - assetDecimals.ETH)

/**
 * What addresses hold; of the largest holdings also the gas that a transfer takes, and the address's next nonce.
 * @param of the contracts of tokens, the recipient of the transfers, and the block in hexadecimal
 * @throws ChainError
 */
export async function holdings(
  node: Node,
  addresses: readonly string[],
  { tokens, to, block }: { tokens: readonly WatchedToken[]; to: string; block: string },
): Promise<Holding[]> {
  const keys = addresses.map(addressKey)
  const ether = (await etherBalances(node, keys, block)).map(wei => wei / weiPerGwei)
  const held = [rowsOf('ETH', keys, ether)]
  for (const { token, contract } of tokens)
    held.push(rowsOf(token, keys, await tokenBalances(node, contract, keys, block)))
  const found = await Promise.all(held.map(rows => withGas(node, rows, { tokens, to })))
  return found.flat()
}

type Held = Omit<Holding, 'gas' | 'nextNonce'>

/** Those that have something, the largest first. */
function rowsOf(token: Held['token'], addresses: readonly string[], units: readonly bigint[]): Held[] {
  return addresses
    .map((address, at) => ({ address, token, units: units[at]! }))
    .filter(row => row.units > 0n)
    .toSorted((one, other) => (other.units > one.units ? 1 : other.units < one.units ? -1 : 0))
}

/** Tries the transfers of the largest ones. */
async function withGas(
  node: Node,
  held: readonly Held[],
  { tokens, to }: { tokens: readonly WatchedToken[]; to: string },
): Promise<Holding[]> {
  return Promise.all(
    held.map(async (row, at) => {
      if (at >= TRIED) return { ...row, gas: null, nextNonce: null }
      const [gas, nextNonce] = await Promise.all([
        gasOf(node, requestOf(row, { tokens, to })),
        node.ask('eth_getTransactionCount', [row.address, 'pending'], forms.count),
      ])
      return { ...row, gas, nextNonce }
    }),
  )
}

function requestOf(
  { address: from, token, units }: Held,
  { tokens, to }: { tokens: readonly WatchedToken[]; to: string },
): object {
  const contract = tokens.find(one => one.token === token)?.contract
  return contract === undefined
    ? { from, to, value: '0x1' }
    : { from, to: contract, data: transferCall(to, units) }
}

/** null if the transfer would fail. */
async function gasOf(node: Node, request: object): Promise<bigint | null> {
  if ((await node.refusal('eth_estimateGas', [request])) !== null) return null
  return node.ask('eth_estimateGas', [request], forms.quantity)
}
